// SPDX-License-Identifier: Apache-2.0
// The data rates of the last hour: one point per second, ten per second for the last minute.
import type { History } from "../api/types";
import { SeriesRing } from "./series";

const HOUR_SECONDS = 3600;

/** Columns for a chart: times in seconds, then one list of values for each requested name. */
export type Columns = [number[], ...(number | null)[][]];

export class RateHistory {
  private readonly seconds = new SeriesRing(1, HOUR_SECONDS + 60);
  private readonly tenths = new SeriesRing(0.1, 700);
  private begun = -1;

  /** Whether the hour of these has come from the server, or is being fetched. */
  readonly fetched = new Set<string>();

  get newestSeconds(): number {
    return this.tenths.newestSlot < 0
      ? this.seconds.timeOf(this.seconds.newestSlot)
      : this.tenths.timeOf(this.tenths.newestSlot);
  }

  /** The newest live value. */
  latest(name: string): number | null {
    return this.tenths.get(name, this.tenths.newestSlot);
  }

  get empty(): boolean {
    return this.seconds.newestSlot < 0 && this.tenths.newestSlot < 0;
  }

  /** Adds the rates of one live update, by name. */
  add(atSeconds: number, rates: Iterable<readonly [string, number | undefined]>): void {
    const tenth = this.tenths.slotOf(atSeconds);
    const second = Math.floor(atSeconds);
    if (this.begun < 0) this.begun = tenth;
    this.tenths.advance(tenth);
    this.seconds.advance(second);
    for (const [name, rate] of rates) {
      this.tenths.set(name, tenth, rate);
      // The last value of a second is the mean of that second, since a rate covers the last second.
      if (rate !== undefined) this.seconds.set(name, second, rate);
    }
  }

  /** Adds the server's history; live values stay. */
  merge(history: History): void {
    const end = Math.floor(Date.parse(history.end) / 1000);
    if (!Number.isFinite(end)) return;
    const step = history.stepSeconds || 1;
    this.seconds.advance(end);
    for (const [name, values] of Object.entries(history.series)) {
      values.forEach((value, place) => {
        const slot = end - (values.length - 1 - place) * step;
        if (value !== null && this.seconds.get(name, slot) === null)
          this.seconds.set(name, slot, value);
      });
    }
  }

  /** From `from` to `to`; with `fine`, in tenths of a second where these are known. */
  columns(
    names: readonly string[],
    from: number,
    to: number,
    fine: boolean,
    out: Columns,
  ): Columns {
    let rows = 0;
    for (let column = out.length; column <= names.length; column += 1) out[column] = [];
    out.length = names.length + 1;
    const put = (ring: SeriesRing, slot: number): void => {
      out[0][rows] = ring.timeOf(slot);
      for (let column = 0; column < names.length; column += 1) {
        out[column + 1]![rows] = ring.get(names[column]!, slot);
      }
      rows += 1;
    };
    const fineFrom =
      fine && this.tenths.newestSlot >= 0 ? this.firstTenth() : Number.POSITIVE_INFINITY;
    const lastSecond = Math.min(Math.ceil(to), this.seconds.newestSlot);
    const firstSecond = Math.max(Math.floor(from) - 1, this.seconds.oldestSlot);
    for (let slot = firstSecond; slot <= lastSecond && slot < fineFrom; slot += 1)
      put(this.seconds, slot);
    if (fineFrom < Number.POSITIVE_INFINITY) {
      const last = Math.min(this.tenths.slotOf(to) + 1, this.tenths.newestSlot);
      const first = Math.max(
        this.tenths.slotOf(Math.max(from - 1, fineFrom)),
        this.tenths.oldestSlot,
      );
      for (let slot = first; slot <= last; slot += 1) {
        if (this.known(names, slot)) put(this.tenths, slot);
      }
    }
    for (const list of out) list.length = rows;
    return out;
  }

  forget(name: string): void {
    this.seconds.forget(name);
    this.tenths.forget(name);
    this.fetched.delete(name);
  }

  clear(): void {
    this.seconds.clear();
    this.tenths.clear();
    this.fetched.clear();
    this.begun = -1;
  }

  // The first tenth that was ever added, or the oldest that is kept.
  private firstTenth(): number {
    return this.tenths.timeOf(Math.max(this.begun, this.tenths.oldestSlot));
  }

  // A tenth without an update is not a gap: there may be fewer than ten updates per second.
  private known(names: readonly string[], slot: number): boolean {
    return names.some((name) => this.tenths.get(name, slot) !== null);
  }
}
