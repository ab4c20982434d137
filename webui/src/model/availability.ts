// SPDX-License-Identifier: Apache-2.0
// How much of the time that the plan gave a link it was up.
import type { Period } from "./actual";

export interface Availability {
  plannedMs: number;
  upMs: number;
  /** Contacts that have begun, and those of them in which the link was never up. */
  contacts: number;
  missed: number;
}

interface Span {
  from: number;
  to: number;
}

const overlap = (a: Span, b: Period, now: number): number =>
  Math.max(0, Math.min(a.to, b.to ?? now) - Math.max(a.from, b.from));

/** Of what is known between `since` and `now`; a link without contacts is planned all the time. */
export function availability(
  contacts: readonly Span[] | undefined,
  periods: readonly Period[],
  since: number,
  now: number,
): Availability {
  const planned = contacts ?? [{ from: since, to: now }];
  const sum: Availability = { plannedMs: 0, upMs: 0, contacts: 0, missed: 0 };
  let at = 0;
  for (const one of planned) {
    const cut = { from: Math.max(one.from, since), to: Math.min(one.to, now) };
    if (!(cut.to > cut.from)) continue;
    // Both lists are by time: periods that ended before this contact are of no later one.
    while (at < periods.length && (periods[at]!.to ?? now) <= cut.from) at += 1;
    let up = 0;
    for (let next = at; next < periods.length && periods[next]!.from < cut.to; next += 1)
      up += overlap(cut, periods[next]!, now);
    sum.plannedMs += cut.to - cut.from;
    sum.upMs += up;
    sum.contacts += 1;
    if (up === 0) sum.missed += 1;
  }
  return sum;
}
