// SPDX-License-Identifier: Apache-2.0
// The links with a row in the flow picture: all where they are few, otherwise links that are not up
// and the busiest ones.
import type { LinkState } from "../../api/types";
import { byNumber, inTrouble } from "../../model/link_state";

export const MOST_ROWS = 10;
/** So many rows are left to the busiest links, whatever is in trouble. */
const BUSY_ROWS = 3;
const CHOOSE_EVERY_MS = 10_000;

export interface FlowRows {
  keys: string[];
  /** How many have no row of their own, and how many of these are up and in trouble. */
  rest: number;
  restUp: number;
  restBad: number;
}

/**
 * Links in trouble, then the busiest, then others that are up; idle ones last. Shown by number, and
 * chosen anew only now and then, or when another link is in trouble.
 */
export class RowChoice {
  private keys: string[] = [];
  private trouble = "";
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
    const bad = all.filter((key) => inTrouble(links[key]!));
    const trouble = bad.join();
    const stale =
      this.keys.length !== most ||
      trouble !== this.trouble ||
      this.keys.some((key) => !(key in links));
    if (stale || nowMs - this.chosenAt > CHOOSE_EVERY_MS) {
      this.chosenAt = nowMs;
      this.trouble = trouble;
      this.keys = choose(links, all, bad, most, rateOf);
    }
    const shown = new Set(this.keys);
    const without = all.filter((key) => !shown.has(key));
    return {
      keys: this.keys,
      rest: without.length,
      restUp: without.filter((key) => links[key]!.up).length,
      restBad: bad.filter((key) => !shown.has(key)).length,
    };
  }
}

function choose(
  links: Record<string, LinkState>,
  all: string[],
  bad: string[],
  most: number,
  rateOf: (key: string) => number,
): string[] {
  const number = (a: string, b: string): number => byNumber(links[a]!, links[b]!);
  const first = new Set(
    all.length > most ? bad.sort(number).slice(0, Math.max(1, most - BUSY_ROWS)) : [],
  );
  const idle = (key: string): number => (links[key]!.up ? 0 : 1);
  const others = all
    .filter((key) => !first.has(key))
    .map((key) => ({ key, rate: rateOf(key) }))
    .sort((a, b) => b.rate - a.rate || idle(a.key) - idle(b.key) || number(a.key, b.key));
  return [...first, ...others.map(({ key }) => key)].slice(0, most).sort(number);
}
