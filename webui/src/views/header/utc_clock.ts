// SPDX-License-Identifier: Apache-2.0
// The clock of the bar at the top: the node's time in UTC, on which all times of the page stand.
import { clock, day, localClock } from "../../format/time";
import { h, setAttribute, setText } from "../../ui/dom";
import type { Context } from "../context";

const TICK_MS = 250;

export class UtcClock {
  readonly element = h("time", { class: "clock", id: "utc-clock" });

  constructor(private readonly context: Context) {
    this.tick();
    setInterval(() => this.tick(), TICK_MS);
  }

  private tick(): void {
    if (this.context.painter.paused) return;
    const now = this.context.store.now();
    setText(this.element, `${clock(now)} UTC`);
    setAttribute(this.element, "datetime", new Date(Math.floor(now / 1000) * 1000).toISOString());
    setAttribute(this.element, "title", `${day(now)}; local: ${localClock(now)}`);
  }
}
