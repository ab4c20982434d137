// SPDX-License-Identifier: Apache-2.0
// Events as a table, newest first.
import type { Level, NodeEvent } from "../api/types";
import { moment, parseTime } from "../format/time";
import { DASH } from "../format/units";
import { setClass, setText } from "../ui/dom";
import { Table } from "../ui/table/table";
import type { Context } from "./context";

const SIGNS: Record<Level, string> = { info: "·", warning: "▲", error: "■" };
export const LEVEL_RANK: Record<Level, number> = { info: 0, warning: 1, error: 2 };

export class EventTable {
  readonly table: Table<NodeEvent>;

  constructor(context: Context, label: string) {
    this.table = new Table<NodeEvent>(
      {
        label,
        narrow: "stacked",
        scroll: "log",
        search: (one) => `${one.time} ${one.level} ${one.module ?? ""} ${one.text}`,
      },
      [
        {
          name: "time",
          title: "Time",
          sort: (one) => one.id,
          at: (one) => parseTime(one.time),
          text: (one) => {
            const at = parseTime(one.time);
            return at === undefined ? DASH : moment(at, context.store.now());
          },
        },
        {
          name: "level",
          title: "Level",
          sort: (one) => LEVEL_RANK[one.level],
          fill: (cell, one) => {
            setClass(cell, `level ${one.level}`);
            setText(cell, `${SIGNS[one.level] ?? "·"} ${one.level}`);
          },
        },
        {
          name: "module",
          title: "Module",
          sort: (one) => one.module,
          text: (one) => one.module ?? DASH,
        },
        { name: "text", title: "Event", head: true, text: (one) => one.text },
      ],
      "No events.",
    );
  }

  /** Newest first. */
  update(events: readonly NodeEvent[]): void {
    const byKey = new Map(events.map((one) => [String(one.id), one]));
    this.table.update([...byKey.keys()], (key) => byKey.get(key)!);
  }
}
