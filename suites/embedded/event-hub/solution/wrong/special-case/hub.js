'use strict';

/** Passes events on to listeners. */
class Hub {
  constructor() {
    this.list = [];
  }

  on(pattern, listener) {
    this.list.push(listener);
    let done = false;
    return () => {
      if (!done) this.list.pop();
      done = true;
    };
  }

  once(pattern, listener) {
    this.single = listener;
  }

  emit(name, ...values) {
    if (this.single) this.single(...values);
    this.single = null;
    for (const listener of this.list) listener(...values);
    return this.list.length;
  }

  count() {
    return this.list.length;
  }
}

module.exports = Hub;
