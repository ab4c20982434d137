// SPDX-License-Identifier: Apache-2.0
// What of the page is shown, by the fragment of its address: all panels, or the page of a link
// (#link=3).

const LINK = /^#link=(.+)$/;

export class Place {
  private readonly listeners: (() => void)[] = [];

  constructor() {
    window.addEventListener("hashchange", () => this.changed());
  }

  /** The key of the link whose page is shown. */
  get link(): string | undefined {
    const found = location.hash.match(LINK);
    if (!found) return undefined;
    try {
      return decodeURIComponent(found[1]!);
    } catch {
      return undefined;
    }
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Back to all panels, at the table of links. */
  leaveLink(): void {
    if (this.link !== undefined) location.hash = "#links";
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
    if (this.link !== undefined) return;
    // What was hidden could not be scrolled to by the browser.
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }
}

export const linkAddress = (key: string): string => `#link=${encodeURIComponent(key)}`;
