// SPDX-License-Identifier: Apache-2.0
// The table of links: state, rates, contact, queue; and the commands up and down for operators.
import type { LinkState } from "../../api/types";
import { bitRate, DASH, exactCount, lightTime } from "../../format/units";
import { linkSeries } from "../../model/link_names";
import { byNumber, claimOf, linkWord, type LinkWord } from "../../model/link_state";
import { button, byId, h, setAttribute, setText } from "../../ui/dom";
import { linkAddress } from "../../ui/place";
import { Table, type Column } from "../../ui/table/table";
import type { Context } from "../context";
import { OldFigures } from "../old_figures";
import {
  contact,
  contactTime,
  fillState,
  hasEnd,
  layer,
  limit,
  linkTitle,
  OVERRIDDEN,
  queued,
  stateText,
} from "./link_cells";
import { askLinkCommand } from "./link_command";

interface Row {
  key: string;
  link: LinkState;
}

/** Those in trouble first when the table is sorted by state. */
const STATE_RANK: Record<LinkWord, number> = {
  "not proved": 0,
  "not connected": 1,
  "down by operator": 2,
  unknown: 3,
  "no contact": 4,
  up: 5,
};

export class LinksView {
  private readonly table: Table<Row>;
  private readonly summary = h("p", { class: "quiet summary" });
  private readonly old = new OldFigures(["ingress", "egress"]);
  private readonly overridden = h("p", { class: "quiet", hidden: true }, `* ${OVERRIDDEN}`);
  private readonly words = new Map<string, LinkWord>();
  private keys: string[] = [];

  constructor(private readonly context: Context) {
    const search = ({ key, link }: Row): string =>
      [
        linkTitle(key, link),
        link.neighbour ? `ipn:${link.neighbour}` : (claimOf(link) ?? ""),
        stateText(link),
        link.address ?? "",
        layer(link),
      ].join(" ");
    this.table = new Table(
      { label: "Links", search, narrow: "cards" },
      this.columns(),
      "No links yet.",
    );
    const panel = byId("links");
    panel.append(this.summary, this.old.element, this.table.element, this.overridden);
    context.painter.add(panel, 250, () => this.paint());
  }

  /** Announces links whose state has changed since the last call. */
  announceChanges(): void {
    const links = this.context.store.state.links ?? {};
    const first = this.words.size === 0;
    for (const [key, link] of Object.entries(links)) {
      const word = linkWord(link);
      if (!first && this.words.get(key) !== word)
        this.context.announcer.say(`Link ${link.name ?? key} is ${word}`);
      this.words.set(key, word);
    }
    for (const key of this.words.keys()) if (!(key in links)) this.words.delete(key);
  }

  private paint(): void {
    this.old.paint(this.context.store.state);
    const links = this.context.store.state.links ?? {};
    const keys = Object.keys(links);
    const known = new Set(this.keys);
    if (keys.length !== this.keys.length || keys.some((key) => !known.has(key)))
      this.keys = keys.sort((a, b) => byNumber(links[a]!, links[b]!));
    this.table.update(this.keys, (key) => ({ key, link: links[key]! }));
    const tally = new Map<LinkWord, number>();
    let overridden = false;
    for (const key of keys) {
      const link = links[key]!;
      const word = linkWord(link);
      tally.set(word, (tally.get(word) ?? 0) + 1);
      overridden ||= link.overridden === true;
    }
    this.overridden.hidden = !overridden;
    setText(this.summary, [...tally].map(([word, many]) => `${many} ${word}`).join(", "));
  }

  private columns(): Column<Row>[] {
    const { store } = this.context;
    const rate = (name: string, title: string, end: "in" | "out"): Column<Row> => {
      const of = ({ key, link }: Row): number | undefined =>
        hasEnd(link, end) ? store.bitRate(linkSeries(key)[end]) : undefined;
      return { name, title, figure: true, sort: of, text: (row) => bitRate(of(row)) };
    };
    const total = (
      name: "inBundles" | "outBundles",
      title: string,
      end: "in" | "out",
    ): Column<Row> => {
      const of = ({ link }: Row) => (hasEnd(link, end) ? link[name] : undefined);
      return { name, title, figure: true, sort: of, text: (row) => exactCount(of(row)) };
    };
    return [
      {
        name: "link",
        title: "Link",
        head: true,
        sort: ({ link }) => link.number,
        fill: fillName,
      },
      {
        name: "state",
        title: "State",
        sort: ({ link }) => STATE_RANK[linkWord(link)],
        fill: (cell, { link }) => fillState(cell, link),
      },
      rate("inRate", "In", "in"),
      rate("outRate", "Out", "out"),
      {
        name: "queued",
        title: "Queued",
        figure: true,
        sort: ({ link }) => link.queuedBytes,
        text: ({ link }) => (hasEnd(link, "out") ? queued(link) : DASH),
      },
      {
        name: "contact",
        title: "Contact",
        sort: ({ link }) => contactTime(link),
        at: ({ link }) => contactTime(link),
        text: ({ link }) => contact(link, store.now()),
      },
      {
        name: "limit",
        title: "Limit",
        figure: true,
        sort: ({ link }) => link.rateBitsPerSec,
        fill: (cell, { link }) => fillSaid(cell, link, limit(link)),
      },
      {
        name: "light",
        title: "Light time",
        figure: true,
        sort: ({ link }) => link.lightTimeSeconds,
        fill: (cell, { link }) => fillSaid(cell, link, lightTime(link.lightTimeSeconds)),
      },
      total("inBundles", "Bundles in", "in"),
      total("outBundles", "Bundles out", "out"),
      {
        name: "layer",
        title: "Layer",
        sort: ({ link }) => link.layer,
        text: ({ link }) => layer(link),
      },
      {
        name: "command",
        title: "Command",
        fill: (cell, row, fresh) => this.fillCommand(cell, row, fresh),
      },
    ];
  }

  private fillCommand(cell: HTMLElement, row: Row, fresh: boolean): void {
    if (fresh) cell.append(button("", () => askLinkCommand(this.context, row.key)));
    const control = cell.querySelector("button")!;
    const word = row.link.enabled === false ? "Let up" : "Take down";
    setText(control, word);
    setAttribute(control, "aria-label", `${word} link ${row.link.name ?? row.key}`);
    control.hidden = !this.context.session.operates || row.link.enabled === undefined;
  }
}

function fillName(cell: HTMLElement, { key, link }: Row, fresh: boolean): void {
  if (fresh) cell.append(h("a", { href: linkAddress(key) }));
  const anchor = cell.querySelector("a")!;
  setText(anchor, linkTitle(key, link));
  setAttribute(anchor, "title", link.address ? `${link.address}: page of this link` : null);
}

/** A figure that the operator may override, with farlinkctl's mark when it is overridden. */
function fillSaid(cell: HTMLElement, link: LinkState, figure: string): void {
  setText(cell, link.overridden ? `${figure} *` : figure);
  setAttribute(cell, "title", link.overridden ? OVERRIDDEN : null);
}
