// Runs in every document of a recorded browser: tells of what a person does, by role and name. COVERED and TELL are filled in.
(() => {
  const covered = COVERED, send = window[TELL];
  delete window[TELL];
  const kinds = {checkbox: 'checkbox', radio: 'radio', submit: 'button', button: 'button', range: 'slider', file: 'file'};
  const roles = {A: 'link', BUTTON: 'button', SELECT: 'combobox', TEXTAREA: 'textbox', IMG: 'image', LABEL: 'label'};
  const acting = 'a, button, summary, label, [role], input, select, textarea';
  const typing = 'select, textarea, input:not([type=checkbox], [type=radio], [type=submit], [type=button])';
  const attribute = (el) => ['aria-label', 'placeholder', 'title', 'alt'].map((each) => el.getAttribute(each)).find(Boolean);
  const content = (el) => el.matches('input, select, textarea')
    ? el.name || (el.type === 'submit' ? el.value : '') : el.innerText;
  const name = (el) => (el.labels?.[0]?.innerText || attribute(el) || content(el) || '').trim().replace(/\s+/g, ' ');
  const role = (el) => el.getAttribute('role') || (el.tagName === 'INPUT' ? kinds[el.type] || 'textbox'
    : roles[el.tagName] || el.tagName.toLowerCase());
  const target = (el) => el.matches('html, body') ? 'page' : `${role(el)} ${JSON.stringify(name(el).slice(0, 120))}`;
  const values = new WeakMap();
  const first = (event) => event.composedPath()[0];
  const tell = (event, told) => event.isTrusted && send?.(told);
  // Once covered, a field stays so: a page may turn it into one of plain text.
  const mark = (el) => el.matches?.(covered) && el.setAttribute('data-honestly-covered', '');
  const typed = (event, el) => {
    mark(el);
    if (values.get(el) === el.value) return;
    values.set(el, el.value);
    tell(event, {action: 'type', target: target(el), text: el.value, secret: el.matches(covered)});
  };
  addEventListener('focus', (event) => mark(first(event)), true);
  addEventListener('click', (event) => {
    const el = first(event).closest?.(acting) || first(event);
    const implied = event.detail === 0 && el !== document.activeElement;  // Enter in a field of its form
    if (el.nodeType === 1 && !implied && !el.matches(typing)) tell(event, {action: 'click', target: target(el)});
  }, true);
  addEventListener('change', (event) => {
    const el = first(event), told = {target: target(el)};
    if (el.matches('select')) tell(event, {...told, action: 'choose', text: el.selectedOptions[0]?.label || ''});
    else if (el.type === 'file') tell(event, {...told, action: 'upload', text: [...el.files].map((each) => each.name).join(', ')});
    else if (!['checkbox', 'radio'].includes(el.type)) typed(event, el);
  }, true);
  addEventListener('blur', (event) => {
    const el = first(event);
    if (el.isContentEditable) tell(event, {action: 'type', target: target(el), text: el.innerText});
  }, true);
  addEventListener('keydown', (event) => {
    const el = first(event), chord = (event.ctrlKey ? 'Control+' : '') + (event.metaKey ? 'Meta+' : '');
    if (event.key === 'Enter' && el.matches?.('input') && el.matches(typing)) typed(event, el);  // before what it sets off
    if (['Enter', 'Escape'].includes(event.key) || (chord && event.key.length === 1))
      tell(event, {action: 'press', text: chord + event.key});
  }, true);
})();
