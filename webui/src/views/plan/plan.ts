// SPDX-License-Identifier: Apache-2.0
// The panel of the contact plan: the stretch of time shown, the drawing, and the contacts as a
// table.
import { until } from "../../format/time";
import { planSummary, timelineRows, type TimelineRow } from "../../model/timeline";
import { button, byId, h, setAttribute, setText } from "../../ui/dom";
import type { Context } from "../context";
import { ownNumber } from "../context";
import { openContactForm } from "./contact_form";
import { ContactTable } from "./contact_table";
import { openPlanUpload } from "./plan_upload";
import { Timeline } from "./timeline";

const HOUR = 3_600_000;
const SPANS: [string, number][] = [
  ["1 h", HOUR],
  ["6 h", 6 * HOUR],
  ["1 d", 24 * HOUR],
  ["1 w", 168 * HOUR],
];
// The share of the time window that is in the past.
const PAST_PART = 0.25;
const MOST_TABLE_ROWS = 5_000;

export class PlanView {
  private readonly timeline: Timeline;
  private readonly summary = h("p", { class: "quiet summary", id: "plan-summary" });
  private readonly spans: HTMLButtonElement[];
  private readonly upload: HTMLButtonElement;
  private readonly list = h("details", {}, h("summary", {}, "Contacts as a table"));
  private readonly table: ContactTable;
  private readonly more = h("p", { class: "quiet", hidden: true });
  private readonly add: HTMLButtonElement;
  private rows: TimelineRow[] = [];
  private shownKey = "";
  private length = HOUR;
  private offset = 0;

  constructor(private readonly context: Context) {
    this.timeline = new Timeline(context.store);
    this.spans = SPANS.map(([label, ms]) =>
      button(label, () => this.show(ms, 0), { "data-span": ms / HOUR }),
    );
    this.upload = button("Upload a plan…", () => openPlanUpload(context), { id: "plan-upload" });
    this.add = button("Add a contact…", () => openContactForm(context), { id: "contact-add" });
    this.table = new ContactTable(context, "Open and next contacts");
    const move = (label: string, sign: string, by: number) =>
      button(sign, () => this.show(this.length, this.offset + by * this.length), {
        "aria-label": label,
      });
    const panel = byId("plan");
    this.list.append(this.table.table.element, this.more);
    this.list.addEventListener("toggle", () => this.paint());
    panel.append(
      this.summary,
      h(
        "div",
        { class: "tools", role: "group", "aria-label": "Time shown" },
        h("span", { class: "segmented" }, ...this.spans),
        move("Earlier", "←", -0.5),
        button("Now", () => this.show(this.length, 0)),
        move("Later", "→", 0.5),
        h("span", { class: "commands" }, this.add, this.upload),
      ),
      this.timeline.element,
      legend(),
      this.list,
    );
    context.session.onChange(() => this.showTools());
    this.showTools();
    context.painter.add(panel, 1_000, () => this.paint());
  }

  private show(length: number, offset: number): void {
    this.length = length;
    this.offset = offset;
    this.showTools();
    this.paint();
  }

  private showTools(): void {
    this.spans.forEach((one, place) =>
      setAttribute(one, "aria-pressed", String(SPANS[place]![1] === this.length)),
    );
    this.upload.hidden = this.add.hidden = !this.context.session.operates;
  }

  private paint(): void {
    const { store } = this.context;
    const now = store.now();
    this.makeRows();
    const from = now - this.length * PAST_PART + this.offset;
    this.timeline.draw(this.rows, from, from + this.length, now);
    this.tell(now);
    if (this.list.open) this.fillTable(now);
  }

  private makeRows(): void {
    const { store } = this.context;
    const links = Object.keys(store.state.links ?? {}).join();
    const key = `${store.planLoads} ${links} ${ownNumber(this.context)}`;
    if (key === this.shownKey) return;
    this.shownKey = key;
    this.rows = timelineRows(store.contacts, ownNumber(this.context), store.state.links ?? {});
  }

  private tell(now: number): void {
    const { store } = this.context;
    if (!store.plan) {
      setText(this.summary, "No plan received yet.");
      return;
    }
    const { open, next } = planSummary(this.rows, now);
    const version = store.state.plan?.version ?? store.plan.plan?.version;
    const parts = [
      `version ${version ?? "unknown"}`,
      `${store.contacts.length} contacts`,
      `${open} open`,
    ];
    if (next !== undefined) parts.push(`next begins ${until(next, now)}`);
    const text = store.contacts.length
      ? parts.join(", ")
      : `version ${version ?? "unknown"}, no contacts`;
    setText(this.summary, text);
    this.timeline.describe(`Contact plan: ${text}. The same is in the table of contacts below.`);
  }

  private fillTable(now: number): void {
    const coming = this.rows
      .flatMap((row) => row.contacts)
      .filter(({ to }) => to > now)
      .sort((a, b) => a.from - b.from);
    this.table.update(coming.slice(0, MOST_TABLE_ROWS));
    this.more.hidden = coming.length <= MOST_TABLE_ROWS;
    setText(this.more, `The next ${MOST_TABLE_ROWS} of ${coming.length} are listed.`);
  }
}

const legend = (): HTMLElement =>
  h(
    "p",
    { class: "legend" },
    h("span", { class: "key planned" }, "planned"),
    h("span", { class: "key others" }, "of other nodes"),
    h("span", { class: "key actual" }, "up"),
    h("span", { class: "key missed" }, "planned, but not up"),
    h("span", { class: "key now" }, "now"),
    h("span", {}, "all times in UTC"),
  );
