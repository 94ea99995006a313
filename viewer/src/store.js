// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// The settings of the page: one plain object that the view and the controls share. A listener gets
// the object and the set of names that changed.
export function createStore(initial) {
  const state = { ...initial };
  const listeners = [];
  return {
    state,
    subscribe(listener) {
      listeners.push(listener);
    },
    set(patch) {
      const changed = new Set();
      for (const [name, value] of Object.entries(patch)) {
        if (state[name] === value) continue;
        state[name] = value;
        changed.add(name);
      }
      if (changed.size > 0) for (const listener of listeners) listener(state, changed);
    },
  };
}
