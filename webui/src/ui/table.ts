// SPDX-License-Identifier: Apache-2.0
// A table whose rows are kept by key and whose cells change only when their text does.
import { h, setAttribute, setText } from "./dom";

export interface Column<Row> {
  name: string;
  title: string;
  /** Figures are aligned right. */
  figure?: boolean;
  /** The text of a cell, or a function that fills the cell. */
  text?(row: Row): string;
  fill?(cell: HTMLTableCellElement, row: Row, fresh: boolean): void;
  /** The cell that names its row. */
  head?: boolean;
}

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

export class Table<Row> {
  readonly element: HTMLTableElement;
  private readonly body: HTMLTableSectionElement;
  private readonly head: HTMLTableRowElement;
  private readonly rows = new Map<string, HTMLTableRowElement>();
  private columns: Column<Row>[] = [];
  private order = "";

  constructor(
    label: string,
    columns: Column<Row>[],
    private readonly empty: string,
  ) {
    this.head = h("tr", { role: ROLES.row });
    this.body = h("tbody", { role: ROLES.group });
    this.element = h(
      "table",
      { role: ROLES.table, "aria-label": label },
      h("thead", { role: ROLES.group }, this.head),
      this.body,
    );
    this.setColumns(columns);
  }

  setColumns(columns: Column<Row>[]): void {
    this.columns = columns;
    this.head.replaceChildren(
      ...columns.map((column) =>
        h(
          "th",
          { role: ROLES.head, scope: "col", class: column.figure ? "figure" : null },
          column.title,
        ),
      ),
    );
    this.rows.clear();
    this.body.replaceChildren();
    this.order = "";
  }

  row(key: string): HTMLTableRowElement | undefined {
    return this.rows.get(key);
  }

  update(entries: readonly (readonly [string, Row])[]): void {
    const order = entries.map(([key]) => key).join("\n");
    const moved = order !== this.order || this.body.childElementCount === 0;
    this.order = order;
    if (moved) this.dropRows(new Set(entries.map(([key]) => key)));
    for (const [key, row] of entries) {
      let line = this.rows.get(key);
      const fresh = !line;
      if (!line) this.rows.set(key, (line = this.makeRow(key)));
      this.columns.forEach((column, place) => {
        const cell = line.cells[place]!;
        if (column.fill) column.fill(cell, row, fresh);
        else setText(cell, column.text?.(row) ?? "");
      });
    }
    if (moved) this.place(entries);
  }

  private place(entries: readonly (readonly [string, Row])[]): void {
    const wanted = entries.map(([key]) => this.rows.get(key)!);
    if (wanted.length === 0) {
      const cell = h(
        "td",
        { role: ROLES.cell, class: "nothing", colspan: this.columns.length },
        this.empty,
      );
      this.body.replaceChildren(h("tr", { role: ROLES.row }, cell));
      return;
    }
    for (const line of [...this.body.rows]) if (!line.dataset["key"]) line.remove();
    wanted.forEach((line, place) => {
      const there = this.body.rows[place];
      if (there !== line) this.body.insertBefore(line, there ?? null);
    });
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
}
