// SPDX-License-Identifier: Apache-2.0
// A node that is none: links, traffic, storage and a plan that follow from the number of steps
// alone.
import { changedEndpoints, firstEndpoints, pendingOf } from "./endpoints.mjs";

const LAYERS = ["tcpclv4", "ltp", "stcp", "udp", "tcpclv3"];
const BUNDLE_BYTES = 12_500;
const STEP_MS = 100;
const HOUR_MS = 3_600_000;
// The log goes on from before the node was last started.
const FIRST_EVENT = 5_000;
const CHANGED_PART = 10;
const UPTIME_SECONDS = 3 * 86_400;
export const OWN = 10;

const iso = (ms) => new Date(ms).toISOString();

/** Smooth and repeatable: the same for the same step. */
const wave = (step, period, phase) => 0.5 + 0.5 * Math.sin((2 * Math.PI * step) / period + phase);

/** Bits a second of a link; what comes in by few links leaves by many. */
const rateOf = (link, step) =>
  (link.direction === "out" ? 30e6 : 60e6) *
  (1 + (link.number % 7)) *
  (0.6 +
    0.4 * wave(step, 1_100 + 130 * (link.number % 9), link.number) +
    0.05 * wave(step, 37, link.number));

export class World {
  /**
   * `pending`: for so many further destinations something waits. `ltp`: with links of it.
   * `endpoints`: of applications; null: without the module of applications.
   */
  constructor({
    links = 12,
    endpoints = 3,
    pending = 0,
    turns = 60,
    ltp = true,
    uptimeSeconds = UPTIME_SECONDS,
    startMs = Date.now(),
  } = {}) {
    this.startMs = startMs;
    this.step = 0;
    this.frozen = false;
    this.uptimeSeconds = uptimeSeconds;
    this.turns = turns;
    this.ltp = ltp;
    this.furtherPending = pending;
    this.events = [];
    this.ended = [];
    this.lastAlarm = 0;
    this.deleted = new Set();
    this.listeners = { patch: [], events: [] };
    this.nowMs = startMs;
    this.state = this.firstState(links);
    this.addApplications(endpoints);
    this.contacts = this.firstContacts();
    this.firstEvents();
    for (let i = 0; i < 600; i += 1) this.advance(true);
  }

  firstState(count) {
    const links = {};
    for (let number = 1; number <= count; number += 1) links[number] = this.firstLink(number);
    return {
      node: {
        id: "ipn:10.0",
        number: OWN,
        version: "0.1.0-mock",
        time: iso(this.startMs),
        uptimeSeconds: 0,
        ready: true,
        drained: false,
      },
      modules: Object.fromEntries(
        ["ingress", "egress", "storage", "scheduler", "router", "telemetry"].map((name) => [
          name,
          { state: "ready" },
        ]),
      ),
      flow: {
        receivedBundles: 0,
        receivedBytes: 0,
        cutThroughBundles: 0,
        storedBundles: 0,
        releasedBundles: 0,
        forwardedBundles: 0,
        deliveredBundles: 0,
        deletedBundles: 0,
        expiredBundles: 0,
        duplicateBundles: 0,
        inFlightBundles: 12,
        refusedBundles: 0,
      },
      links,
      storage: {
        bundles: 184_220,
        bytes: 2_302_750_000,
        custodyBundles: 1_204,
        destinations: 3 + this.furtherPending,
        // Something waits for one, and nothing for the other.
        held: { 110: true, 990: true },
        disks: {
          0: { path: "store0", state: "ok", usedBytes: 61.2e9, capacityBytes: 100e9 },
          1: { path: "store1", state: "ok", usedBytes: 93.1e9, capacityBytes: 100e9 },
          2: { path: "store2", state: "ok", usedBytes: 12.4e9, capacityBytes: 200e9 },
        },
      },
      pending: this.morePending(0, 1),
      alarms: {},
      plan: { version: 7, contacts: 0 },
      routes: { version: 3 },
      latency: { cutThrough: { p50Micros: 182, p99Micros: 940, p999Micros: 2_310, count: 0 } },
      process: { cpuPercent: 37, residentBytes: 412_000_000, threads: 14 },
    };
  }

  addApplications(count) {
    const { state } = this;
    state.endpoints = firstEndpoints(OWN, count ?? 0);
    if (count === null) return;
    state.modules.applications = { state: "ready" };
    const pending = pendingOf(OWN, state.endpoints, iso(this.startMs + HOUR_MS));
    state.storage.destinations += Object.keys(pending).length;
    Object.assign(state.pending, pending);
  }

  firstLink(number) {
    const layer = this.ltp ? LAYERS[number % LAYERS.length] : "tcpclv4";
    const kind = number % 12;
    const link = {
      number,
      name: String(number),
      layer,
      direction: number % 4 === 0 ? "in" : number % 4 === 1 ? "both" : "out",
      neighbour: 10 + number * 10,
      address: `192.0.2.${number}:4556`,
      planned: true,
      enabled: true,
      connected: true,
      up: true,
      reason: "",
      rateBitsPerSec: number % 3 === 0 ? 0 : 400e6 * ((number % 5) + 1),
      lightTimeSeconds: layer === "ltp" ? 1.3 : 0,
      overridden: kind === 6,
      ends: iso(this.startMs + HOUR_MS / 2 + number * 60_000),
      nextContact: null,
      inBundles: 0,
      inBytes: 0,
      outBundles: 0,
      outBytes: 0,
      queuedBundles: 0,
      queuedBytes: 0,
      refusedBundles: number % 5 === 4 ? 12 : 0,
      sendRefusedBundles: number % 6 === 5 ? 3 : 0,
      sessionsOpened: 1 + (number % 3),
      sessionsOpen: 1,
    };
    if (layer === "ltp") {
      link.ltp = {
        sessions: 40 + number,
        segmentsSent: 0,
        retransmittedSegments: 0,
        segmentsReceived: 0,
        blocksSent: 0,
      };
    }
    if (kind === 3 || kind === 7) {
      // No contact now; the next one comes.
      Object.assign(link, {
        planned: false,
        up: false,
        connected: kind === 7,
        ends: null,
        nextContact: iso(this.startMs + number * 90_000),
      });
    } else if (kind === 10) {
      Object.assign(link, { up: false, connected: false, reason: "connection refused" });
    }
    return link;
  }

  firstContacts() {
    const contacts = [];
    let contact = 1;
    for (const link of Object.values(this.state.links)) {
      if (link.direction === "in") continue;
      const begun = this.startMs - (8 + 3 * (link.number % 7)) * 60_000;
      const length = link.ends
        ? Date.parse(link.ends) - begun
        : HOUR_MS * (0.4 + (link.number % 4) * 0.2);
      const shift = link.ends ? begun : Date.parse(link.nextContact);
      for (let turn = -3; turn < this.turns; turn += 1) {
        const start = shift + turn * (length + HOUR_MS * 0.35);
        contacts.push({
          contact: contact++,
          source: OWN,
          dest: link.neighbour,
          startTime: iso(start),
          endTime: iso(start + length),
          rateBitsPerSec: link.rateBitsPerSec,
          owlt: link.lightTimeSeconds,
        });
      }
    }
    for (let pair = 0; pair < 3; pair += 1) {
      for (let turn = -2; turn < 20; turn += 1) {
        const start = this.startMs + turn * 2 * HOUR_MS + pair * 400_000;
        contacts.push({
          contact: contact++,
          source: 20 + pair * 10,
          dest: 30 + pair * 10,
          startTime: iso(start),
          endTime: iso(start + HOUR_MS),
          rateBitsPerSec: 1e6,
          owlt: 0.3,
        });
      }
    }
    this.state.plan.contacts = contacts.length;
    return contacts;
  }

  /** What the contacts of the last 40 minutes did, and a few things that went wrong. */
  firstEvents() {
    const past = [];
    const add = (secondsAgo, level, module, kind, text, link) =>
      past.push({ at: this.startMs - secondsAgo * 1_000, level, module, kind, text, link });
    add(
      2_400,
      "info",
      "scheduler",
      "plan",
      "contact plan version 7 is in force: 14 contacts added by command",
    );
    add(
      610,
      "error",
      "storage",
      "disk-slow",
      "disk 1 (store1) takes 840 ms to flush; it is 93 % full",
    );
    add(
      240,
      "warning",
      "ingress",
      "refused",
      "link 4 from node 50: 12 bundles refused, larger than maxBundleSizeBytes (33 554 432)",
    );
    add(
      131,
      "warning",
      "egress",
      "link-down",
      "link 10 to node 110 is down: connection refused",
      10,
    );
    add(
      130,
      "info",
      "router",
      "re-route",
      "18 204 bundles for node 110 take another way: link 5 to node 60",
    );
    for (const contact of this.contacts) {
      const link = Object.values(this.state.links).find((one) => one.neighbour === contact.dest);
      if (contact.source !== OWN || !link) continue;
      const late = 1 + (contact.contact % 9) * 4;
      const ago = (time) => (this.startMs - Date.parse(time)) / 1_000;
      const begun = ago(contact.startTime) - late;
      const ended = ago(contact.endTime);
      const name = `link ${link.number} to node ${link.neighbour}`;
      if (begun > 0 && begun < 2_400)
        add(begun, "info", "egress", "link-up", `${name} is up`, link.number);
      if (ended > 0 && ended < 2_400) {
        add(ended, "info", "egress", "link-down", `${name} is down: contact ended`, link.number);
      }
    }
    past.sort((a, b) => a.at - b.at);
    for (const one of past)
      this.note(one.level, one.module, one.kind, one.text, one.link, iso(one.at));
  }

  note(level, module, kind, text, link, time = iso(this.nowMs)) {
    const event = {
      id: FIRST_EVENT + this.events.length + 1,
      time,
      level,
      module,
      kind,
      text,
      ...(link ? { link } : {}),
    };
    this.events.push(event);
    for (const listener of this.listeners.events) listener([event]);
    return event;
  }

  on(what, listener) {
    this.listeners[what].push(listener);
  }

  /** One tenth of a second; `silent` for the past before the server starts. */
  advance(silent = false) {
    this.step += 1;
    if (!silent) this.nowMs += STEP_MS;
    const seconds = STEP_MS / 1_000;
    const patch = {
      links: {},
      flow: {},
      node: {},
      storage: {},
      latency: { cutThrough: {} },
      process: {},
    };
    const { flow, links } = this.state;
    let sent = 0;
    for (const [key, link] of Object.entries(links)) {
      const bits = rateOf(link, this.step);
      const bundles = Math.round((bits * seconds) / 8 / BUNDLE_BYTES);
      const change = {};
      if (link.direction !== "out" && link.connected) {
        change.inBundles = link.inBundles + bundles;
        change.inBytes = link.inBytes + bundles * BUNDLE_BYTES;
        flow.receivedBundles += bundles;
      }
      if (link.direction !== "in" && link.up) {
        change.outBundles = link.outBundles + bundles;
        change.outBytes = link.outBytes + bundles * BUNDLE_BYTES;
        sent += bundles;
        change.queuedBundles = Math.round(40 * wave(this.step, 90, link.number));
        change.queuedBytes = change.queuedBundles * BUNDLE_BYTES;
        if (link.ltp) {
          change.ltp = {
            sessions: Math.round(40 + 20 * wave(this.step, 60, link.number)),
            segmentsSent: link.ltp.segmentsSent + bundles * 9,
            retransmittedSegments: link.ltp.retransmittedSegments + (this.step % 40 === 0 ? 3 : 0),
          };
        }
      }
      if (Object.keys(change).length) patch.links[key] = change;
    }
    this.flowOf(patch, sent);
    this.apply(patch, silent);
  }

  /** As many steps as time has passed: a machine that is busy makes no dent in the traffic. */
  catchUp() {
    if (this.frozen) this.nowMs = Math.max(this.nowMs, Date.now());
    else while (this.nowMs + STEP_MS <= Date.now()) this.advance();
  }

  flowOf(patch, sent) {
    const { flow, storage, node, latency } = this.state;
    const cut = Math.round(sent * 0.86);
    const stored = Math.round(sent * 0.2);
    patch.flow = {
      receivedBundles: flow.receivedBundles,
      receivedBytes: flow.receivedBundles * BUNDLE_BYTES,
      cutThroughBundles: flow.cutThroughBundles + cut,
      storedBundles: flow.storedBundles + stored,
      releasedBundles: flow.releasedBundles + sent - cut,
      forwardedBundles: flow.forwardedBundles + sent,
      deliveredBundles: flow.deliveredBundles + (this.step % 10 === 0 ? 1 : 0),
      inFlightBundles: Math.round(400 + 200 * wave(this.step, 50, 1)),
    };
    const bundles = Math.max(0, storage.bundles + stored - (sent - cut));
    patch.storage = {
      bundles,
      bytes: bundles * BUNDLE_BYTES,
      disks: { 0: { usedBytes: Math.round(61.2e9 + bundles * 1_000) } },
    };
    // Storage counts once a second; of many destinations some have changed.
    patch.pending = this.step % 10 === 0 ? this.morePending(this.step / 10, CHANGED_PART) : {};
    for (const [place, destination] of [40, 80, 110].entries()) {
      const waiting = Math.round((bundles * (3 - place)) / 6);
      patch.pending[destination] = {
        destination,
        bundles: waiting,
        bytes: waiting * BUNDLE_BYTES,
        nextExpiry: iso(this.startMs + HOUR_MS * (place + 0.2)),
      };
    }
    patch.endpoints = this.step % 10 === 0 ? changedEndpoints(this.state.endpoints) : {};
    patch.node = { time: iso(this.nowMs), uptimeSeconds: this.uptimeSeconds + this.step / 10 };
    patch.latency.cutThrough = {
      p50Micros: Math.round(180 + 10 * wave(this.step, 70, 0)),
      p99Micros: Math.round(900 + 100 * wave(this.step, 110, 2)),
      count: latency.cutThrough.count + cut,
    };
    patch.process = { cpuPercent: Math.round(35 + 6 * wave(this.step, 130, 0)) };
  }

  /** What waits for further destinations, for one in `part` of them. */
  morePending(turn, part) {
    const pending = {};
    for (let place = turn % part; place < this.furtherPending; place += part) {
      const bundles = 1 + ((place * 7 + turn) % 900);
      pending[10_000 + place] = {
        destination: 10_000 + place,
        bundles,
        bytes: bundles * BUNDLE_BYTES,
        nextExpiry: iso(this.startMs + HOUR_MS + place * 1_000),
      };
    }
    return pending;
  }

  apply(patch, silent = false) {
    merge(this.state, patch);
    if (!silent) for (const listener of this.listeners.patch) listener(patch);
  }

  setLink(key, up) {
    const link = this.state.links[key];
    const open = link.ends !== null;
    this.apply({
      links: { [key]: { enabled: up, up: up && open && link.connected, planned: up && open } },
    });
    this.note(
      up ? "info" : "warning",
      "scheduler",
      up ? "link-up" : "link-down",
      `link ${key} to node ${link.neighbour} is ${up ? "up" : "down: by operator"}`,
      link.number,
    );
  }

  /** Raises an alarm; returns its id. */
  raise(alarm) {
    const id = (this.lastAlarm += 1);
    this.apply({ alarms: { [id]: { id, since: iso(this.nowMs), ...alarm } } });
    this.note("warning", "telemetry", "alarm", alarm.text, alarm.link);
    return id;
  }

  endAlarm(id) {
    const alarm = { ...this.state.alarms[id], ended: iso(this.nowMs) };
    this.ended.unshift(alarm);
    this.apply({ alarms: { [id]: null } });
    this.note("info", "telemetry", "alarm-ended", alarm.text, alarm.link);
  }

  /** The last `seconds`, of `names` or of all. */
  history(seconds, names) {
    const points = Math.min(3_600, seconds);
    const wanted = (name) => !names || names.includes(name);
    const all = this.allHistory(points, wanted);
    if (names)
      for (const name of Object.keys(all.series)) if (!wanted(name)) delete all.series[name];
    return all;
  }

  allHistory(points, wanted) {
    const series = { in: new Array(points).fill(0), out: new Array(points).fill(0) };
    const sums = wanted("in") || wanted("out");
    for (const [key, link] of Object.entries(this.state.links)) {
      if (!sums && !wanted(`link.${key}.in`) && !wanted(`link.${key}.out`)) continue;
      const rates = Array.from({ length: points }, (_one, place) =>
        Math.round(rateOf(link, this.step - (points - 1 - place) * 10)),
      );
      const runs = {
        in: link.direction !== "out" && link.connected,
        out: link.direction !== "in" && link.up,
      };
      for (const [way, running] of Object.entries(runs)) {
        series[`link.${key}.${way}`] = running ? rates : new Array(points).fill(0);
        if (running) rates.forEach((rate, place) => (series[way][place] += rate));
      }
    }
    // What happened before the node knew: a gap.
    for (const way of ["in", "out"]) series[way].fill(null, 901, Math.min(930, points));
    series.stored = new Array(points).fill(this.state.storage.bundles);
    const end = Math.floor(this.nowMs / 1_000) * 1_000;
    return { stepSeconds: 1, end: iso(end), points, series };
  }
}

/** RFC 7396, for objects that are the mock's own. */
export function merge(target, patch) {
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete target[key];
    else if (typeof value === "object" && !Array.isArray(value)) merge((target[key] ??= {}), value);
    else target[key] = value;
  }
}
