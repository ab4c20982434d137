// SPDX-License-Identifier: Apache-2.0
// The endpoints of applications: their order, and whether anybody receives there.
import type { EndpointState, State } from "../api/types";

export type EndpointWord = "receiving" | "no receiver" | "unknown";

export function endpointWord({ receivers }: EndpointState): EndpointWord {
  if (receivers === undefined) return "unknown";
  return receivers > 0 ? "receiving" : "no receiver";
}

/** Bundles wait, and nobody takes them. */
export const isUnattended = (one: EndpointState): boolean =>
  endpointWord(one) === "no receiver" && (one.storedBundles ?? 0) + (one.waitingBundles ?? 0) > 0;

/** Those at which bundles wait for a receiver first. */
export const endpointRank = (one: EndpointState): number =>
  isUnattended(one) ? 0 : { unknown: 1, "no receiver": 2, receiving: 3 }[endpointWord(one)];

/** ipn:10.9 comes before ipn:10.42: numbers in a name are compared as such. */
export const endpointOrder = (name: string): string =>
  name.replace(/[0-9]+/g, (digits) => digits.padStart(20, "0"));

export function byEndpoint(a: string, b: string): number {
  const [first, second] = [endpointOrder(a), endpointOrder(b)];
  return first < second ? -1 : Number(first > second);
}

/** "2 receiving, 1 no receiver", in the order of the endpoints. */
export function endpointTally(endpoints: Iterable<EndpointState>): string {
  const tally = new Map<EndpointWord, number>();
  for (const one of endpoints) {
    const word = endpointWord(one);
    tally.set(word, (tally.get(word) ?? 0) + 1);
  }
  return [...tally].map(([word, many]) => `${many} ${word}`).join(", ");
}

/** A node without the module has no panel of applications. */
export const hasApplications = ({ modules = {} }: State): boolean => "applications" in modules;

/** Why there are no endpoints although the node is to have some; empty: the module runs. */
export function applicationsNote({ modules = {} }: State): string {
  const state = modules["applications"]?.state;
  if (state !== "lost" && state !== "starting") return "";
  return `The module of applications is ${state}: no application is connected.`;
}

/** Octets of a message that are shown. */
const SHOWN = 2_000;

/** A payload as text if it is UTF-8, otherwise its octets in hex; what is long is cut. */
export function messageText(payload: Uint8Array): string {
  const shown = payload.subarray(0, SHOWN);
  const rest = payload.length > SHOWN ? ` … (${payload.length} octets)` : "";
  try {
    // A letter may be cut at the end.
    return new TextDecoder("utf-8", { fatal: true }).decode(shown, { stream: true }) + rest;
  } catch {
    return Array.from(shown, (octet) => octet.toString(16).padStart(2, "0")).join(" ") + rest;
  }
}
