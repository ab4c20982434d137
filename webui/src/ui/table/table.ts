// SPDX-License-Identifier: Apache-2.0
// A table whose rows are kept by key and whose cells change only when their text does. Of many rows
// only those in sight are in the page. From ten rows on it is searched and sorted.
import { localTime } from "../../format/time";
import { h, setAttribute, setText } from "../dom";
import { orderedKeys, rowsInSight, type Column } from "./columns";
import { TableTools, type Sorting } from "./table_tools";

export type { Column } from "./columns";

// Explicit roles: on a narrow screen the style sheet shows rows as cards, and a browser would then
// no longer report them as a table.
const ROLES = {
  table: "table",
  group: "rowgroup",
  row: "row",
  head: "columnheader",
  rowHead: "rowheader",
  cell: "cell",
};
/** From so many rows on there are tools to search and sort. */
const TOOLS_FROM = 10;
/** Up to so many rows all are in the page. */
const MOST_WHOLE = 60;
const SPARE_ROWS = 12;
const FIRST_ROW_HEIGHT = 32;
/** What sorts by figures that change is put in order again so often. */
const ORDER_EVERY_MS = 1_000;
/** Cards and stacked rows have no heads to see: these are there for screen readers alone. */
const NARROW = matchMedia("(max-width: 640px)");

export interface TableOptions<Row> {
  label: string;
  /** What a row is searched by. */
  search?(row: Row): string;
  sorted?: Sorting;
  /** How it is laid out on a narrow screen. */
  narrow?: "cards" | "stacked";
  /** Further classes of the part that scrolls. */
  scroll?: string;
}

export class Table<Row> {
  readonly element: HTMLElement;
  private readonly table: HTMLTableElement;
  private readonly scroll: HTMLElement;
  private readonly tools: TableTools;
  private readonly body: HTMLTableSectionElement;
  private readonly head: HTMLTableRowElement;
  private readonly above = spacer();
  private readonly below = spacer();
  private readonly rows = new Map<string, HTMLTableRowElement>();
  private columns: Column<Row>[] = [];
  private sorting: Sorting;

  private keys: readonly string[] = [];
  private order: string[] = [];
  private orderDue = true;
  private orderedAt = 0;
  private rowOf: (key: string) => Row = () => {
    throw new Error("the table has no rows");
  };
  private rowHeight = 0;
  private top = 0;
  private height = 0;
  private placed = "";

  constructor(
    private readonly options: TableOptions<Row>,
    columns: Column<Row>[],
    private readonly empty: string,
  ) {
    const { label, search, narrow = "", scroll = "" } = options;
    this.sorting = options.sorted ?? { column: "", descending: false };
    this.head = h("tr", { role: ROLES.row });
    this.body = h("tbody", { role: ROLES.group });
    this.table = h(
      "table",
      { role: ROLES.table, "aria-label": label, class: narrow },
      h("thead", { role: ROLES.group }, this.head),
      this.body,
    );
    const lower = label.charAt(0).toLowerCase() + label.slice(1);
    this.scroll = h(
      "div",
      {
        class: `scroll ${scroll}`.trim(),
        role: "region",
        tabindex: "0",
        "aria-label": `Table of ${lower}`,
      },
      this.table,
    );
    this.tools = new TableTools(
      label,
      search !== undefined,
      () => this.reorder(),
      (sorting) => this.sort(sorting),
    );
    this.element = h("div", { class: "table-box" }, this.tools.element, this.scroll);
    this.scroll.addEventListener("scroll", () => this.scrolled(), { passive: true });
    new ResizeObserver(() => this.resized()).observe(this.scroll);
    this.setColumns(columns);
  }

  setColumns(columns: Column<Row>[]): void {
    this.columns = columns;
    this.head.replaceChildren(...columns.map((column) => this.headCell(column)));
    this.tools.setColumns(columns);
    this.rows.clear();
    this.body.replaceChildren();
    this.placed = "";
    this.rowHeight = 0;
    this.orderDue = true;
  }

  /** Shows a row for each key; a row is asked for only while in sight, or to find its place. */
  update(keys: readonly string[], rowOf: (key: string) => Row): void {
    this.rowOf = rowOf;
    if (!same(keys, this.keys)) {
      this.keys = keys;
      this.orderDue = true;
    }
    this.putInOrder();
    this.paint();
  }

  private headCell(column: Column<Row>): HTMLElement {
    const content = column.sort
      ? h("button", { type: "button", class: "sort" }, column.title)
      : column.title;
    if (typeof content !== "string")
      content.addEventListener("click", () => {
        const again = this.sorting.column === column.name;
        this.sort({
          column: column.name,
          descending: again ? !this.sorting.descending : column.figure === true,
        });
      });
    return h(
      "th",
      {
        role: ROLES.head,
        scope: "col",
        class: column.figure ? "figure" : null,
        "data-head": column.name,
      },
      content,
    );
  }

  private sort(sorting: Sorting): void {
    this.sorting = sorting;
    this.reorder();
  }

  private reorder(): void {
    this.orderDue = true;
    this.scroll.scrollTop = this.top = 0;
    this.putInOrder();
    this.paint();
  }

  private putInOrder(): void {
    const now = performance.now();
    const by = this.columns.find((one) => one.name === this.sorting.column)?.sort;
    const { filter } = this.tools;
    const moves = (by !== undefined || filter !== "") && now - this.orderedAt > ORDER_EVERY_MS;
    if (!this.orderDue && !moves) return;
    this.orderDue = false;
    this.orderedAt = now;
    this.order = orderedKeys(this.keys, this.rowOf, {
      filter,
      search: this.options.search,
      sort: by,
      descending: this.sorting.descending,
    });
    this.showTools();
  }

  private showTools(): void {
    const many = this.keys.length;
    this.tools.show(this.sorting, this.order.length, many, many >= TOOLS_FROM);
    for (const cell of this.head.cells) {
      const sorted = cell.dataset["head"] === this.sorting.column && this.sorting.column !== "";
      const way = this.sorting.descending ? "descending" : "ascending";
      setAttribute(cell, "aria-sort", sorted ? way : null);
      const control = cell.querySelector("button");
      if (!control) continue;
      control.disabled = many < TOOLS_FROM;
      control.tabIndex = this.options.narrow && NARROW.matches ? -1 : 0;
    }
    const virtual = this.order.length > MOST_WHOLE;
    setAttribute(this.table, "aria-rowcount", virtual ? this.order.length + 1 : null);
  }

  private paint(): void {
    const { order } = this;
    const whole = order.length <= MOST_WHOLE;
    const height = this.rowHeight || FIRST_ROW_HEIGHT;
    const { first, end } = whole
      ? { first: 0, end: order.length }
      : rowsInSight(order.length, height, this.top, this.height, SPARE_ROWS);
    const shown = order.slice(first, end);
    const mark = `${first} ${order.length} ${height} ${shown.join("\n")}`;
    const moved = mark !== this.placed;
    if (moved) this.dropRows(new Set(shown));
    for (const key of shown) this.fillRow(key);
    if (!moved) return;
    this.placed = mark;
    this.place(shown, first);
    setHeight(this.above, first * height);
    setHeight(this.below, (order.length - end) * height);
    if (!whole && this.rowHeight === 0) this.measure(shown);
  }

  private fillRow(key: string): void {
    const row = this.rowOf(key);
    let line = this.rows.get(key);
    const fresh = !line;
    if (!line) this.rows.set(key, (line = this.makeRow(key)));
    for (let place = 0; place < this.columns.length; place += 1) {
      const column = this.columns[place]!;
      const cell = line.cells[place]!;
      if (column.fill) column.fill(cell, row, fresh);
      else setText(cell, column.text?.(row) ?? "");
      if (column.at) setAttribute(cell, "title", localTime(column.at(row)));
    }
  }

  private place(shown: readonly string[], first: number): void {
    const focused = document.activeElement;
    if (shown.length === 0) {
      const text = this.keys.length ? "No row matches the search." : this.empty;
      const cell = h(
        "td",
        { role: ROLES.cell, class: "nothing", colspan: this.columns.length },
        text,
      );
      this.body.replaceChildren(h("tr", { role: ROLES.row }, cell));
      return;
    }
    const virtual = this.order.length > MOST_WHOLE;
    const wanted: HTMLTableRowElement[] = shown.map((key, place) => {
      const line = this.rows.get(key)!;
      setAttribute(line, "aria-rowindex", virtual ? first + place + 2 : null);
      return line;
    });
    if (virtual) {
      wanted.unshift(this.above);
      wanted.push(this.below);
    }
    wanted.forEach((line, place) => {
      const there = this.body.rows[place];
      if (there !== line) this.body.insertBefore(line, there ?? null);
    });
    while (this.body.rows.length > wanted.length) this.body.deleteRow(-1);
    // A row that is moved loses the focus.
    if (focused instanceof HTMLElement && focused !== document.activeElement)
      if (this.body.contains(focused)) focused.focus({ preventScroll: true });
  }

  private dropRows(wanted: Set<string>): void {
    for (const [key, line] of this.rows) {
      if (wanted.has(key)) continue;
      line.remove();
      this.rows.delete(key);
    }
  }

  private makeRow(key: string): HTMLTableRowElement {
    const line = h("tr", { role: ROLES.row, "data-key": key });
    for (const column of this.columns) {
      const cell = column.head
        ? h("th", { role: ROLES.rowHead, scope: "row" })
        : h("td", { role: ROLES.cell });
      setAttribute(cell, "data-cell", column.name);
      setAttribute(cell, "data-label", column.title);
      if (column.figure) cell.className = "figure";
      line.append(cell);
    }
    return line;
  }

  /** How high a row is in the middle, for those that are not in the page. */
  private measure(shown: readonly string[]): void {
    const first = this.rows.get(shown[0]!)?.getBoundingClientRect();
    const last = this.rows.get(shown.at(-1)!)?.getBoundingClientRect();
    this.height = this.scroll.clientHeight;
    const height = first && last ? (last.bottom - first.top) / shown.length : 0;
    if (!(height > 0)) return;
    this.rowHeight = height;
    this.paint();
  }

  private scrolled(): void {
    this.top = this.scroll.scrollTop;
    if (this.order.length > MOST_WHOLE) this.paint();
  }

  private resized(): void {
    this.height = this.scroll.clientHeight;
    this.rowHeight = 0;
    this.placed = "";
    this.showTools();
    if (this.order.length > MOST_WHOLE) this.paint();
  }
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((key, place) => key === b[place]));

const spacer = (): HTMLTableRowElement =>
  h("tr", { class: "spacer", "aria-hidden": "true" }, h("td"));

function setHeight(line: HTMLTableRowElement, height: number): void {
  const text = `${Math.round(height)}px`;
  const cell = line.cells[0]!;
  if (cell.style.height !== text) cell.style.height = text;
}
