// SPDX-License-Identifier: Apache-2.0
// Data rates of more than an hour, as the node keeps them on disk: fetched for the stretch that is
// shown, and anew when that has moved on.
import type { LongHistory } from "../api/types";
import type { Columns } from "./rate_history";

const STEPS = [60, 120, 300, 600, 1800, 3600, 7200];
const MOST_POINTS = 700;
const RETRY_SECONDS = 10;

export type FetchLong = (
  from: number,
  to: number,
  step: number,
  series: readonly string[],
) => Promise<LongHistory>;

/** The step in seconds in which so much time is shown. */
export const stepFor = (seconds: number): number =>
  STEPS.find((step) => seconds / step <= MOST_POINTS) ?? STEPS.at(-1)!;

/** Columns for a chart: what is not known is a gap. */
export function longColumns(history: LongHistory, names: readonly string[]): Columns {
  const begin = Date.parse(history.from) / 1000;
  const lists = names.map((name) => history.series[name] ?? []);
  const points = Math.max(0, ...Object.values(history.series).map((one) => one.length));
  const times = Array.from({ length: points }, (_one, place) => begin + place * history.step);
  return [times, ...lists.map((list) => times.map((_time, place) => list[place] ?? null))];
}

interface Held {
  from: number;
  to: number;
  names: readonly string[];
  columns: Columns;
}

export class LongRates {
  private held: Held | undefined;
  private fetching = false;
  private notBefore = 0;

  constructor(
    private readonly fetch: FetchLong,
    private readonly changed: () => void,
  ) {}

  /** What is known of the stretch, in seconds; asks for the rest, and says when it has come. */
  columns(names: readonly string[], from: number, to: number, nowSeconds: number): Columns {
    const { held } = this;
    const step = stepFor(to - from);
    const fits =
      held !== undefined &&
      names.every((name) => held.names.includes(name)) &&
      Math.abs(held.from - from) <= step &&
      Math.abs(held.to - to) <= step;
    if (!fits) void this.ask(names, from, to, step, nowSeconds);
    if (!held) return [[], ...names.map(() => [])];
    const empty = (): null[] => held.columns[0].map(() => null);
    return [
      held.columns[0],
      ...names.map((name) => held.columns[held.names.indexOf(name) + 1] ?? empty()),
    ];
  }

  private async ask(
    names: readonly string[],
    from: number,
    to: number,
    step: number,
    nowSeconds: number,
  ): Promise<void> {
    if (this.fetching || nowSeconds < this.notBefore) return;
    this.fetching = true;
    try {
      const history = await this.fetch(from - step, to, step, names);
      this.held = { from, to, names, columns: longColumns(history, names) };
    } catch {
      this.notBefore = nowSeconds + RETRY_SECONDS;
    }
    this.fetching = false;
    this.changed();
  }
}
