// SPDX-License-Identifier: Apache-2.0
// What waits in storage and what is held there, by destination.
import type { PendingState, State } from "../api/types";

export interface Waiting extends Omit<PendingState, "destination"> {
  /**
   * Its number as text, since JavaScript numbers cannot represent the largest ones; or its dtn
   * name.
   */
  node: string;
  /** Undefined: the node does not report holds. */
  held: boolean | undefined;
  /** Holds take numbers only. */
  holdable: boolean;
}

const waits = (one: PendingState | undefined): boolean => one !== undefined && one.bundles !== 0;

export const isNodeNumber = (node: string): boolean => /^[1-9][0-9]*$/.test(node);

/** The nodes for which something waits, and behind them those that are held without that. */
export function waitingNodes({ pending = {}, storage = {} }: State): string[] {
  const nodes = Object.keys(pending).filter((node) => waits(pending[node]));
  for (const node of Object.keys(storage.held ?? {})) if (!waits(pending[node])) nodes.push(node);
  return nodes;
}

export function waitingFor({ pending = {}, storage = {} }: State, node: string): Waiting {
  const one = pending[node];
  const held = storage.held && storage.held[node] === true;
  const holdable = held !== undefined && isNodeNumber(node);
  if (waits(one)) return { ...one, node, held, holdable };
  // The node may not list every destination: the count of others is unknown.
  const named = Object.values(pending).filter(waits).length;
  const nothing = storage.destinations === named ? { bundles: 0, bytes: 0 } : {};
  return { ...nothing, node, held, holdable };
}

/** Nodes by number, however large. */
export const byNodeNumber = (a: string, b: string): number =>
  a.length - b.length || (a < b ? -1 : Number(a > b));
