// SPDX-License-Identifier: Apache-2.0
// The parts of views that need no page: time windows, the layout of the flow, choice of rows.
import { describe, expect, it } from "vitest";
import type { LinkState } from "../src/api/types";
import { flowLayout, type Box } from "../src/views/flow/flow_layout";
import { RowChoice } from "../src/views/flow/flow_links";
import { TimeWindow } from "../src/views/rates/time_window";

describe("the time window", () => {
  it("follows, zooms, stands still, and follows again", () => {
    const window = new TimeWindow();
    window.follow(60);
    expect(window.at(1_000)).toEqual({ from: 940, to: 1_000 });
    window.zoomTo(950, 960, 1_000);
    expect(window.at(2_000)).toEqual({ from: 950, to: 960 });
    window.reset();
    expect(window.at(2_000)).toEqual({ from: 1_940, to: 2_000 });
  });

  it("never shows less than two seconds, more than an hour, or the future", () => {
    const window = new TimeWindow();
    window.zoomTo(999.9, 1_000, 1_000);
    expect(window.at(0).to - window.at(0).from).toBe(2);
    for (let turn = 0; turn < 20; turn += 1) window.scale(2, 10_000);
    expect(window.at(0).to - window.at(0).from).toBe(3_600);
    for (let turn = 0; turn < 50; turn += 1) window.shift(1, 10_000);
    expect(window.at(0).to).toBe(10_000);
  });

  it("shows a week where there are data of it", () => {
    const window = new TimeWindow();
    window.setMost(604_800);
    for (let turn = 0; turn < 20; turn += 1) window.scale(2, 1_000_000);
    expect(window.at(0).to - window.at(0).from).toBe(604_800);
  });
});

const inside = (box: Box, width: number, height: number): boolean =>
  box.x >= 0 && box.y >= 0 && box.x + box.w <= width && box.y + box.h <= height;
const apart = (a: Box, b: Box): boolean =>
  a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;

describe("the flow's layout", () => {
  it.each([320, 360, 879, 880, 1024, 1440, 2560])(
    "at %d px all is inside, and nothing overlaps",
    (width) => {
      for (const [rowsIn, rowsOut] of [
        [0, 0],
        [1, 1],
        [12, 3],
        [10, 10],
      ] as const) {
        const layout = flowLayout(width, rowsIn, rowsOut);
        const boxes = [
          ...layout.linksIn,
          ...layout.linksOut,
          layout.ingress,
          layout.storage,
          layout.egress,
        ];
        for (const [place, box] of boxes.entries()) {
          expect(inside(box, layout.width, layout.height)).toBe(true);
          for (const other of boxes.slice(place + 1)) expect(apart(box, other)).toBe(true);
        }
      }
    },
  );
});

describe("the rows of the flow", () => {
  const links: Record<string, LinkState> = {};
  for (let number = 1; number <= 30; number += 1) {
    links[number] = {
      number,
      up: number !== 7,
      connected: number !== 7,
      planned: true,
      enabled: true,
    };
  }

  it("are all links where they are few", () => {
    const few = { "2": links[2]!, "1": links[1]! };
    expect(
      new RowChoice(10).rows(
        few,
        () => true,
        () => 0,
        0,
      ),
    ).toEqual({ keys: ["1", "2"], rest: 0, restUp: 0, restBad: 0 });
  });

  it("are those in trouble and the busiest where they are many", () => {
    const rows = new RowChoice(5).rows(
      links,
      () => true,
      (key) => (Number(key) > 27 ? 100 : 0),
      0,
    );
    expect(rows.keys).toEqual(["7", "28", "29", "30"]);
    expect([rows.rest, rows.restUp]).toEqual([26, 26]);
  });

  it("are those in trouble before idle ones, however many, and say how many have no row", () => {
    const many: Record<string, LinkState> = {};
    for (let number = 1; number <= 40; number += 1)
      many[number] = {
        number,
        enabled: true,
        planned: number > 10,
        connected: number > 30,
        up: number > 30,
      };
    const rows = new RowChoice(10).rows(
      many,
      () => true,
      (key) => (Number(key) > 37 ? 100 : 0),
      0,
    );
    expect(rows.keys).toEqual(["11", "12", "13", "14", "15", "16", "38", "39", "40"]);
    expect([rows.rest, rows.restUp, rows.restBad]).toEqual([31, 7, 14]);
    const unproved = { ...many, "35": { ...many[35]!, proved: false } };
    const few = Object.fromEntries(Object.entries(unproved).filter(([key]) => Number(key) > 20));
    const chosen = new RowChoice(4).rows(
      Object.fromEntries(Object.entries(few).filter(([key]) => Number(key) > 30)),
      () => true,
      () => 0,
      0,
    );
    expect(chosen.keys).toContain("35");
  });

  it("do not change all the time", () => {
    const choice = new RowChoice(5);
    const before = choice.rows(
      links,
      () => true,
      () => 0,
      0,
    ).keys;
    expect(
      choice.rows(
        links,
        () => true,
        (key) => Number(key),
        5_000,
      ).keys,
    ).toEqual(before);
    expect(
      choice.rows(
        links,
        () => true,
        (key) => Number(key),
        20_000,
      ).keys,
    ).not.toEqual(before);
  });
});
