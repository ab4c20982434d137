// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { RateHistory, type Columns } from "../src/model/rate_history";
import { SeriesRing } from "../src/model/series";

const END = Date.parse("2026-11-22T15:00:00Z") / 1000;
const hour = (values: (number | null)[]) => ({
  stepSeconds: 1,
  end: "2026-11-22T15:00:00Z",
  points: values.length,
  series: { in: values },
});
const columns = (history: RateHistory, from: number, to: number, fine = false): Columns =>
  history.columns(["in"], from, to, fine, [[]]);

describe("a ring of values", () => {
  it("forgets the oldest, and what was left out is not known", () => {
    const ring = new SeriesRing(1, 4);
    ring.set("a", 100, 1);
    ring.set("a", 102, 3);
    expect([99, 100, 101, 102, 103].map((slot) => ring.get("a", slot))).toEqual([
      null,
      1,
      null,
      3,
      null,
    ]);
    ring.set("a", 104, 5);
    expect([100, 102, 104].map((slot) => ring.get("a", slot))).toEqual([null, 3, 5]);
    ring.set("a", 1_000_000, 7);
    expect(ring.get("a", 104)).toBeNull();
  });

  it("does not take what is too old", () => {
    const ring = new SeriesRing(1, 4);
    ring.set("a", 100, 1);
    ring.set("a", 96, 9);
    expect(ring.get("a", 100)).toBe(1);
  });
});

describe("the history of rates", () => {
  it("has the server's hour, gaps and all, its last value at its end", () => {
    const history = new RateHistory();
    history.merge(hour([10, null, 30]));
    const [times, values] = columns(history, END - 2, END);
    expect(times.slice(-3)).toEqual([END - 2, END - 1, END]);
    expect(values!.slice(-3)).toEqual([10, null, 30]);
  });

  it("goes on live, and keeps what came live when the server's hour comes later", () => {
    const history = new RateHistory();
    history.add(END + 0.5, [["in", 55]]);
    history.add(END + 1.5, [["in", 66]]);
    history.merge(hour([10, 20, 30]));
    const [times, values] = columns(history, END - 2, END + 2);
    expect(times.slice(-4)).toEqual([END - 2, END - 1, END, END + 1]);
    expect(values!.slice(-4)).toEqual([10, 20, 55, 66]);
  });

  it("has tenths of a second where these are known", () => {
    const history = new RateHistory();
    history.merge(hour([10, 20, 30]));
    for (let tenth = 5; tenth < 20; tenth += 1) history.add(END + tenth / 10, [["in", tenth]]);
    const [times, values] = columns(history, END - 2, END + 2, true);
    expect(times.length).toBe(values!.length);
    expect(values!.slice(-15)).toEqual(Array.from({ length: 15 }, (_one, place) => place + 5));
    expect(times.every((time, place) => place === 0 || time > times[place - 1]!)).toBe(true);
  });

  it("draws no gap where updates are more seldom than ten a second", () => {
    const history = new RateHistory();
    for (let second = 0; second < 5; second += 1) history.add(END + second, [["in", second]]);
    const [, values] = columns(history, END, END + 5, true);
    expect(values!.slice(-5)).toEqual([0, 1, 2, 3, 4]);
  });

  it("does not grow: an hour and a half at ten a second", () => {
    const history = new RateHistory();
    for (let tenth = 0; tenth < 54_000; tenth += 1) history.add(END + tenth / 10, [["in", tenth]]);
    const [times] = columns(history, END - 10_000, END + 10_000);
    expect(times.length).toBeLessThanOrEqual(3_660);
    expect(history.latest("in")).toBe(53_999);
  });

  it("uses the same lists again, as long as they are needed", () => {
    const history = new RateHistory();
    history.merge(hour([10, 20, 30]));
    const out: Columns = [[]];
    history.columns(["in", "out"], END - 2, END, false, out);
    expect(out.map((list) => list.length)).toEqual([4, 4, 4]);
    history.columns(["in"], END, END, false, out);
    expect(out.length).toBe(2);
    expect(out[0].length).toBe(out[1]!.length);
  });
});
