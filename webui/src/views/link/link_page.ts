// SPDX-License-Identifier: Apache-2.0
// The page of one link: its figures and rates, its peers, its contacts, its events.
import type { LinkState } from "../../api/types";
import { availability, type Availability } from "../../model/availability";
import { linkSeries } from "../../model/link_names";
import type { TimelineRow } from "../../model/timeline";
import { button, byId, h, setAttribute, setText } from "../../ui/dom";
import type { Place } from "../../ui/place";
import type { Context } from "../context";
import { ownNumber } from "../context";
import { OldFigures } from "../old_figures";
import { EventTable } from "../event_table";
import { LtpTable } from "../ltp_table";
import { openContactForm } from "../plan/contact_form";
import { ContactTable, type TimedContact } from "../plan/contact_table";
import { ChartPair, type End } from "../rates/chart_pair";
import type { Series } from "../rates/rate_chart";
import { fillState, hasEnd, linkTitle } from "./link_cells";
import { askLinkCommand } from "./link_command";
import { LinkFacts } from "./link_facts";
import { PeerTable } from "./peer_table";

const MOST_PAST = 20;
const MOST_EVENTS = 200;

export class LinkPage {
  private readonly section = byId("link-page");
  private readonly title = h("h2", { id: "link-title", tabindex: "-1" });
  private readonly state = h("p", { class: "state" });
  private readonly gone = h("p", { class: "nothing", hidden: true }, "This node has no such link.");
  private readonly content = h("div", { class: "link-content" });
  private readonly command: HTMLButtonElement;
  private readonly addContact: HTMLButtonElement;
  private readonly facts = new LinkFacts();
  private readonly old = new OldFigures(["ingress", "egress"]);
  private readonly pair: ChartPair;
  private readonly peers: PeerTable;
  private readonly contacts: ContactTable;
  private readonly contactsSummary = h("span", { class: "quiet" });
  private readonly events: EventTable;
  private readonly ltp = new LtpTable("LTP counters of this link");
  private readonly ltpBox: HTMLElement;
  private own: TimelineRow["contacts"] = [];
  private all: TimedContact[] = [];
  private contactsMark = "";

  constructor(
    private readonly context: Context,
    private readonly place: Place,
  ) {
    this.command = button("", () => askLinkCommand(context, this.key));
    this.addContact = button("Add a contact…", () =>
      openContactForm(context, undefined, this.link?.neighbour ?? undefined),
    );
    this.pair = new ChartPair(context, "link-rates", (end) => this.series(end));
    this.peers = new PeerTable(context);
    this.contacts = new ContactTable(context, "Contacts of this link");
    this.events = new EventTable(context, "Events of this link");
    this.ltpBox = part("LTP", this.ltp.element);
    this.content.append(
      this.old.element,
      this.facts.element,
      this.facts.overridden,
      h("section", { class: "part" }, h("h3", {}, "Data rates"), this.pair.tools, this.pair.charts),
      part("Peers", this.peers.element),
      h(
        "section",
        { class: "part" },
        h(
          "div",
          { class: "tools" },
          h("h3", {}, "Contacts"),
          this.contactsSummary,
          this.addContact,
        ),
        this.contacts.table.element,
      ),
      this.ltpBox,
      part("Events", this.events.table.element),
    );
    this.section.append(
      h(
        "div",
        { class: "tools" },
        h("a", { href: "#links", class: "back" }, "← All panels"),
        this.title,
        this.state,
        this.command,
      ),
      this.gone,
      this.content,
    );
    place.onChange(() => this.show(true));
    this.show(false);
    context.painter.add(this.section, 200, (now) => this.paint(now));
  }

  /** What the title of the tab says. */
  get name(): string {
    return this.place.link === undefined ? "" : `link ${this.link?.name ?? this.place.link}`;
  }

  private get key(): string {
    return this.place.link ?? "";
  }

  private get link(): LinkState | undefined {
    return this.context.store.state.links?.[this.key];
  }

  private show(moved: boolean): void {
    const open = this.place.link !== undefined;
    this.section.hidden = !open;
    document.body.classList.toggle("one-link", open);
    if (!open) return;
    this.contactsMark = "";
    this.pair.rebuild();
    this.context.painter.now();
    if (!moved) return;
    scrollTo({ top: 0 });
    this.title.focus({ preventScroll: true });
  }

  private series(end: End): Series[] {
    const { link } = this;
    if (this.place.link === undefined || (link && !hasEnd(link, end))) return [];
    const name = linkSeries(this.key)[end];
    return [{ name, label: `link ${link?.name ?? this.key}`, colour: "--line-total", total: true }];
  }

  private paint(nowMs: number): void {
    if (this.section.hidden) return;
    const { link } = this;
    const { store, session } = this.context;
    setText(this.title, link ? `Link ${linkTitle(this.key, link)}` : `Link ${this.key}`);
    this.gone.hidden = link !== undefined || store.state.links === undefined;
    this.content.hidden = this.state.hidden = link === undefined;
    this.command.hidden = !session.operates || link?.enabled === undefined;
    this.addContact.hidden = !session.operates || !link?.neighbour;
    if (!link) return;
    setText(this.command, link.enabled === false ? "Let up" : "Take down");
    fillState(this.state, link);
    this.old.paint(store.state);
    this.readContacts(link);
    const names = linkSeries(this.key);
    this.facts.paint({
      link,
      now: store.now(),
      inBits: store.bitRate(names.in),
      outBits: store.bitRate(names.out),
      available: this.available(),
      since: store.actual.since,
    });
    this.pair.paint(nowMs);
    this.peers.update(this.key, link);
    this.fillContacts();
    this.ltpBox.hidden = link.ltp === undefined;
    if (link.ltp) this.ltp.update({ [this.key]: link });
    const events = store.events.events.filter((one) => String(one.link) === this.key);
    this.events.update(events.slice(-MOST_EVENTS).reverse());
  }

  private readContacts(link: LinkState): void {
    const { store } = this.context;
    const mark = `${this.key} ${store.planLoads} ${link.neighbour ?? ""}`;
    if (mark === this.contactsMark) return;
    this.contactsMark = mark;
    const own = ownNumber(this.context);
    const timed = store.contacts
      .filter(
        ({ source, dest }) =>
          link.neighbour &&
          ((source === own && dest === link.neighbour) ||
            (dest === own && source === link.neighbour)),
      )
      .map((contact) => ({
        from: Date.parse(contact.startTime),
        to: Date.parse(contact.endTime),
        contact,
      }))
      .filter(({ from, to }) => from < to)
      .sort((a, b) => a.from - b.from);
    this.all = timed;
    this.own = timed.filter(({ contact }) => contact.source === own);
  }

  private available(): Availability | undefined {
    const { store } = this.context;
    const { since } = store.actual;
    if (since === undefined) return undefined;
    const planned = this.own.length ? this.own : undefined;
    return availability(planned, store.actual.of(this.key), since, store.now());
  }

  private fillContacts(): void {
    const now = this.context.store.now();
    const first = this.all.findIndex(({ to }) => to > now);
    const begin = Math.max(0, (first < 0 ? this.all.length : first) - MOST_PAST);
    this.contacts.update(this.all.slice(begin));
    const coming = first < 0 ? 0 : this.all.length - first;
    setText(
      this.contactsSummary,
      this.all.length
        ? `${coming} open or to come, ${this.all.length - coming} ended`
        : "none in the plan: the link is planned permanently",
    );
    setAttribute(this.contacts.table.element, "hidden", this.all.length ? null : "");
  }
}

const part = (title: string, content: HTMLElement): HTMLElement =>
  h("section", { class: "part" }, h("h3", {}, title), content);
