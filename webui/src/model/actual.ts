// SPDX-License-Identifier: Apache-2.0
// The periods in which links were up, from link events and the live state.
import type { NodeEvent, State } from "../api/types";

/** Milliseconds; `to` is undefined while it lasts. */
export interface Period {
  from: number;
  to?: number;
}

const MOST_PERIODS = 2_000;
const UP = /(^|[-_.])up$/;
const DOWN = /(^|[-_.])down$/;

const turns = (event: NodeEvent): boolean | undefined => {
  if (event.link === undefined || !event.kind?.includes("link")) return undefined;
  if (UP.test(event.kind)) return true;
  return DOWN.test(event.kind) ? false : undefined;
};

function startOf(state: State, now: number): number | undefined {
  const uptime = state.node?.uptimeSeconds;
  return uptime === undefined ? undefined : now - uptime * 1000;
}

export class ActualPeriods {
  private readonly periods = new Map<string, Period[]>();
  private since_: number | undefined;

  /** The beginning of the known time. */
  get since(): number | undefined {
    return this.since_;
  }

  of(link: string): readonly Period[] {
    return this.periods.get(link) ?? [];
  }

  turn(link: string, up: boolean, at: number): void {
    const list = this.periods.get(link) ?? [];
    if (!this.periods.has(link)) this.periods.set(link, list);
    const last = list.at(-1);
    const open = last !== undefined && last.to === undefined;
    if (up && !open) list.push({ from: at });
    if (!up && open) last.to = Math.max(last.from, at);
    if (list.length > MOST_PERIODS) list.splice(0, list.length - MOST_PERIODS);
  }

  /**
   * The log of events, oldest first: gives the past before the page was opened. No link was up when
   * the node started, and a contact that was open then and never connected leaves no event.
   */
  begin(events: readonly NodeEvent[], state: State, now: number): void {
    this.periods.clear();
    const known = new Set<string>();
    const started = startOf(state, now);
    const first = events[0] ? Date.parse(events[0].time) : Number.NaN;
    const whole = events.length === 0 || events[0]!.id <= 1;
    this.since_ = Number.isFinite(first) ? Math.min(now, first) : now;
    if (whole && started !== undefined) this.since_ = Math.min(this.since_, started);
    const downAt = started !== undefined && started > this.since_ ? started : undefined;
    let stopped = downAt === undefined;
    for (const event of events) {
      const up = turns(event);
      const at = Date.parse(event.time);
      if (!stopped && at >= downAt!) {
        stopped = true;
        this.closeAll(downAt!, known);
      }
      if (up === undefined || !Number.isFinite(at)) continue;
      const link = String(event.link);
      // A link whose first event is "down" was up before.
      if (!up && !known.has(link) && !(whole && this.since_ === started))
        this.turn(link, true, this.since_);
      known.add(link);
      this.turn(link, up, at);
    }
    if (!stopped) this.closeAll(downAt!, known);
    for (const [key, link] of Object.entries(state.links ?? {})) {
      if (link.up && !known.has(key)) this.turn(key, true, this.since_);
    }
    this.observe(state, now);
  }

  private closeAll(at: number, known: Set<string>): void {
    for (const link of this.periods.keys()) {
      this.turn(link, false, at);
      known.add(link);
    }
  }

  event(event: NodeEvent): void {
    const up = turns(event);
    const at = Date.parse(event.time);
    if (up !== undefined && Number.isFinite(at)) this.turn(String(event.link), up, at);
  }

  /** Applies the live state, in case an event is missing. */
  observe(state: State, now: number): void {
    this.since_ ??= now;
    for (const [key, link] of Object.entries(state.links ?? {})) {
      if (link.up !== undefined) this.turn(key, link.up, now);
    }
    for (const [key, list] of this.periods) {
      const last = list.at(-1);
      if (!(key in (state.links ?? {})) && last && last.to === undefined) last.to = now;
    }
  }
}
