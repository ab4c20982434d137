// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import type { Contact, NodeEvent } from "../src/api/types";
import { ActualPeriods } from "../src/model/actual";
import {
  labelAnchor,
  planSummary,
  ticks,
  timelineRows,
  visibleBars,
  visiblePeriods,
} from "../src/model/timeline";

const T = Date.parse("2026-11-22T15:00:00Z");
const MIN = 60_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const contact = (
  number: number,
  source: number,
  dest: number,
  from: number,
  to: number,
): Contact => ({
  contact: number,
  source,
  dest,
  startTime: iso(T + from * MIN),
  endTime: iso(T + to * MIN),
});
const event = (id: number, minute: number, kind: string, link?: number): NodeEvent => ({
  id,
  time: iso(T + minute * MIN),
  level: "info",
  kind,
  text: "",
  ...(link === undefined ? {} : { link }),
});
const minutes = (periods: readonly { from: number; to?: number }[]) =>
  periods.map(({ from, to }) => [(from - T) / MIN, to === undefined ? undefined : (to - T) / MIN]);

describe("rows of the timeline", () => {
  it("begin with this node's contacts and know their links", () => {
    const links = {
      "1": { neighbour: 20, direction: "in" as const },
      "2": { neighbour: 20, direction: "out" as const },
    };
    const rows = timelineRows(
      [
        contact(1, 30, 40, 0, 5),
        contact(2, 20, 10, 0, 5),
        contact(3, 10, 20, 8, 9),
        contact(4, 10, 20, 0, 5),
      ],
      10,
      links,
    );
    expect(rows.map((row) => [row.key, row.link])).toEqual([
      ["10>20", "2"],
      ["20>10", undefined],
      ["30>40", undefined],
    ]);
    expect(rows[0]!.contacts.map(({ contact: one }) => one.contact)).toEqual([4, 3]);
  });

  it("leave out what has no valid times", () => {
    expect(
      timelineRows(
        [contact(1, 1, 2, 5, 5), { ...contact(2, 1, 2, 0, 1), endTime: "never" }],
        1,
        {},
      ),
    ).toEqual([]);
  });

  it("are cut to what is shown", () => {
    const [row] = timelineRows(
      [contact(1, 1, 2, -10, -5), contact(2, 1, 2, -3, 4), contact(3, 1, 2, 9, 12)],
      1,
      {},
    );
    expect(minutes(visibleBars(row!, T, T + 10 * MIN, 1000))).toEqual([
      [0, 4],
      [9, 10],
    ]);
  });

  it("have no more bars than pixels", () => {
    const many = Array.from({ length: 10_000 }, (_one, place) =>
      contact(place, 1, 2, place / 100, place / 100 + 0.005),
    );
    const [row] = timelineRows(many, 1, {});
    const bars = visibleBars(row!, T, T + 100 * MIN, MIN / 10);
    expect(bars.length).toBeLessThanOrEqual(1_000);
    expect(bars.reduce((sum, bar) => sum + bar.contacts.length, 0)).toBe(10_000);
  });

  it("say what is open and what comes next", () => {
    const rows = timelineRows(
      [contact(1, 1, 2, -5, 5), contact(2, 1, 2, 20, 30), contact(3, 1, 3, 7, 9)],
      1,
      {},
    );
    expect(planSummary(rows, T)).toEqual({ open: 1, next: T + 7 * MIN });
    expect(planSummary(rows, T + 60 * MIN)).toEqual({ open: 0, next: undefined });
  });
});

describe("labelAnchor", () => {
  it("keeps the last label inside the picture", () => {
    expect(labelAnchor(500, 600, 18)).toBe("middle");
    expect(labelAnchor(582, 600, 18)).toBe("middle");
    expect(labelAnchor(583, 600, 18)).toBe("end");
  });
});

describe("ticks", () => {
  it("stand at round times", () => {
    expect(ticks(T - 7 * MIN, T + 12 * MIN, 4).map((at) => (at - T) / MIN)).toEqual([-5, 0, 5, 10]);
    expect(ticks(T, T + 7 * 86_400_000, 10)).toHaveLength(7);
  });
});

describe("actual periods", () => {
  it("come from events before the page was opened, and from the state", () => {
    const actual = new ActualPeriods();
    const events = [
      event(1, -30, "plan"),
      event(2, -20, "link-down", 1),
      event(3, -15, "link-up", 1),
      event(4, -9, "link-up", 2),
      event(5, -4, "link-down", 2),
    ];
    actual.begin(
      events,
      { links: { "1": { up: true }, "2": { up: false }, "3": { up: true } } },
      T,
    );
    expect(minutes(actual.of("1"))).toEqual([
      [-30, -20],
      [-15, undefined],
    ]);
    expect(minutes(actual.of("2"))).toEqual([[-9, -4]]);
    expect(minutes(actual.of("3"))).toEqual([[-30, undefined]]);
    expect(actual.since).toBe(T - 30 * MIN);
  });

  it("go on with what the state says", () => {
    const actual = new ActualPeriods();
    actual.observe({ links: { "1": { up: true } } }, T);
    actual.observe({ links: { "1": { up: true } } }, T + MIN);
    actual.observe({ links: { "1": { up: false } } }, T + 2 * MIN);
    actual.observe({ links: { "1": { up: true } } }, T + 3 * MIN);
    actual.observe({ links: {} }, T + 4 * MIN);
    expect(minutes(actual.of("1"))).toEqual([
      [0, 2],
      [3, 4],
    ]);
  });

  it("are cut to what is shown; one that lasts ends now", () => {
    const periods = [{ from: T - 5 * MIN, to: T - 4 * MIN }, { from: T - MIN }];
    expect(minutes(visiblePeriods(periods, T - 3 * MIN, T + 9 * MIN, T))).toEqual([[-1, 0]]);
  });
});
