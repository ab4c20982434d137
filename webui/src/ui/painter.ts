// SPDX-License-Identifier: Apache-2.0
// Views draw at most ten times a second, in an animation frame, and only while visible.

const FRAME_MS = 90;
const HIDDEN_MS = 1_000;
/** Once a frame has taken so long, the views that are left wait for the next one. */
const BUDGET_MS = 6;

interface Entry {
  paint(now: number): void;
  /** The shortest time between two draws. */
  everyMs: number;
  visible: boolean;
  painted: number;
}

export class Painter {
  private readonly entries: Entry[] = [];
  private readonly byElement = new Map<Element, Entry>();
  private readonly observer = new IntersectionObserver(
    (changes) => {
      for (const change of changes) {
        const entry = this.byElement.get(change.target);
        if (!entry) continue;
        if (change.isIntersecting && !entry.visible) entry.painted = 0;
        entry.visible = change.isIntersecting;
      }
      this.request();
    },
    { rootMargin: "100px" },
  );

  private requested = false;
  private dirty = false;
  private last = 0;
  private paused_ = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  get paused(): boolean {
    return this.paused_;
  }

  set paused(value: boolean) {
    this.paused_ = value;
    if (!value) this.touch();
  }

  /**
   * Calls `paint` after a change, at most every `everyMs` while `element` is visible.
   */
  add(element: Element, everyMs: number, paint: (now: number) => void): void {
    const entry: Entry = { paint, everyMs, visible: false, painted: 0 };
    this.entries.push(entry);
    this.byElement.set(element, entry);
    this.observer.observe(element);
  }

  /** Reports a change. */
  touch(): void {
    this.dirty = true;
    this.request();
  }

  /** Draws everything as soon as it can: behind a command, or a change of theme. */
  now(): void {
    this.last = 0;
    for (const entry of this.entries) entry.painted = 0;
    this.touch();
  }

  private request(): void {
    if (this.requested || this.paused_) return;
    this.requested = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number): void {
    this.requested = false;
    if (this.paused_) return;
    if (now - this.last < FRAME_MS) {
      this.request();
      return;
    }
    if (!this.dirty) {
      this.last = now;
      return;
    }
    const begun = performance.now();
    let left = Number.POSITIVE_INFINITY;
    for (const entry of this.entries) {
      const every = entry.visible ? entry.everyMs : Math.max(HIDDEN_MS, entry.everyMs);
      const due = entry.painted ? entry.painted + every - FRAME_MS / 2 - now : 0;
      if (due > 0) {
        left = Math.min(left, due);
        continue;
      }
      entry.painted = now;
      entry.paint(now);
      if (performance.now() - begun < BUDGET_MS) continue;
      // Those behind are due at once in the next frame, which comes without a wait.
      this.request();
      return;
    }
    this.last = now;
    this.dirty = false;
    // Draws the last change even when no further one follows.
    if (left < Number.POSITIVE_INFINITY) this.later(left);
  }

  private later(ms: number): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.touch();
    }, ms);
  }
}
