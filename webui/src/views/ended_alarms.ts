// SPDX-License-Identifier: Apache-2.0
// The alarms that have ended, fetched when somebody wants to see them.
import { failureLines } from "../api/problem";
import type { Alarm } from "../api/types";
import { moment, parseTime, span } from "../format/time";
import { DASH } from "../format/units";
import { errorBox, showFault } from "../ui/dialog";
import { button, h, setClass, setText } from "../ui/dom";
import { Table, type Column } from "../ui/table/table";
import type { Context } from "./context";

const SIGN = { critical: "■", warning: "▲" };

export class EndedAlarms {
  readonly element: HTMLDetailsElement;
  private readonly fault = errorBox();
  private readonly table: Table<Alarm>;

  constructor(private readonly context: Context) {
    this.table = new Table(
      {
        label: "Alarms that have ended",
        narrow: "stacked",
        search: (one) => `${one.name} ${one.severity} ${one.text}`,
      },
      this.columns(),
      "No alarm has ended.",
    );
    this.element = h(
      "details",
      { id: "ended-alarms" },
      h("summary", {}, "Alarms that have ended"),
      this.fault,
      this.table.element,
      button("Fetch again", () => void this.fetch()),
    );
    this.element.addEventListener("toggle", () => {
      if (this.element.open) void this.fetch();
    });
  }

  private async fetch(): Promise<void> {
    showFault(this.fault, []);
    try {
      const { ended } = await this.context.rest.alarms();
      const byKey = new Map(ended.map((one) => [String(one.id), one]));
      this.table.update([...byKey.keys()], (key) => byKey.get(key)!);
    } catch (error) {
      showFault(this.fault, failureLines(error));
    }
  }

  private columns(): Column<Alarm>[] {
    const time = (text: string | undefined): string => {
      const at = parseTime(text);
      return at === undefined ? DASH : moment(at, this.context.store.now());
    };
    const length = (one: Alarm): number | undefined => {
      const [from, to] = [parseTime(one.since), parseTime(one.ended)];
      return from === undefined || to === undefined ? undefined : to - from;
    };
    return [
      {
        name: "since",
        title: "Began",
        sort: (one) => one.since,
        at: (one) => parseTime(one.since),
        text: (one) => time(one.since),
      },
      {
        name: "ended",
        title: "Ended",
        sort: (one) => one.ended,
        at: (one) => parseTime(one.ended),
        text: (one) => time(one.ended),
      },
      {
        name: "length",
        title: "Lasted",
        figure: true,
        sort: length,
        text: (one) => {
          const ms = length(one);
          return ms === undefined ? DASH : span(ms);
        },
      },
      {
        name: "severity",
        title: "Severity",
        sort: (one) => one.severity,
        fill: (cell, one) => {
          setClass(cell, `level ${one.severity === "critical" ? "error" : "warning"}`);
          setText(cell, `${SIGN[one.severity] ?? "▲"} ${one.severity}`);
        },
      },
      { name: "text", title: "Alarm", head: true, text: (one) => one.text },
    ];
  }
}
