// SPDX-License-Identifier: Apache-2.0
// The log of events, newest first, with a filter by level; and the alarms that have ended.
import type { Level, NodeEvent } from "../api/types";
import { byId, h, setText } from "../ui/dom";
import type { Context } from "./context";
import { EndedAlarms } from "./ended_alarms";
import { EventTable, LEVEL_RANK } from "./event_table";

const LEVELS: [Level, string][] = [
  ["info", "All"],
  ["warning", "Warnings and errors"],
  ["error", "Errors only"],
];

export class EventsView {
  private readonly table: EventTable;
  private readonly filter = h(
    "select",
    { id: "event-level" },
    ...LEVELS.map(([level, label]) => h("option", { value: level }, label)),
  );
  private readonly summary = h("span", { class: "quiet" });
  private shown = "";
  private wanted: NodeEvent[] = [];

  constructor(private readonly context: Context) {
    this.table = new EventTable(context, "Events, newest first");
    const panel = byId("events");
    panel.append(
      h(
        "div",
        { class: "tools" },
        h("label", { for: "event-level" }, "Show"),
        this.filter,
        this.summary,
      ),
      this.table.table.element,
      new EndedAlarms(context).element,
    );
    this.filter.addEventListener("change", () => this.paint());
    context.painter.add(panel, 250, () => this.paint());
  }

  private paint(): void {
    const log = this.context.store.events;
    const key = `${log.version} ${this.filter.value}`;
    if (key === this.shown) return;
    this.shown = key;
    const least = LEVEL_RANK[this.filter.value as Level];
    this.wanted = log.events.filter((one) => (LEVEL_RANK[one.level] ?? 0) >= least).reverse();
    this.table.update(this.wanted);
    setText(this.summary, `${this.wanted.length} of ${log.events.length}`);
  }
}
