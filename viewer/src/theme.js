// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Light or dark: as the system has it, until the reader chooses.
const system = window.matchMedia("(prefers-color-scheme: dark)");

export function shownTheme(theme) {
  if (theme !== "auto") return theme;
  return system.matches ? "dark" : "light";
}

export function applyTheme(store) {
  const apply = () => {
    document.documentElement.dataset.theme = shownTheme(store.state.theme);
  };
  apply();
  store.subscribe((state, changed) => {
    if (changed.has("theme")) apply();
  });
  system.addEventListener("change", () => {
    apply();
    store.set({ system_theme: shownTheme("auto") }); // so that the view draws itself again
  });
}
