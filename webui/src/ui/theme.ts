// SPDX-License-Identifier: Apache-2.0
// Light, dark, or the system's theme. public/theme.js sets the same attribute before the first
// paint.

export type Theme = "auto" | "light" | "dark";
const KEY = "farlink.theme";

export class ThemeChoice {
  private readonly system = matchMedia("(prefers-color-scheme: dark)");
  private readonly listeners: (() => void)[] = [];

  constructor() {
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }

  get chosen(): Theme {
    try {
      const value = localStorage.getItem(KEY);
      return value === "light" || value === "dark" ? value : "auto";
    } catch {
      return "auto";
    }
  }

  choose(theme: Theme): void {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
    this.apply(theme);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private apply(theme: Theme = this.chosen): void {
    const dark = theme === "dark" || (theme === "auto" && this.system.matches);
    document.documentElement.dataset["theme"] = dark ? "dark" : "light";
    for (const listener of this.listeners) listener();
  }
}
