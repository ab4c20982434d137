// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { Rates } from "../src/model/rates";

describe("rates of totals", () => {
  it("are the growth over a second", () => {
    const rates = new Rates();
    for (let step = 0; step <= 20; step += 1) rates.sample(100 + step / 10, [["a", step * 50]]);
    expect(rates.perSecond("a")).toBeCloseTo(500);
  });

  it("do not jump with updates in bursts", () => {
    const rates = new Rates();
    for (let step = 0; step <= 20; step += 1)
      rates.sample(step / 10, [["a", Math.floor(step / 5) * 500]]);
    expect(rates.perSecond("a")).toBeCloseTo(1000);
  });

  it("are not known from a moment only", () => {
    const rates = new Rates();
    rates.sample(0, [["a", 0]]);
    expect(rates.perSecond("a")).toBeUndefined();
    rates.sample(0.2, [["a", 1_000_000]]);
    expect(rates.perSecond("a")).toBeUndefined();
    rates.sample(0.6, [["a", 1_200_000]]);
    expect(rates.perSecond("a")).toBeCloseTo(2_000_000);
  });

  it("follow a server that tells once a second", () => {
    const rates = new Rates();
    rates.sample(10, [["a", 0]]);
    rates.sample(11, [["a", 30]]);
    expect(rates.perSecond("a")).toBeCloseTo(30);
  });

  it("begin anew when a counter goes back", () => {
    const rates = new Rates();
    rates.sample(0, [["a", 5000]]);
    rates.sample(1, [["a", 6000]]);
    rates.sample(2, [["a", 10]]);
    expect(rates.perSecond("a")).toBeUndefined();
    rates.sample(3, [["a", 30]]);
    expect(rates.perSecond("a")).toBeCloseTo(20);
  });

  it("are not known of a counter that is not told any more", () => {
    const rates = new Rates();
    rates.sample(0, [["a", 1]]);
    rates.sample(1, [["a", 2]]);
    rates.sample(2, []);
    expect(rates.perSecond("a")).toBeUndefined();
  });

  it("keep 64-bit totals exact enough", () => {
    const rates = new Rates();
    rates.sample(0, [["a", 9e15]]);
    rates.sample(1, [["a", 9e15 + 8]]);
    expect(rates.perSecond("a")).toBe(8);
  });
});
