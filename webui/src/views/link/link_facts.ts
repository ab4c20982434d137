// SPDX-License-Identifier: Apache-2.0
// The figures of one link, as the list at the top of its page.
import type { LinkState } from "../../api/types";
import { localTime, moment, span } from "../../format/time";
import { bitRate, bytes, DASH, exactCount, lightTime, percent } from "../../format/units";
import type { Availability } from "../../model/availability";
import { claimOf } from "../../model/link_state";
import { h, setAttribute, setText } from "../../ui/dom";
import { contact, contactTime, hasEnd, layer, limit, OVERRIDDEN, queued } from "./link_cells";

export interface LinkFigures {
  link: LinkState;
  now: number;
  inBits: number | undefined;
  outBits: number | undefined;
  available: Availability | undefined;
  /** Since when the page knows whether the link was up. */
  since: number | undefined;
}

interface Fact {
  name: string;
  title: string;
  value(of: LinkFigures): string;
  /** Shown below, in small. */
  note?(of: LinkFigures): string;
  at?(of: LinkFigures): number | undefined;
  /** A link without it has no such row. */
  when?(of: LinkFigures): boolean;
}

const marked = (link: LinkState, figure: string): string =>
  link.overridden ? `${figure} *` : figure;

const peer = ({ link }: LinkFigures): string => {
  if (link.neighbour) return `node ${link.neighbour}`;
  return claimOf(link) ?? (link.direction === "in" ? "many" : DASH);
};

const used = ({ link, outBits }: LinkFigures): string =>
  link.rateBitsPerSec && outBits !== undefined
    ? `${percent(outBits, link.rateBitsPerSec)} of the limit`
    : "no limit is in force";

const FACTS: Fact[] = [
  {
    name: "peer",
    title: "Peer",
    value: peer,
    note: ({ link }) =>
      link.proved === false ? "not proved" : link.neighbour ? (link.address ?? "") : "",
  },
  {
    name: "layer",
    title: "Layer",
    value: ({ link }) => layer(link),
    note: ({ link }) => link.address ?? "",
  },
  {
    name: "contact",
    title: "Contact",
    value: ({ link, now }) => contact(link, now),
    at: ({ link }) => contactTime(link),
  },
  {
    name: "availability",
    title: "Up in its contacts",
    value: ({ available: one }) => (one ? percent(one.upMs, one.plannedMs) : DASH),
    note: ({ available: one, since, now }) =>
      one && since !== undefined
        ? `${one.contacts} contacts, ${one.missed} missed, since ${moment(since, now)}`
        : "",
    at: ({ since }) => since,
  },
  {
    name: "in",
    title: "In",
    value: ({ inBits }) => bitRate(inBits),
    note: ({ link }) => `${exactCount(link.inBundles)} bundles, ${bytes(link.inBytes)}`,
    when: ({ link }) => hasEnd(link, "in"),
  },
  {
    name: "out",
    title: "Out",
    value: ({ outBits }) => bitRate(outBits),
    note: ({ link }) => `${exactCount(link.outBundles)} bundles, ${bytes(link.outBytes)}`,
    when: ({ link }) => hasEnd(link, "out"),
  },
  {
    name: "limit",
    title: "Rate in force",
    value: ({ link }) => marked(link, limit(link)),
    note: used,
    when: ({ link }) => hasEnd(link, "out"),
  },
  {
    name: "light",
    title: "Light time in force",
    value: ({ link }) => marked(link, lightTime(link.lightTimeSeconds)),
    note: ({ link }) =>
      link.lightTimeSeconds ? `${lightTime(2 * link.lightTimeSeconds)} there and back` : "one way",
    when: ({ link }) => link.lightTimeSeconds !== undefined,
  },
  {
    name: "queued",
    title: "Queued",
    value: ({ link }) => queued(link),
    when: ({ link }) => hasEnd(link, "out"),
  },
  {
    name: "refused",
    title: "Refusals",
    value: ({ link }) =>
      link.refusedBundles === undefined && link.sendRefusedBundles === undefined
        ? DASH
        : exactCount((link.refusedBundles ?? 0) + (link.sendRefusedBundles ?? 0)),
    note: ({ link }) =>
      `${exactCount(link.refusedBundles)} by this node, ` +
      `${exactCount(link.sendRefusedBundles)} by the neighbour` +
      (link.neighbourRetriedInSeconds
        ? `; has no room, tried again in ${span(link.neighbourRetriedInSeconds * 1000)}`
        : ""),
  },
  {
    name: "sessions",
    title: "Sessions open",
    value: ({ link }) => exactCount(link.sessionsOpen ?? link.ltp?.sessions),
    note: ({ link }) =>
      link.sessionsOpened === undefined ? "" : `${exactCount(link.sessionsOpened)} opened in all`,
    when: ({ link }) => link.sessionsOpen !== undefined || link.ltp !== undefined,
  },
  {
    name: "retransmitted",
    title: "Retransmissions",
    value: ({ link }) => exactCount(link.ltp?.retransmittedSegments ?? 0),
    note: ({ link }) =>
      `segments, ${percent(link.ltp?.retransmittedSegments, link.ltp?.segmentsSent)} of those sent`,
    when: ({ link }) => link.ltp !== undefined,
  },
];

interface Parts {
  box: HTMLElement;
  value: HTMLElement;
  note: HTMLElement;
}

export class LinkFacts {
  readonly element = h("dl", { class: "figures facts-grid" });
  readonly overridden = h("p", { class: "quiet", hidden: true }, `* ${OVERRIDDEN}`);
  private readonly parts: [Fact, Parts][];

  constructor() {
    this.parts = FACTS.map((fact) => {
      const value = h("dd", { "data-fact": fact.name });
      const note = h("dd", { class: "quiet" });
      const box = h("div", {}, h("dt", {}, fact.title), value, note);
      this.element.append(box);
      return [fact, { box, value, note }];
    });
  }

  paint(of: LinkFigures): void {
    for (const [fact, { box, value, note }] of this.parts) {
      box.hidden = fact.when?.(of) === false;
      if (box.hidden) continue;
      setText(value, fact.value(of));
      setText(note, fact.note?.(of) ?? "");
      if (fact.at) setAttribute(value, "title", localTime(fact.at(of)));
    }
    this.overridden.hidden = of.link.overridden !== true;
  }
}
