// SPDX-License-Identifier: Apache-2.0
// Destinations in storage: those with stored bundles, and held nodes, also without stored bundles.
import type { PendingState, State } from "../api/types";

export interface Waiting extends Omit<PendingState, "destination"> {
  /** Its number as text, since JavaScript numbers cannot represent the largest ones. */
  node: string;
  /** Undefined: the node does not report holds. */
  held: boolean | undefined;
}

// Compares two numbers as text, without signs or leading zeros.
const ascending = (a: string, b: string): number =>
  a.length - b.length || (a < b ? -1 : Number(a > b));

/** The largest first. */
export function waitingByNode({ pending = {}, storage = {} }: State): Waiting[] {
  const { held, destinations } = storage;
  const isHeld = (node: string): boolean | undefined => held && held[node] === true;
  const waits = (one: PendingState | undefined): boolean => one !== undefined && one.bundles !== 0;
  const rows = Object.entries(pending)
    .filter(([, one]) => waits(one))
    .map(([node, one]): Waiting => ({ ...one, node, held: isHeld(node) }));
  // The node may not list every destination: the count of others is unknown.
  const nothing = destinations === rows.length ? { bundles: 0, bytes: 0 } : {};
  for (const node of Object.keys(held ?? {}))
    if (!waits(pending[node])) rows.push({ ...nothing, node, held: true });
  return rows.sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0) || ascending(a.node, b.node));
}
