// SPDX-License-Identifier: Apache-2.0
// The log of events, newest first, with a filter by level.
import type { Level, NodeEvent } from "../api/types";
import { moment, parseTime } from "../format/time";
import { DASH } from "../format/units";
import { byId, h, setClass, setText } from "../ui/dom";
import { Table } from "../ui/table";
import type { Context } from "./context";

const MOST_ROWS = 200;
const SIGNS: Record<Level, string> = { info: "·", warning: "▲", error: "■" };
const RANK: Record<Level, number> = { info: 0, warning: 1, error: 2 };
const LEVELS: [Level, string][] = [
  ["info", "All"],
  ["warning", "Warnings and errors"],
  ["error", "Errors only"],
];

export class EventsView {
  private readonly table: Table<NodeEvent>;
  private readonly filter = h(
    "select",
    { id: "event-level" },
    ...LEVELS.map(([level, label]) => h("option", { value: level }, label)),
  );
  private readonly summary = h("span", { class: "quiet" });
  private shown = "";

  constructor(private readonly context: Context) {
    this.table = new Table<NodeEvent>(
      "Events, newest first",
      [
        {
          name: "time",
          title: "Time",
          text: (one) => {
            const at = parseTime(one.time);
            return at === undefined ? DASH : moment(at, context.store.now());
          },
        },
        {
          name: "level",
          title: "Level",
          fill: (cell, one) => {
            setClass(cell, `level ${one.level}`);
            setText(cell, `${SIGNS[one.level] ?? "·"} ${one.level}`);
          },
        },
        { name: "module", title: "Module", text: (one) => one.module ?? DASH },
        { name: "text", title: "Event", head: true, text: (one) => one.text },
      ],
      "No events.",
    );
    this.table.element.classList.add("stacked");
    const panel = byId("events");
    panel.append(
      h(
        "div",
        { class: "tools" },
        h("label", { for: "event-level" }, "Show"),
        this.filter,
        this.summary,
      ),
      h(
        "div",
        { class: "scroll log", role: "region", tabindex: "0", "aria-label": "Table of events" },
        this.table.element,
      ),
    );
    this.filter.addEventListener("change", () => this.paint());
    context.painter.add(panel, 250, () => this.paint());
  }

  private paint(): void {
    const log = this.context.store.events;
    const key = `${log.version} ${this.filter.value}`;
    if (key === this.shown) return;
    this.shown = key;
    const least = RANK[this.filter.value as Level];
    const wanted = log.events
      .filter((one) => (RANK[one.level] ?? 0) >= least)
      .slice(-MOST_ROWS)
      .reverse();
    this.table.update(wanted.map((one) => [String(one.id), one] as const));
    setText(this.summary, `${wanted.length} of ${log.events.length}`);
  }
}
