// SPDX-License-Identifier: Apache-2.0
// What is said of a link in the table of links and on its own page.
import type { LinkState } from "../../api/types";
import { moment, parseTime, span } from "../../format/time";
import { bitRate, bytes, DASH, exactCount } from "../../format/units";
import { linkWord, WORD_CLASS, WORD_SIGN } from "../../model/link_state";
import { setClass, setText } from "../../ui/dom";

export const OVERRIDDEN =
  "The operator has set the rate or the light time of this link, which overrides the plan" +
  " until it is reset, the link is changed, or the node restarts.";

const DIRECTION = { in: "in", out: "out", both: "in and out" };

export function stateText(link: LinkState): string {
  const word = linkWord(link);
  // For a link that is up again, the reason is that of its last failure.
  const lasts = word === "not connected" || word === "not proved" || link.direction === "in";
  const reason = link.reason && lasts ? `: ${link.reason}` : "";
  return `${WORD_SIGN[word]} ${word}${reason}`;
}

export function fillState(cell: HTMLElement, link: LinkState): void {
  setClass(cell, `state ${WORD_CLASS[linkWord(link)]}`);
  setText(cell, stateText(link));
}

/** A one-way link has no figures of the other direction. */
export const hasEnd = (link: LinkState, end: "in" | "out"): boolean =>
  !link.direction || link.direction === "both" || link.direction === end;

export const queued = (link: LinkState): string =>
  link.queuedBundles === undefined
    ? DASH
    : link.queuedBundles === 0
      ? "0"
      : `${exactCount(link.queuedBundles)} · ${bytes(link.queuedBytes)}`;

export const layer = (link: LinkState): string =>
  [link.layer, link.direction ? DIRECTION[link.direction] : ""].filter(Boolean).join(", ") || DASH;

export const limit = (link: LinkState): string =>
  link.rateBitsPerSec === 0 ? "none" : bitRate(link.rateBitsPerSec);

/** When the contact that is open ends, or the next one begins. */
export function contactTime(link: LinkState): number | undefined {
  return parseTime(link.planned ? link.ends : link.nextContact);
}

export function contact(link: LinkState, now: number): string {
  const at = contactTime(link);
  if (link.planned === undefined) return DASH;
  if (link.planned) return at === undefined ? "open" : `ends in ${span(at - now)}`;
  return at === undefined ? "none" : `in ${span(at - now)}, ${moment(at, now)}`;
}

export const linkTitle = (key: string, link: LinkState): string =>
  link.neighbour ? `${link.name ?? key} → node ${link.neighbour}` : (link.name ?? key);
