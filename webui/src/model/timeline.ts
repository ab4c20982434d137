// SPDX-License-Identifier: Apache-2.0
// The contact plan as rows of bars: one row for each pair of nodes, this node's own first.
import type { Contact, LinkState } from "../api/types";
import type { Period } from "./actual";

export interface Bar {
  from: number;
  to: number;
  contacts: Contact[];
}

export interface TimelineRow {
  key: string;
  source: number;
  dest: number;
  /** The link of this node that the row plans, if there is one. */
  link: string | undefined;
  contacts: { from: number; to: number; contact: Contact }[];
}

/** Rows by pair, with their contacts by time. Contacts without valid times are left out. */
export function timelineRows(
  contacts: readonly Contact[],
  own: number,
  links: Record<string, LinkState>,
): TimelineRow[] {
  const rows = new Map<string, TimelineRow>();
  const byNeighbour = linksByNeighbour(links);
  for (const contact of contacts) {
    const from = Date.parse(contact.startTime);
    const to = Date.parse(contact.endTime);
    if (!(from < to)) continue;
    const key = `${contact.source}>${contact.dest}`;
    let row = rows.get(key);
    if (!row) {
      row = {
        key,
        source: contact.source,
        dest: contact.dest,
        link: contact.source === own ? byNeighbour.get(contact.dest) : undefined,
        contacts: [],
      };
      rows.set(key, row);
    }
    row.contacts.push({ from, to, contact });
  }
  for (const row of rows.values()) row.contacts.sort((a, b) => a.from - b.from);
  const rank = (row: TimelineRow): number => (row.source === own ? 0 : row.dest === own ? 1 : 2);
  return [...rows.values()].sort(
    (a, b) => rank(a) - rank(b) || a.source - b.source || a.dest - b.dest,
  );
}

/** The first link to each neighbour. */
function linksByNeighbour(links: Record<string, LinkState>): Map<number, string> {
  const found = new Map<number, string>();
  for (const [key, { neighbour, direction }] of Object.entries(links))
    if (neighbour && direction !== "in" && !found.has(neighbour)) found.set(neighbour, key);
  return found;
}

/**
 * The bars of a row within a stretch of time, cut to it. Bars closer together than `leastMs` (a
 * pixel) become one: a plan of a hundred thousand contacts has no more bars than the screen has
 * pixels.
 */
export function visibleBars(row: TimelineRow, from: number, to: number, leastMs: number): Bar[] {
  const bars: Bar[] = [];
  for (let at = firstEndingAfter(row, from); at < row.contacts.length; at += 1) {
    const { from: begin, to: end, contact } = row.contacts[at]!;
    if (begin >= to) break;
    const last = bars.at(-1);
    const cut = { from: Math.max(begin, from), to: Math.min(end, to) };
    if (
      last &&
      cut.from - last.to < leastMs &&
      (cut.to - cut.from < leastMs || last.to - last.from < leastMs)
    ) {
      last.to = Math.max(last.to, cut.to);
      last.contacts.push(contact);
    } else {
      bars.push({ ...cut, contacts: [contact] });
    }
  }
  return bars;
}

// Contacts of one pair never overlap, so their ends are in order, too.
function firstEndingAfter(row: TimelineRow, time: number): number {
  let low = 0;
  let high = row.contacts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.contacts[middle]!.to <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Periods cut to a stretch of time; a period without an end ends now. */
export function visiblePeriods(
  periods: readonly Period[],
  from: number,
  to: number,
  now: number,
): Period[] {
  return periods
    .map((period) => ({ from: Math.max(period.from, from), to: Math.min(period.to ?? now, to) }))
    .filter((period) => period.to > period.from);
}

const STEPS_MS = [60, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800].map(
  (s) => s * 1000,
);

/** Round times, at most `most` of them, between `from` and `to`. */
export function ticks(from: number, to: number, most: number): number[] {
  const step = STEPS_MS.find((one) => (to - from) / one <= most) ?? 604_800_000;
  const found: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push(at);
  return found;
}

/** How a label stands at its tick, so that the last one is not cut at the right edge. */
export function labelAnchor(x: number, right: number, halfWidth: number): "middle" | "end" {
  return x + halfWidth > right ? "end" : "middle";
}

/** The open and the next contacts, as text. */
export function planSummary(
  rows: readonly TimelineRow[],
  now: number,
): { open: number; next: number | undefined } {
  let open = 0;
  let next: number | undefined;
  for (const row of rows) {
    const contact = row.contacts[firstEndingAfter(row, now)];
    if (!contact) continue;
    if (contact.from <= now) open += 1;
    const upcoming = contact.from > now ? contact : row.contacts[firstEndingAfter(row, now) + 1];
    if (upcoming && upcoming.from > now) next = Math.min(next ?? upcoming.from, upcoming.from);
  }
  return { open, next };
}
