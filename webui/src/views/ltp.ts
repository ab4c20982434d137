// SPDX-License-Identifier: Apache-2.0
// The counters of the LTP engines of links.
import type { LtpCounter } from "../api/counters";
import type { LinkState } from "../api/types";
import { bytes, exactCount } from "../format/units";
import { byNumber, linkName } from "../model/link_state";
import { byId, h } from "../ui/dom";
import { Table, type Column } from "../ui/table";
import type { Context } from "./context";

interface Row {
  key: string;
  link: LinkState;
}

// The first columns; all others follow by name.
const FIRST: readonly LtpCounter[] = [
  "sessions",
  "sessionsOutOpen",
  "sessionsInOpen",
  "blocksSent",
  "retransmittedSegments",
];

/** segmentsSent: "Segments sent". */
export function title(key: string): string {
  const words = key
    .replace(/(Bytes)$/, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export class LtpView {
  private readonly table = new Table<Row>("LTP sessions by link", [], "No LTP links.");
  private readonly panel = byId("ltp");
  private keys = "-";

  constructor(private readonly context: Context) {
    this.panel.append(
      h(
        "div",
        { class: "scroll", role: "region", tabindex: "0", "aria-label": "Table of LTP sessions" },
        this.table.element,
      ),
    );
    context.painter.add(this.panel, 500, () => this.paint());
  }

  private paint(): void {
    const links = Object.entries(this.context.store.state.links ?? {})
      .filter(([, link]) => link.ltp !== undefined)
      .sort(([, a], [, b]) => byNumber(a, b));
    const found = new Set(
      links.flatMap(([, link]) => Object.keys(link.ltp ?? {}) as LtpCounter[]),
    );
    const keys = [
      ...FIRST.filter((key) => found.has(key)),
      ...[...found].filter((key) => !FIRST.includes(key)).sort(),
    ];
    if (keys.join() !== this.keys) {
      this.keys = keys.join();
      this.table.setColumns(this.columns(keys));
    }
    this.table.update(links.map(([key, link]) => [key, { key, link }] as const));
  }

  private columns(keys: LtpCounter[]): Column<Row>[] {
    const figures = keys.map((key): Column<Row> => ({
      name: key,
      title: title(key),
      figure: true,
      text: ({ link }) =>
        /bytes/i.test(key) ? bytes(link.ltp?.[key]) : exactCount(link.ltp?.[key]),
    }));
    return [
      { name: "link", title: "Link", head: true, text: ({ key, link }) => linkName(key, link) },
      ...figures,
    ];
  }
}
