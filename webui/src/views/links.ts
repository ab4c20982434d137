// SPDX-License-Identifier: Apache-2.0
// The table of links: state, rates, contact, queue; and the commands up and down for operators.
import type { LinkState } from "../api/types";
import { moment, parseTime, span } from "../format/time";
import { bitRate, bytes, DASH, exactCount, lightTime } from "../format/units";
import {
  byNumber,
  linkName,
  linkWord,
  WORD_CLASS,
  WORD_SIGN,
  type LinkWord,
} from "../model/link_state";
import { ask } from "../ui/dialog";
import { button, byId, h, setAttribute, setClass, setText } from "../ui/dom";
import { Table, type Column } from "../ui/table";
import type { Context } from "./context";

type Row = { key: string; link: LinkState };

const OVERRIDDEN =
  "The operator has set the rate or the light time of this link, which overrides the plan" +
  " until it is reset, the link is changed, or the node restarts.";

const DIRECTION = { in: "in", out: "out", both: "in and out" };

export class LinksView {
  private readonly table: Table<Row>;
  private readonly summary = h("p", { class: "quiet summary" });
  private readonly overridden = h("p", { class: "quiet", hidden: true }, `* ${OVERRIDDEN}`);
  private readonly words = new Map<string, LinkWord>();

  constructor(private readonly context: Context) {
    this.table = new Table("Links", this.columns(), "No links yet.");
    this.table.element.classList.add("cards");
    const scroll = h(
      "div",
      { class: "scroll", role: "region", "aria-label": "Table of links", tabindex: "0" },
      this.table.element,
    );
    const panel = byId("links");
    panel.append(this.summary, scroll, this.overridden);
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
    const entries = Object.entries(this.context.store.state.links ?? {})
      .sort(([, a], [, b]) => byNumber(a, b))
      .map(([key, link]) => [key, { key, link }] as const);
    this.table.update(entries);
    const tally = new Map<LinkWord, number>();
    for (const [, { link }] of entries)
      tally.set(linkWord(link), (tally.get(linkWord(link)) ?? 0) + 1);
    this.overridden.hidden = !entries.some(([, { link }]) => link.overridden);
    setText(this.summary, [...tally].map(([word, many]) => `${many} ${word}`).join(", "));
  }

  private columns(): Column<Row>[] {
    const { store } = this.context;
    const rate =
      (end: "in" | "out") =>
      ({ key, link }: Row) =>
        hasEnd(link, end) ? bitRate(store.bitRate(`link.${key}.${end}`)) : DASH;
    return [
      { name: "link", title: "Link", head: true, fill: (cell, row) => fillName(cell, row) },
      { name: "state", title: "State", fill: (cell, { link }) => fillState(cell, link) },
      { name: "inRate", title: "In", figure: true, text: rate("in") },
      { name: "outRate", title: "Out", figure: true, text: rate("out") },
      {
        name: "queued",
        title: "Queued",
        figure: true,
        text: ({ link }) => (hasEnd(link, "out") ? queued(link) : DASH),
      },
      { name: "contact", title: "Contact", text: ({ link }) => contact(link, store.now()) },
      {
        name: "limit",
        title: "Limit",
        figure: true,
        fill: (cell, { link }) =>
          fillSaid(cell, link, link.rateBitsPerSec === 0 ? "none" : bitRate(link.rateBitsPerSec)),
      },
      {
        name: "light",
        title: "Light time",
        figure: true,
        fill: (cell, { link }) => fillSaid(cell, link, lightTime(link.lightTimeSeconds)),
      },
      {
        name: "inBundles",
        title: "Bundles in",
        figure: true,
        text: ({ link }) => (hasEnd(link, "in") ? exactCount(link.inBundles) : DASH),
      },
      {
        name: "outBundles",
        title: "Bundles out",
        figure: true,
        text: ({ link }) => (hasEnd(link, "out") ? exactCount(link.outBundles) : DASH),
      },
      { name: "layer", title: "Layer", text: ({ link }) => layer(link) },
      {
        name: "command",
        title: "Command",
        fill: (cell, row, fresh) => this.fillCommand(cell, row, fresh),
      },
    ];
  }

  private fillCommand(cell: HTMLElement, row: Row, fresh: boolean): void {
    if (fresh) cell.append(button("", () => this.askFor(row.key)));
    const control = cell.querySelector("button")!;
    const down = row.link.enabled !== false;
    setText(control, down ? "Take down" : "Let up");
    setAttribute(
      control,
      "aria-label",
      `${down ? "Take down" : "Let up"} link ${row.link.name ?? row.key}`,
    );
    // A link that only listens follows no plan, and operators cannot take it down.
    control.hidden = !this.context.session.operates || row.link.enabled === undefined;
  }

  private askFor(key: string): void {
    const link = this.context.store.state.links?.[key];
    if (!link) return;
    const name = `link ${link.name ?? key}`;
    const to = link.neighbour ? ` to node ${link.neighbour}` : "";
    const up = link.enabled === false;
    ask({
      title: up ? `Let ${name} up?` : `Take ${name} down?`,
      body: up
        ? [`${name}${to} follows the contact plan again.`]
        : [
            `${name}${to} stays down, also during contacts,` +
              " until you let it up or the node restarts.",
            "Waiting bundles take another route, or stay in storage.",
          ],
      confirm: up ? "Let up" : "Take down",
      danger: !up,
      act: async () => {
        await this.context.rest.setLink(key, up);
      },
    });
  }
}

function fillName(cell: HTMLElement, { key, link }: Row): void {
  setText(
    cell,
    link.neighbour ? `${link.name ?? key} → node ${link.neighbour}` : linkName(key, link),
  );
  if (link.address) setAttribute(cell, "title", link.address);
}

function fillState(cell: HTMLElement, link: LinkState): void {
  const word = linkWord(link);
  setClass(cell, `state ${WORD_CLASS[word]}`);
  // For a link that is up again, the reason is that of its last failure.
  const lasts = word === "not connected" || word === "not proved" || link.direction === "in";
  const reason = link.reason && lasts ? `: ${link.reason}` : "";
  setText(cell, `${WORD_SIGN[word]} ${word}${reason}`);
}

/** A figure that the operator may override, with farlinkctl's mark when it is overridden. */
function fillSaid(cell: HTMLElement, link: LinkState, figure: string): void {
  setText(cell, link.overridden ? `${figure} *` : figure);
  setAttribute(cell, "title", link.overridden ? OVERRIDDEN : null);
}

/** A one-way link has no figures of the other direction. */
const hasEnd = (link: LinkState, end: "in" | "out"): boolean =>
  !link.direction || link.direction === "both" || link.direction === end;

const queued = (link: LinkState): string =>
  link.queuedBundles === undefined
    ? DASH
    : link.queuedBundles === 0
      ? "0"
      : `${exactCount(link.queuedBundles)} · ${bytes(link.queuedBytes)}`;

const layer = (link: LinkState): string =>
  [link.layer, link.direction ? DIRECTION[link.direction] : ""].filter(Boolean).join(", ") || DASH;

function contact(link: LinkState, now: number): string {
  const ends = parseTime(link.ends);
  const next = parseTime(link.nextContact);
  if (link.planned && ends !== undefined) return `ends in ${span(ends - now)}`;
  if (link.planned === undefined) return DASH;
  if (link.planned) return "open";
  return next === undefined ? "none" : `in ${span(next - now)}, ${moment(next, now)}`;
}
