// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { mergePatch } from "../src/api/merge_patch";

// The table of RFC 7396, appendix A.
const CASES: [unknown, unknown, unknown][] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

describe("merge patch", () => {
  it.each(CASES)("%j with %j is %j", (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  it("changes the target in place, and keeps what is not named", () => {
    const links = { "3": { inBytes: 1, name: "3" } };
    const state = { links };
    expect(mergePatch(state, { links: { "3": { inBytes: 2 } } })).toBe(state);
    expect(state.links).toBe(links);
    expect(links["3"]).toEqual({ inBytes: 2, name: "3" });
  });

  it("takes a removed link away", () => {
    const state = { links: { "3": {}, "4": {} } };
    mergePatch(state, { links: { "3": null } });
    expect(Object.keys(state.links)).toEqual(["4"]);
  });

  it("does not reach behind the object", () => {
    mergePatch({}, JSON.parse('{"__proto__":{"bad":true}}'));
    expect(({} as Record<string, unknown>)["bad"]).toBeUndefined();
  });
});
