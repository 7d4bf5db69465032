// Patterns of messages. So far: `{name}`, and `{count, plural, one {...} other {...}}` without anything inside.
'use strict';

exports.compile = (pattern) => (values) =>
  pattern
    .replace(/\{(\w+), *plural, *one *\{([^{}]*)\} *other *\{([^{}]*)\}\}/g, (_all, name, one, other) =>
      (values[name] === 1 ? one : other).replace(/#/g, values[name]),
    )
    .replace(/\{(\w+)\}/g, (_all, name) => values[name]);
