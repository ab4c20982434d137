// SPDX-License-Identifier: Apache-2.0
// What a table is made of: its columns, and the order of its rows. No page is needed here.

/** Values of one column are of one kind; unknown ones follow behind, in either direction. */
export type SortValue = number | string | null | undefined;

export interface Column<Row> {
  name: string;
  title: string;
  /** Figures are aligned right. */
  figure?: boolean;
  /** The text of a cell, or a function that fills the cell. */
  text?(row: Row): string;
  fill?(cell: HTMLTableCellElement, row: Row, fresh: boolean): void;
  /** The moment that the cell names, in milliseconds: its local time is shown on hover. */
  at?(row: Row): number | undefined;
  /** The column can be sorted by this. */
  sort?(row: Row): SortValue;
  /** The cell that names its row. */
  head?: boolean;
}

export interface Order<Row> {
  /** Lower case; empty: every row. */
  filter: string;
  search: ((row: Row) => string) | undefined;
  sort: ((row: Row) => SortValue) | undefined;
  descending: boolean;
}

const unknown = (value: SortValue): boolean =>
  value === undefined || value === null || Number.isNaN(value);

export function compare(a: SortValue, b: SortValue, descending: boolean): number {
  if (unknown(a) || unknown(b)) return Number(unknown(a)) - Number(unknown(b));
  const up =
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  return descending ? -up : up;
}

/** The keys of the rows that match, in order; equal ones stay as they came. */
export function orderedKeys<Row>(
  keys: readonly string[],
  rowOf: (key: string) => Row,
  { filter, search, sort, descending }: Order<Row>,
): string[] {
  const words = filter.split(/\s+/).filter(Boolean);
  const matches = (key: string): boolean => {
    if (!words.length || !search) return true;
    const text = search(rowOf(key)).toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const found = words.length ? keys.filter(matches) : [...keys];
  if (!sort) return found;
  const values = found.map((key, place) => ({ key, place, value: sort(rowOf(key)) }));
  values.sort((a, b) => compare(a.value, b.value, descending) || a.place - b.place);
  return values.map(({ key }) => key);
}

export interface Stretch {
  first: number;
  /** Behind the last one. */
  end: number;
}

/** The rows that a table of `count` rows of this height needs while it is scrolled to `top`. */
export function rowsInSight(
  count: number,
  rowHeight: number,
  top: number,
  height: number,
  spare: number,
): Stretch {
  if (!(rowHeight > 0)) return { first: 0, end: Math.min(count, spare) };
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + spare);
  const first = Math.max(0, Math.min(end - 1, Math.floor(top / rowHeight) - spare));
  return { first, end };
}
