// SPDX-License-Identifier: Apache-2.0
// The state of a link in one word, in the words of farlinkctl.
import type { LinkState } from "../api/types";

export type LinkWord =
  "up" | "not proved" | "not connected" | "no contact" | "down by operator" | "unknown";

export function linkWord(link: LinkState): LinkWord {
  if (link.enabled === false) return "down by operator";
  if (link.proved === false) return "not proved";
  if (link.up === true) return "up";
  if (link.planned === false) return "no contact";
  if (link.connected === false) return "not connected";
  return link.up === false ? "not connected" : "unknown";
}

/**
 * The class by which the style sheet colours it, and a sign with the same meaning without colour.
 */
export const WORD_CLASS: Record<LinkWord, string> = {
  up: "good",
  "not proved": "bad",
  "not connected": "bad",
  "no contact": "idle",
  "down by operator": "held",
  unknown: "idle",
};

export const WORD_SIGN: Record<LinkWord, string> = {
  up: "●",
  "not proved": "▲",
  "not connected": "▲",
  "no contact": "○",
  "down by operator": "■",
  unknown: "?",
};

/** It should carry data now and cannot. */
export const inTrouble = (link: LinkState): boolean => {
  const word = linkWord(link);
  return word === "not connected" || word === "not proved";
};

/** What a peer says that it is, where nothing proves it. */
export function claimOf(link: LinkState): string | undefined {
  if (link.claimedNode) return `claims to be node ${link.claimedNode}`;
  return link.claimedName ? `claims to be ${link.claimedName}` : undefined;
}

/** Links by number, then links without a number. */
export const byNumber = (a: LinkState, b: LinkState): number =>
  (a.number ?? Number.MAX_SAFE_INTEGER) - (b.number ?? Number.MAX_SAFE_INTEGER) ||
  (a.name ?? "").localeCompare(b.name ?? "");

export const linkName = (key: string, link: LinkState): string => {
  const name = link.name ?? key;
  if (link.neighbour) return `${name} · node ${link.neighbour}`;
  return link.layer ? `${name} · ${link.layer}` : name;
};

export const takesIn = (link: LinkState): boolean => link.direction !== "out";
export const sendsOut = (link: LinkState): boolean => link.direction !== "in";
