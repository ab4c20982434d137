// SPDX-License-Identifier: Apache-2.0
// What the coming contacts carry of what waits now, and when nothing of it will be left. Bundles
// that come meanwhile are not counted: nobody knows them.
import type { Contact, PendingState, RouteTable, State } from "../api/types";

export interface Forecast {
  /** The next hop; undefined: no route leads anywhere. */
  nextHop: number | undefined;
  destinations: number;
  bundles: number;
  bytes: number;
  /** What of this the operator holds; it is not sent. */
  heldBytes: number;
  next: ContactShare | undefined;
  /** When the last of it has left, by the plan; undefined: not within the plan. */
  goneAt: number | undefined;
  /** What is left at the end of the plan. */
  leftBytes: number;
  /** The plan has no contacts with this node: its links follow none. */
  unplanned: boolean;
}

export interface ContactShare {
  contact: number;
  from: number;
  to: number;
  bytes: number;
}

const NO_ROUTE = -1;

/** The first way of each destination, and the one of all others. */
export function nextHops(table: RouteTable | undefined): (destination: string) => number {
  const hops = new Map<string, number>();
  const fallback = table?.defaultGateway?.nextHop ?? NO_ROUTE;
  for (const one of table?.staticRoutes ?? [])
    if (one.nextHop !== undefined) hops.set(String(one.destination), one.nextHop);
  for (const { destination, candidates } of table?.routes ?? []) {
    const first = candidates[0]?.nextHop;
    if (first !== undefined) hops.set(String(destination), first);
  }
  return (destination) => hops.get(destination) ?? fallback;
}

/** By next hop, the largest first. */
export function forecast(
  state: State,
  table: RouteTable | undefined,
  contacts: readonly Contact[],
  now: number,
): Forecast[] {
  const hopOf = nextHops(table);
  const own = state.node?.number;
  const held = state.storage?.held ?? {};
  const sums = new Map<number, Forecast>();
  for (const [node, pending] of Object.entries(state.pending ?? {}))
    if (pending.bundles !== 0 && !isOf(own, node))
      addTo(sums, hopOf(node), pending, held[node] === true);
  const ahead = contactsFrom(contacts, own, now);
  for (const [hop, sum] of sums) fill(sum, ahead.get(hop), now);
  return [...sums.values()].sort((a, b) => b.bytes - a.bytes);
}

/** What waits for applications of this node leaves by no contact. */
const isOf = (own: number | undefined, destination: string): boolean =>
  destination === String(own) || destination.startsWith(`ipn:${own}.`);

function addTo(sums: Map<number, Forecast>, hop: number, pending: PendingState, held: boolean) {
  let sum = sums.get(hop);
  if (!sum) {
    sum = {
      nextHop: hop === NO_ROUTE ? undefined : hop,
      destinations: 0,
      bundles: 0,
      bytes: 0,
      heldBytes: 0,
      next: undefined,
      goneAt: undefined,
      leftBytes: 0,
      unplanned: false,
    };
    sums.set(hop, sum);
  }
  sum.destinations += 1;
  sum.bundles += pending.bundles ?? 0;
  sum.bytes += pending.bytes ?? 0;
  if (held) sum.heldBytes += pending.bytes ?? 0;
}

interface Ahead {
  contact: number;
  from: number;
  to: number;
  bytesPerMs: number;
}

/** Own contacts that have not ended, by neighbour; empty lists where all have ended. */
function contactsFrom(
  contacts: readonly Contact[],
  own: number | undefined,
  now: number,
): Map<number, Ahead[]> {
  const found = new Map<number, Ahead[]>();
  for (const one of contacts) {
    if (one.source !== own) continue;
    const list = found.get(one.dest) ?? [];
    if (!found.has(one.dest)) found.set(one.dest, list);
    const to = Date.parse(one.endTime);
    if (!(to > now)) continue;
    const from = Math.max(now, Date.parse(one.startTime));
    const rate = one.rateBitsPerSec;
    const bytesPerMs = rate ? rate / 8_000 : Number.POSITIVE_INFINITY;
    list.push({ contact: one.contact, from, to, bytesPerMs });
  }
  for (const list of found.values()) list.sort((a, b) => a.from - b.from);
  return found;
}

function fill(sum: Forecast, ahead: readonly Ahead[] | undefined, now: number): void {
  let left = sum.bytes - sum.heldBytes;
  sum.unplanned = sum.nextHop !== undefined && ahead === undefined;
  if (left === 0) sum.goneAt = now;
  for (const one of ahead ?? []) {
    if (left === 0 && sum.next) break;
    const carried = Math.min(left, one.bytesPerMs * (one.to - one.from));
    sum.next ??= { contact: one.contact, from: one.from, to: one.to, bytes: carried };
    if (left > 0 && carried >= left) sum.goneAt = one.from + left / one.bytesPerMs;
    left -= carried;
  }
  sum.leftBytes = left;
}
