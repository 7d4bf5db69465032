'use strict';

/** Passes events on to listeners. */
class Hub {
  constructor() {
    this.listeners = {};
  }

  on(pattern, listener) {
    if (!this.listeners[pattern]) this.listeners[pattern] = [];
    this.listeners[pattern].push(listener);
    return () => this.off(pattern, listener);
  }

  once(pattern, listener) {
    const wrapped = (...values) => {
      listener(...values);
      this.off(pattern, wrapped);
    };
    return this.on(pattern, wrapped);
  }

  off(pattern, listener) {
    const list = this.listeners[pattern] || [];
    const index = list.indexOf(listener);
    list.splice(index, 1);
    return index >= 0;
  }

  emit(name, ...values) {
    let called = 0;
    for (const pattern of Object.keys(this.listeners)) {
      if (pattern === name || pattern === '*' || name.startsWith(pattern.replace('*', ''))) {
        for (const listener of this.listeners[pattern]) {
          listener(...values);
          called++;
        }
      }
    }
    return called;
  }

  count(name) {
    return (this.listeners[name] || []).length;
  }
}

module.exports = Hub;
