// SPDX-License-Identifier: Apache-2.0
// The links with a row in the flow picture: all where they are few, otherwise links that are not up
// and the busiest ones.
import type { LinkState } from "../api/types";
import { byNumber, linkWord } from "../model/link_state";

export const MOST_ROWS = 10;
const CHOOSE_EVERY_MS = 10_000;

export interface FlowRows {
  keys: string[];
  /** How many have no row of their own, and how many of these are up. */
  rest: number;
  restUp: number;
}

/** Some links that are not up, then the busiest; by number. The choice changes at intervals. */
export class RowChoice {
  private keys: string[] = [];
  private chosenAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly most = MOST_ROWS) {}

  rows(
    links: Record<string, LinkState>,
    fits: (link: LinkState) => boolean,
    rateOf: (key: string) => number,
    nowMs: number,
  ): FlowRows {
    const all = Object.keys(links).filter((key) => fits(links[key]!));
    const most = all.length > this.most ? this.most - 1 : all.length;
    const stale = this.keys.length !== most || this.keys.some((key) => !all.includes(key));
    if (stale || nowMs - this.chosenAt > CHOOSE_EVERY_MS) {
      this.chosenAt = nowMs;
      const number = (a: string, b: string): number => byNumber(links[a]!, links[b]!);
      const bad = all.filter((key) => linkWord(links[key]!) === "not connected").sort(number);
      const first = all.length > most ? bad.slice(0, most / 2) : [];
      const busy = all
        .filter((key) => !first.includes(key))
        .sort((a, b) => rateOf(b) - rateOf(a) || number(a, b));
      this.keys = [...first, ...busy].slice(0, most).sort(number);
    }
    const without = all.filter((key) => !this.keys.includes(key));
    return {
      keys: this.keys,
      rest: without.length,
      restUp: without.filter((key) => links[key]!.up).length,
    };
  }
}
