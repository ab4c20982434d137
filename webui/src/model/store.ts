// SPDX-License-Identifier: Apache-2.0
// All that the page knows of its node: the live state, rates made of it, history, events, plan,
// routes.
import { FLOW_TOTALS } from "../api/counters";
import { mergePatch } from "../api/merge_patch";
import type {
  Contact,
  ContactPlan,
  History,
  NodeEvent,
  RouteTable,
  ServerMessage,
  State,
} from "../api/types";
import { parseTime } from "../format/time";
import { ActualPeriods } from "./actual";
import { EventLog } from "./event_log";
import { forgetLinkSeries, linkSeries } from "./link_names";
import { RateHistory } from "./rate_history";
import { Rates } from "./rates";

/** Percentiles of the time in the node stand for the bundles of so many seconds. */
const LATENCY_MS = 60_000;

export class Store {
  state: State = {};
  readonly rates = new Rates();
  readonly history = new RateHistory();
  readonly events = new EventLog();
  readonly actual = new ActualPeriods();
  plan: ContactPlan | undefined;
  /** Number of plans fetched. */
  planLoads = 0;
  routes: RouteTable | undefined;
  /** Series that are kept for the charts; of others only the newest rate is known. */
  readonly kept = new Set<string>(["in", "out"]);

  private serverAt = 0;
  private heardAt = 0;
  private uptime = 0;
  private linkKeys: string[] = [];
  private cutThrough: number | undefined;
  private cutThroughAt = Number.NEGATIVE_INFINITY;

  /** The node's time now, in milliseconds. */
  now(): number {
    return this.serverAt
      ? this.serverAt + Math.min(performance.now() - this.heardAt, 60_000)
      : Date.now();
  }

  /** Milliseconds since the node last said how it is; undefined: it has not yet. */
  age(): number | undefined {
    return this.heardAt ? performance.now() - this.heardAt : undefined;
  }

  /** Handles a message of the WebSocket; returns the new events. */
  take(message: ServerMessage): NodeEvent[] {
    if (message.type === "events") return this.takeEvents(message.events);
    if (message.type === "state") this.state = message.state;
    else if (message.type === "patch") mergePatch(this.state, message.patch);
    else return [];
    this.noteTime();
    this.noteLatency();
    this.sample();
    this.actual.observe(this.state, this.now());
    return [];
  }

  takeEvents(events: NodeEvent[]): NodeEvent[] {
    const fresh = this.events.add(events);
    for (const event of fresh) this.actual.event(event);
    return fresh;
  }

  /** Adds events from before the page was opened. */
  takeOlderEvents(events: NodeEvent[]): void {
    this.events.add(events);
    this.actual.begin(this.events.events, this.state, this.now());
  }

  takeHistory(history: History): void {
    this.history.merge(history);
  }

  takePlan(plan: ContactPlan): void {
    this.plan = plan;
    this.planLoads += 1;
  }

  get contacts(): readonly Contact[] {
    return this.plan?.contacts ?? [];
  }

  /** Whether bundles have passed lately, so that the percentiles of their time stand for now. */
  get latencyIsFresh(): boolean {
    return this.now() - this.cutThroughAt < LATENCY_MS;
  }

  private noteTime(): void {
    const node = this.state.node;
    const told = parseTime(node?.time) ?? Date.now();
    const uptime = node?.uptimeSeconds ?? this.uptime;
    if (uptime + 1 < this.uptime) {
      // The node has restarted: its counters begin at 0.
      this.rates.reset();
      this.events.clear();
      this.cutThrough = undefined;
    }
    this.uptime = uptime;
    this.serverAt = told;
    this.heardAt = performance.now();
  }

  private noteLatency(): void {
    const passed = this.state.latency?.cutThrough?.count;
    if (passed === undefined) return;
    if (this.cutThrough !== undefined && passed > this.cutThrough)
      this.cutThroughAt = this.serverAt;
    this.cutThrough = passed;
  }

  private sample(): void {
    const { flow = {}, links = {} } = this.state;
    const at = this.serverAt / 1000;
    this.forgetRemoved();
    this.rates.begin(at);
    for (const name of FLOW_TOTALS) this.rates.count(name, flow[name]);
    for (const key of this.linkKeys) {
      const link = links[key]!;
      const names = linkSeries(key);
      this.rates.count(names.in, link.inBytes);
      this.rates.count(names.out, link.outBytes);
      this.rates.count(names.inBundles, link.inBundles);
      this.rates.count(names.outBundles, link.outBundles);
    }
    this.history.add(at, this.keptRates());
  }

  private forgetRemoved(): void {
    const links = this.state.links ?? {};
    for (const key of this.linkKeys) {
      if (key in links) continue;
      for (const name of Object.values(linkSeries(key))) {
        this.rates.forget(name);
        this.history.forget(name);
        this.kept.delete(name);
      }
      forgetLinkSeries(key);
    }
    this.linkKeys = Object.keys(links);
  }

  private *keptRates(): Iterable<readonly [string, number | undefined]> {
    for (const name of this.kept) yield [name, this.bitRate(name)];
  }

  /**
   * The rate of data in bits per second, over the last second, by the names of the server's
   * history: "in", "out", "link.3.in".
   */
  bitRate(name: string): number | undefined {
    if (name === "in") return this.bits("receivedBytes") ?? this.sumOfLinks("in");
    if (name === "out") return this.bits("forwardedBytes") ?? this.sumOfLinks("out");
    return this.bits(name);
  }

  private bits(name: string): number | undefined {
    const rate = this.rates.perSecond(name);
    return rate === undefined ? undefined : rate * 8;
  }

  private sumOfLinks(end: "in" | "out"): number | undefined {
    let sum: number | undefined;
    for (const key of this.linkKeys) {
      const bits = this.bits(linkSeries(key)[end]);
      if (bits !== undefined) sum = (sum ?? 0) + bits;
    }
    return sum;
  }
}
