// SPDX-License-Identifier: Apache-2.0
// The time window of the charts: the last minutes, which move with time, or a fixed one after
// zooming.

export interface Stretch {
  from: number;
  to: number;
}

const LEAST_SECONDS = 2;
export const HOUR_SECONDS = 3600;

export class TimeWindow {
  private lastSeconds = 300;
  private zoom_: Stretch | undefined;
  private most = HOUR_SECONDS;

  get length(): number {
    return this.lastSeconds;
  }

  get zoomed(): boolean {
    return this.zoom_ !== undefined;
  }

  /** How far back there are data. */
  setMost(seconds: number): void {
    this.most = seconds;
  }

  /** Shows the last `seconds`, and moves with time. */
  follow(seconds: number): void {
    this.lastSeconds = seconds;
    this.zoom_ = undefined;
  }

  reset(): void {
    this.zoom_ = undefined;
  }

  at(now: number): Stretch {
    if (this.zoom_) return this.zoom_;
    return { from: now - this.lastSeconds, to: now };
  }

  zoomTo(from: number, to: number, now: number): void {
    const length = Math.max(LEAST_SECONDS, Math.min(this.most, to - from));
    const middle = (from + to) / 2;
    const last = Math.max(now, middle);
    const end = Math.min(last, middle + length / 2);
    this.zoom_ = { from: end - length, to: end };
  }

  /** Makes the window `factor` times as long, about its middle. */
  scale(factor: number, now: number): void {
    const { from, to } = this.at(now);
    const middle = (from + to) / 2;
    const half = ((to - from) / 2) * factor;
    this.zoomTo(middle - half, middle + half, now);
  }

  /** Moves the window by a part of its length. */
  shift(part: number, now: number): void {
    const { from, to } = this.at(now);
    const by = Math.max(now - this.most - from, Math.min(now - to, (to - from) * part));
    this.zoom_ = { from: from + by, to: to + by };
  }
}
