// SPDX-License-Identifier: Apache-2.0
// Announcements for screen readers: changes of state, collected; never figures that change ten
// times a second.

const GATHER_MS = 1_500;
const MOST_LINES = 3;

export class Announcer {
  private waiting: string[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly region: HTMLElement) {}

  say(text: string): void {
    this.waiting.push(text);
    this.timer ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  private flush(): void {
    this.timer = undefined;
    const lines = this.waiting.splice(0);
    // The newest ones: the last may be the effect of a command that was just given here.
    const told = lines.slice(-MOST_LINES);
    const earlier = lines.length - told.length;
    if (earlier > 0) told.unshift(`${earlier} earlier change${earlier === 1 ? "" : "s"}`);
    this.region.textContent = told.join(". ");
  }
}
