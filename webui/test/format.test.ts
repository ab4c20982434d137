// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { clock, moment, parseTime, span, until, uptime } from "../src/format/time";
import {
  bitRate,
  bundleRate,
  bytes,
  count,
  DASH,
  exactCount,
  lightTime,
  micros,
  percent,
} from "../src/format/units";

const plain = (text: string): string => text.replaceAll("\u202f", " ");

describe("figures", () => {
  it.each([
    [0, "0 bit/s"],
    [999, "999 bit/s"],
    [999.6, "1.00 kbit/s"],
    [1000, "1.00 kbit/s"],
    [12_345, "12.3 kbit/s"],
    [999_499, "999 kbit/s"],
    [999_500, "1.00 Mbit/s"],
    [1.5e9, "1.50 Gbit/s"],
    [123.4e9, "123 Gbit/s"],
    [undefined, DASH],
    [null, DASH],
    [Number.NaN, DASH],
  ])("%s bits a second are %s", (value, text) => expect(plain(bitRate(value))).toBe(text));

  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_000_000, "1.00 MB"],
    [61.2e9, "61.2 GB"],
    [1e15, "1.00 PB"],
  ])("%d bytes are %s", (value, text) => expect(plain(bytes(value))).toBe(text));

  it.each([
    [0, "0"],
    [999, "999"],
    [1234, "1 234"],
    [1_234_567, "1 234 567"],
    [12_345_678, "12.3 M"],
  ])("a count of %d is %s", (value, text) => expect(plain(count(value))).toBe(text));

  it("an exact count has all its digits", () => {
    expect(plain(exactCount(9_007_199_254_740_991))).toBe("9 007 199 254 740 991");
    expect(exactCount(undefined)).toBe(DASH);
  });

  it("small rates keep a digit behind the point", () => {
    expect(bundleRate(0.26)).toBe("0.3/s");
    expect(plain(bundleRate(15_000.4))).toBe("15 000/s");
  });

  it.each([
    [1, 0, DASH],
    [0, 10, "0.0 %"],
    [9.94, 100, "9.9 %"],
    [86, 100, "86 %"],
    [undefined, 5, DASH],
  ])("%s of %s is %s", (part, whole, text) => expect(plain(percent(part, whole))).toBe(text));

  it.each([
    [182, "182 µs"],
    [12_345, "12.3 ms"],
    [1_500_000, "1.50 s"],
  ])("%d microseconds are %s", (value, text) => expect(plain(micros(value))).toBe(text));

  it("light times", () => {
    expect([0, 0.25, 1.3, 1200].map((one) => plain(lightTime(one)))).toEqual([
      "0 s",
      "250 ms",
      "1.30 s",
      "1200 s",
    ]);
  });
});

describe("times", () => {
  const now = Date.parse("2026-11-22T15:04:05.250Z");
  it("are in UTC, with the day where that is another", () => {
    expect(clock(now)).toBe("15:04:05");
    expect(moment(now, now)).toBe("15:04:05");
    expect(moment(now + 86_400_000, now)).toBe("2026-11-23 15:04");
  });

  it("are unknown where they are none", () => {
    expect(parseTime("soon")).toBeUndefined();
    expect(parseTime(null)).toBeUndefined();
  });

  it.each([
    [0, "0 s"],
    [59_400, "59 s"],
    [60_000, "1 min"],
    [90_000, "1 min 30 s"],
    [720_000, "12 min"],
    [7_200_000, "2 h"],
    [12_000_000, "3 h 20 min"],
    [86_400_000, "1 d"],
    [187_200_000, "2 d 4 h"],
    [-5, "0 s"],
  ])("%d ms are %s", (ms, text) => expect(span(ms)).toBe(text));

  it("tell how long until", () => {
    expect(until(now + 5_000, now)).toBe("in 5 s");
    expect(until(now - 5_000, now)).toBe("now");
  });

  it("uptime has days", () => {
    expect(uptime(59.9)).toBe("00:00:59");
    expect(uptime(3 * 86_400 + 4 * 3600 + 12 * 60 + 33)).toBe("3 d 04:12:33");
    expect(uptime(undefined)).toBe(DASH);
  });
});
