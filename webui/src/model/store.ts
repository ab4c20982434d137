// SPDX-License-Identifier: Apache-2.0
// The page's model of the node: state document, rates, an hour of history, events, periods in which
// links were up.
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
import { RateHistory } from "./rate_history";
import { Rates } from "./rates";

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

  private serverAt = 0;
  private heardAt = 0;
  private uptime = 0;
  private linkKeys: string[] = [];

  /** The node's time now, in milliseconds. */
  now(): number {
    return this.serverAt
      ? this.serverAt + Math.min(performance.now() - this.heardAt, 60_000)
      : Date.now();
  }

  /** Handles a message of the WebSocket; returns the new events. */
  take(message: ServerMessage): NodeEvent[] {
    if (message.type === "events") return this.takeEvents(message.events);
    if (message.type === "state") this.state = message.state;
    else if (message.type === "patch") mergePatch(this.state, message.patch);
    else return [];
    this.noteTime();
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

  private noteTime(): void {
    const node = this.state.node;
    const told = parseTime(node?.time) ?? Date.now();
    const uptime = node?.uptimeSeconds ?? this.uptime;
    if (uptime + 1 < this.uptime) {
      // The node has restarted: its counters begin at 0.
      this.rates.reset();
      this.events.clear();
    }
    this.uptime = uptime;
    this.serverAt = told;
    this.heardAt = performance.now();
  }

  private sample(): void {
    const at = this.serverAt / 1000;
    const { flow = {}, links = {} } = this.state;
    this.forgetRemoved();
    const counters: [string, number | undefined][] = FLOW_TOTALS.map((name) => [
      name,
      flow[name],
    ]);
    for (const [key, link] of Object.entries(links)) {
      counters.push([`link.${key}.in`, link.inBytes], [`link.${key}.out`, link.outBytes]);
      counters.push(
        [`link.${key}.inBundles`, link.inBundles],
        [`link.${key}.outBundles`, link.outBundles],
      );
    }
    this.rates.sample(at, counters);
    this.history.add(at, this.bitRates());
  }

  private forgetRemoved(): void {
    const links = this.state.links ?? {};
    for (const key of this.linkKeys) {
      if (key in links) continue;
      for (const end of ["in", "out", "inBundles", "outBundles"]) {
        this.rates.forget(`link.${key}.${end}`);
        this.history.forget(`link.${key}.${end}`);
      }
    }
    this.linkKeys = Object.keys(links);
  }

  /** Bits per second of the whole node and of each link, by the names of the server's history. */
  private *bitRates(): Iterable<readonly [string, number | undefined]> {
    const bits = (name: string): number | undefined => {
      const rate = this.rates.perSecond(name);
      return rate === undefined ? undefined : rate * 8;
    };
    let sumIn: number | undefined;
    let sumOut: number | undefined;
    for (const key of Object.keys(this.state.links ?? {})) {
      const into = bits(`link.${key}.in`);
      const out = bits(`link.${key}.out`);
      if (into !== undefined) sumIn = (sumIn ?? 0) + into;
      if (out !== undefined) sumOut = (sumOut ?? 0) + out;
      yield [`link.${key}.in`, into];
      yield [`link.${key}.out`, out];
    }
    yield ["in", bits("receivedBytes") ?? sumIn];
    yield ["out", bits("forwardedBytes") ?? sumOut];
  }

  /** The rate of data in bits per second, over the last second: "in", "out", "link.3.in". */
  bitRate(name: string): number | undefined {
    const known = this.history.latest(name);
    return known ?? undefined;
  }
}
