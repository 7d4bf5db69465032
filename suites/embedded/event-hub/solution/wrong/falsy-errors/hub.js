'use strict';

/** Passes events on to listeners. */
class Hub {
  constructor() {
    /** Registrations in their order: {pattern, listener, once, gone}. */
    this.registrations = [];
  }

  on(pattern, listener) {
    return this._register({pattern, listener, once: false, gone: false});
  }

  once(pattern, listener) {
    return this._register({pattern, listener, once: true, gone: false});
  }

  off(pattern, listener) {
    for (let at = this.registrations.length - 1; at >= 0; at--) {
      const found = this.registrations[at];
      if (found.pattern === pattern && found.listener === listener) {
        this._remove(found);
        return true;
      }
    }
    return false;
  }

  emit(name, ...values) {
    let called = 0;
    const errors = [];
    for (const registration of this._for(name)) {
      if (registration.gone) continue;
      if (registration.once) this._remove(registration);
      called++;
      const {listener} = registration;
      try {
        listener(...values);
      } catch (error) {
        errors.push(error);
      }
    }
    const first = errors.find(Boolean);
    if (first) throw first;
    return called;
  }

  count(name) {
    return this._for(name).length;
  }

  _register(registration) {
    this.registrations.push(registration);
    return () => this._remove(registration);
  }

  _remove(registration) {
    if (registration.gone) return;
    registration.gone = true;
    this.registrations.splice(this.registrations.indexOf(registration), 1);
  }

  _for(name) {
    return this.registrations.filter(({pattern}) => {
      if (!pattern.endsWith('*') || (pattern !== '*' && !pattern.endsWith('.*'))) return pattern === name;
      const prefix = pattern.slice(0, -1);
      return pattern === '*' || (name.length > prefix.length && name.startsWith(prefix));
    });
  }
}

module.exports = Hub;
