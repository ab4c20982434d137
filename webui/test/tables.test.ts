// SPDX-License-Identifier: Apache-2.0
// The order of a table's rows, and which of many are in the page.
import { describe, expect, it } from "vitest";
import { compare, orderedKeys, rowsInSight } from "../src/ui/table/columns";

const rows: Record<string, { name: string; bytes?: number }> = {
  a: { name: "Link 1 to node 20", bytes: 5 },
  b: { name: "Link 2 to node 30" },
  c: { name: "Link 12 to node 20", bytes: 9 },
  d: { name: "Link 3 to node 20", bytes: 5 },
};
const keys = Object.keys(rows);
const rowOf = (key: string) => rows[key]!;
const plain = { filter: "", search: undefined, sort: undefined, descending: false };
const search = (row: { name: string }): string => row.name;

describe("the order of rows", () => {
  it("is that in which they came without a column to sort by", () => {
    expect(orderedKeys(keys, rowOf, plain)).toEqual(["a", "b", "c", "d"]);
  });

  it("follows a column, equal ones as they came, unknown ones last in either direction", () => {
    const sort = (row: { bytes?: number }) => row.bytes;
    expect(orderedKeys(keys, rowOf, { ...plain, sort })).toEqual(["a", "d", "c", "b"]);
    expect(orderedKeys(keys, rowOf, { ...plain, sort, descending: true })).toEqual([
      "c",
      "a",
      "d",
      "b",
    ]);
    expect(compare(Number.NaN, 1, true)).toBeGreaterThan(0);
  });

  it("has the rows that have every word of a search, in any case", () => {
    const found = (filter: string) => orderedKeys(keys, rowOf, { ...plain, search, filter });
    expect(found("node 20")).toEqual(["a", "c", "d"]);
    expect(found("12 20")).toEqual(["c"]);
    expect(found("link")).toEqual(keys);
    expect(found("mars")).toEqual([]);
  });
});

describe("rows in sight", () => {
  it("are those of the part that is scrolled to, with some to spare", () => {
    expect(rowsInSight(1_000, 20, 0, 400, 5)).toEqual({ first: 0, end: 25 });
    expect(rowsInSight(1_000, 20, 2_000, 400, 5)).toEqual({ first: 95, end: 125 });
    expect(rowsInSight(1_000, 20, 19_600, 400, 5)).toEqual({ first: 975, end: 1_000 });
  });

  it("are some while their height is not known, and none of none", () => {
    expect(rowsInSight(1_000, 0, 0, 400, 12)).toEqual({ first: 0, end: 12 });
    expect(rowsInSight(0, 20, 0, 400, 5).end).toBe(0);
  });

  it("are the last ones when the table has become shorter", () => {
    const { first, end } = rowsInSight(10, 20, 5_000, 400, 5);
    expect(first).toBeLessThan(end);
    expect(end).toBe(10);
  });
});
