// SPDX-License-Identifier: Apache-2.0
// What the page works out for operators: forecast, availability, alarms, fields of a contact.
import { describe, expect, it } from "vitest";
import type { Alarm, Contact } from "../src/api/types";
import { alarmsByRank, placeOf } from "../src/model/alarms";
import { ActualPeriods } from "../src/model/actual";
import { availability } from "../src/model/availability";
import { readRate, readSeconds, readTime, writeRate } from "../src/model/contact_fields";
import { forecast } from "../src/model/forecast";
import { longColumns, stepFor } from "../src/model/long_rates";
import { nodeOf, readDestination } from "../src/model/stored_filter";
import { pageTitle, readiness } from "../src/views/header/readiness";

const T = Date.parse("2026-11-22T15:00:00Z");
const MIN = 60_000;
const contact = (
  number: number,
  dest: number,
  from: number,
  to: number,
  rate = 8_000,
): Contact => ({
  contact: number,
  source: 10,
  dest,
  startTime: new Date(T + from * MIN).toISOString(),
  endTime: new Date(T + to * MIN).toISOString(),
  rateBitsPerSec: rate,
});

describe("the forecast", () => {
  const table = {
    routes: [
      { destination: 40, candidates: [{ nextHop: 20 }, { nextHop: 30 }] },
      { destination: 50, candidates: [{ nextHop: 20 }] },
      { destination: 60, candidates: [] },
    ],
    staticRoutes: [{ destination: 70, nextHop: 30 }],
  };
  const state = {
    node: { number: 10 },
    storage: { held: { "50": true } },
    pending: {
      "40": { bundles: 9, bytes: 90_000 },
      "50": { bundles: 1, bytes: 7_000 },
      "60": { bundles: 2, bytes: 500 },
      "70": { bundles: 3, bytes: 300 },
    },
  };
  const of = (contacts: Contact[]) => {
    const found = forecast(state, table, contacts, T);
    return (hop: number | undefined) => found.find((one) => one.nextHop === hop)!;
  };

  it("lays what waits on the contacts of its next hop, one after the other", () => {
    // 1 kB/s: 60 kB in the first, the rest half a minute into the second.
    const to20 = of([contact(2, 20, 10, 20), contact(1, 20, 1, 2), contact(3, 20, -9, -1)])(20);
    expect(to20.next).toEqual({ contact: 1, from: T + MIN, to: T + 2 * MIN, bytes: 60_000 });
    expect(to20.goneAt).toBe(T + 10.5 * MIN);
    expect([to20.bytes, to20.heldBytes, to20.destinations, to20.leftBytes]).toEqual([
      97_000, 7_000, 2, 0,
    ]);
  });

  it("counts only what is left of an open contact", () => {
    expect(of([contact(1, 20, -5, 1)])(20).next?.bytes).toBe(60_000);
    const short = of([contact(1, 20, -5, 1)])(20);
    expect([short.goneAt, short.leftBytes]).toEqual([undefined, 30_000]);
  });

  it("has no end without contacts, and none without a route", () => {
    const found = of([contact(1, 20, -9, -5)]);
    expect(found(20)).toMatchObject({ next: undefined, goneAt: undefined, unplanned: false });
    expect(found(30)).toMatchObject({ unplanned: true, bytes: 300 });
    expect(found(undefined)).toMatchObject({ bytes: 500, goneAt: undefined });
  });

  it("leaves out what waits for applications of this node", () => {
    const pending = { "ipn:10.42": { bundles: 5, bytes: 500 }, "10": { bundles: 1, bytes: 100 } };
    expect(forecast({ ...state, pending }, table, [], T)).toEqual([]);
    const far = { "ipn:0.7": { bundles: 1, bytes: 100 } };
    expect(forecast({ ...state, pending: far }, table, [], T)).toHaveLength(1);
  });

  it("takes a contact without a limit for one that carries all", () => {
    const found = of([contact(1, 20, 5, 6, 0)])(20);
    expect(found.goneAt).toBe(T + 5 * MIN);
    expect(found.next?.bytes).toBe(90_000);
  });
});

describe("availability", () => {
  const span = (from: number, to: number) => ({ from: T + from * MIN, to: T + to * MIN });

  it("is the part of the contacts in which the link was up", () => {
    const found = availability(
      [span(-60, -50), span(-40, -30), span(-20, -10), span(-5, 5), span(10, 20)],
      [span(-35, -28), span(-20, -12), { from: T - 2 * MIN }],
      T - 45 * MIN,
      T,
    );
    expect(found).toEqual({ plannedMs: 25 * MIN, upMs: 15 * MIN, contacts: 3, missed: 0 });
    expect(availability([span(-9, -5)], [], T - 20 * MIN, T).missed).toBe(1);
  });

  it("is that of all the time for a link without contacts", () => {
    expect(availability(undefined, [span(-10, -5)], T - 20 * MIN, T)).toMatchObject({
      plannedMs: 20 * MIN,
      upMs: 5 * MIN,
    });
  });
});

describe("periods since the start of the node", () => {
  const event = (id: number, minutes: number, kind: string, link: number) => ({
    id,
    time: new Date(T + minutes * MIN).toISOString(),
    level: "info" as const,
    kind,
    link,
    text: "",
  });
  const state = {
    node: { uptimeSeconds: 1_800 },
    links: { "1": { up: false }, "2": { up: true } },
  };

  it("begin there where nothing has happened since: a contact that never came is missed", () => {
    const actual = new ActualPeriods();
    actual.begin([], state, T);
    expect(actual.since).toBe(T - 30 * MIN);
    expect(actual.of("1")).toEqual([]);
  });

  it("end there for links that were up before", () => {
    const actual = new ActualPeriods();
    actual.begin([event(900, -90, "link-up", 1), event(901, -20, "link-up", 2)], state, T);
    expect(actual.since).toBe(T - 90 * MIN);
    expect(actual.of("1")).toEqual([{ from: T - 90 * MIN, to: T - 30 * MIN }]);
    expect(actual.of("2")).toEqual([{ from: T - 20 * MIN }]);
  });
});

describe("alarms", () => {
  const alarm = (id: number, severity: "critical" | "warning", minutes: number): Alarm => ({
    id,
    name: "plan-ended",
    severity,
    since: new Date(T + minutes * MIN).toISOString(),
    text: "",
  });

  it("come with critical ones first, then the oldest", () => {
    const all = {
      1: alarm(1, "warning", 1),
      2: alarm(2, "critical", 5),
      3: alarm(3, "warning", 9),
      10: alarm(10, "critical", 9),
    };
    expect(alarmsByRank(all).map(({ id }) => id)).toEqual([2, 10, 1, 3]);
    expect(alarmsByRank(undefined)).toEqual([]);
  });

  it("lead to what they are about", () => {
    const of = (more: Partial<Alarm>) => placeOf({ ...alarm(1, "warning", 0), ...more })?.href;
    expect(of({ link: 3, neighbour: 20 })).toBe("#link=3");
    expect(of({})).toBe("#plan");
    expect(of({ name: "disk-full-soon", disk: 0 })).toBe("#storage");
    expect(of({ name: "neighbour-refuses", neighbour: 20 })).toBe("#links");
    expect(of({ name: "clock-suspended" })).toBeUndefined();
  });
});

describe("what the bar says", () => {
  const state = { node: { ready: true }, modules: { egress: { state: "ready" } } };

  it("is of now, or says of when it is", () => {
    expect(readiness(state, undefined)).toEqual({ text: "ready", kind: "good" });
    expect(readiness(state, 35_000)).toEqual({ text: "was ready 35 s ago", kind: "idle" });
    expect(readiness({}, undefined).kind).toBe("idle");
    const lost = { ...state, modules: { egress: { state: "lost" } } };
    expect(readiness(lost, undefined)).toEqual({ text: "egress lost", kind: "bad" });
  });

  it("stands in the title of the tab, the worst first", () => {
    expect(pageTitle("ipn:10.0", 0, false, "")).toBe("ipn:10.0 · farlink");
    expect(pageTitle("ipn:10.0", 2, false, "link 3")).toBe("(2) link 3 · ipn:10.0 · farlink");
    expect(pageTitle("ipn:10.0", 2, true, "")).toMatch(/^✕ no connection/);
  });
});

describe("the fields of a contact", () => {
  it("are times in UTC, rates with a prefix, seconds", () => {
    expect(readTime("2026-11-22T15:00:00Z")).toBe(T);
    expect(readTime(" 2026-11-22 15:00 ")).toBe(T);
    for (const wrong of ["", "15:00", "2026-13-40T15:00Z", "22.11.2026"])
      expect(readTime(wrong)).toBeUndefined();
    expect([readRate("400 M"), readRate("1.2 Gbit/s"), readRate("0"), readRate("9600")]).toEqual([
      400e6, 1.2e9, 0, 9600,
    ]);
    expect(readRate("fast")).toBeUndefined();
    expect([readSeconds("1.3"), readSeconds("-1")]).toEqual([1.3, undefined]);
  });

  it("are written so that they are read again without loss", () => {
    for (const rate of [0, 1, 9_600, 125_000, 1_234_567, 400e6, 1.2e9, 10e12])
      expect(readRate(writeRate(rate))).toBe(rate);
  });
});

describe("longer times", () => {
  it("come in steps that a chart can show", () => {
    expect([stepFor(6 * 3600), stepFor(86_400), stepFor(7 * 86_400)]).toEqual([60, 300, 1800]);
  });

  it("are columns with gaps where nothing is known", () => {
    const from = new Date(T).toISOString();
    expect(longColumns({ from, step: 60, series: { in: [1, null, 3] } }, ["in", "out"])).toEqual([
      [T / 1000, T / 1000 + 60, T / 1000 + 120],
      [1, null, 3],
      [null, null, null],
    ]);
  });
});

describe("the destination of a list", () => {
  it("is a node or an endpoint", () => {
    expect(["20", "ipn:20", "ipn:20.1", "ipn:20.*", "dtn://a/b", ""].map(readDestination)).toEqual([
      "ipn:20.*",
      "ipn:20.*",
      "ipn:20.1",
      "ipn:20.*",
      "dtn://a/b",
      "",
    ]);
    expect(() => readDestination("mars")).toThrow(/found mars; expected a node/);
    expect([nodeOf("ipn:20.*"), nodeOf("dtn://a/b"), nodeOf(null)]).toEqual([
      "20",
      undefined,
      undefined,
    ]);
  });
});
