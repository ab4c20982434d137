// SPDX-License-Identifier: Apache-2.0
// The counters of the LTP engines of links, as a table.
import type { LtpCounter } from "../api/counters";
import type { LinkState } from "../api/types";
import { bytes, exactCount } from "../format/units";
import { byNumber, linkName } from "../model/link_state";
import { h, setText } from "../ui/dom";
import { linkAddress } from "../ui/place";
import { Table, type Column } from "../ui/table/table";

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

export class LtpTable {
  readonly element: HTMLElement;
  private readonly table: Table<Row>;
  private keys = "-";

  constructor(label: string) {
    this.table = new Table<Row>(
      {
        label,
        narrow: "cards",
        search: ({ key, link }) => linkName(key, link),
        scroll: "wide",
      },
      [],
      "No LTP links.",
    );
    this.element = this.table.element;
  }

  update(links: Record<string, LinkState>): void {
    const all = Object.keys(links).sort((a, b) => byNumber(links[a]!, links[b]!));
    const found = new Set<LtpCounter>();
    for (const key of all)
      for (const counter of Object.keys(links[key]!.ltp ?? {})) found.add(counter as LtpCounter);
    const keys = [
      ...FIRST.filter((key) => found.has(key)),
      ...[...found].filter((key) => !FIRST.includes(key)).sort(),
    ];
    if (keys.join() !== this.keys) {
      this.keys = keys.join();
      this.table.setColumns(this.columns(keys));
    }
    this.table.update(all, (key) => ({ key, link: links[key]! }));
  }

  private columns(keys: LtpCounter[]): Column<Row>[] {
    const figures = keys.map((key): Column<Row> => ({
      name: key,
      title: title(key),
      figure: true,
      sort: ({ link }) => link.ltp?.[key],
      text: ({ link }) =>
        /bytes/i.test(key) ? bytes(link.ltp?.[key]) : exactCount(link.ltp?.[key]),
    }));
    return [
      {
        name: "link",
        title: "Link",
        head: true,
        sort: ({ link }) => link.number,
        fill: (cell, { key, link }, fresh) => {
          if (fresh) cell.append(h("a", { href: linkAddress(key) }));
          setText(cell.firstElementChild!, linkName(key, link));
        },
      },
      ...figures,
    ];
  }
}
