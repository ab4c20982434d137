// SPDX-License-Identifier: Apache-2.0
// Which links the flow picture has a row for: all where they are few, otherwise those that matter most.
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

const trouble = (link: LinkState): number => (linkWord(link) === "not connected" ? 1 : 0);

/** Links in trouble first, then the busiest; shown by number, and chosen anew only now and then. */
export class RowChoice {
  private keys: string[] = [];
  private chosenAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly most = MOST_ROWS) {}

  rows(links: Record<string, LinkState>, fits: (link: LinkState) => boolean, rateOf: (key: string) => number,
       nowMs: number): FlowRows {
    const all = Object.keys(links).filter((key) => fits(links[key]!));
    const stale = this.keys.some((key) => !all.includes(key)) || this.keys.length < Math.min(all.length, this.most);
    if (stale || nowMs - this.chosenAt > CHOOSE_EVERY_MS) {
      this.chosenAt = nowMs;
      const most = all.length > this.most ? this.most - 1 : this.most;
      this.keys = all
        .sort((a, b) => trouble(links[b]!) - trouble(links[a]!) || rateOf(b) - rateOf(a) || byNumber(links[a]!, links[b]!))
        .slice(0, most)
        .sort((a, b) => byNumber(links[a]!, links[b]!));
    }
    const without = all.filter((key) => !this.keys.includes(key));
    return { keys: this.keys, rest: without.length, restUp: without.filter((key) => links[key]!.up).length };
  }
}
