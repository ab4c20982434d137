// SPDX-License-Identifier: Apache-2.0
// Before the first paint: a page that is to be dark is never white for a moment.
(function () {
  let chosen = null;
  try {
    chosen = localStorage.getItem("farlink.theme");
  } catch {
    // The system's choice holds.
  }
  const dark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
