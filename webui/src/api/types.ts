// SPDX-License-Identifier: Apache-2.0
// The state document of the server (docs/formats/live-updates.md). Every member may be absent: the
// page shows a dash for an unknown value.
import type { FlowCounters, LinkCounters, LtpCounter, StorageCounters } from "./counters";

export interface NodeState {
  id?: string;
  number?: number;
  version?: string;
  time?: string;
  uptimeSeconds?: number;
  ready?: boolean;
  /** The reason why a ready node works with limits; empty: it has none. */
  degraded?: string;
  /** The node is in drain mode: it accepts no new bundles. */
  drained?: boolean;
}

export type FlowState = FlowCounters;

export interface LinkState extends LinkCounters {
  number?: number;
  name?: string;
  layer?: string;
  direction?: "in" | "out" | "both";
  neighbour?: number | null;
  proved?: boolean;
  claimedNode?: number;
  claimedName?: string;
  /** Of an induct: the node ids for which it refused a session in the last minute. */
  refused?: { nodeId: string; reason: string }[];
  address?: string;
  planned?: boolean;
  enabled?: boolean;
  connected?: boolean;
  up?: boolean;
  reason?: string;
  rateBitsPerSec?: number;
  lightTimeSeconds?: number | null;
  /** The operator has set the rate or the one-way light time. */
  overridden?: boolean;
  ends?: string | null;
  nextContact?: string | null;
  ltp?: Partial<Record<LtpCounter, number | null>>;
  neighbourRetriedInSeconds?: number;
}

export type Severity = "warning" | "critical";

/** Something that needs a person. */
export interface Alarm {
  id: number;
  name: string;
  severity: Severity;
  since: string;
  ended?: string;
  link?: number;
  neighbour?: number;
  disk?: number;
  module?: string;
  text: string;
  action?: string;
}

export interface Alarms {
  active: Alarm[];
  ended: Alarm[];
}

export interface DiskState {
  path?: string;
  state?: string;
  usedBytes?: number;
  capacityBytes?: number;
}

export interface StorageState extends StorageCounters {
  disks?: Record<string, DiskState>;
  /** Number of destinations; `pending` has those with the most bundles only. */
  destinations?: number;
  /** Nodes whose bundles the operator holds. */
  held?: Record<string, boolean>;
}

export interface PendingState {
  destination?: number | string;
  bundles?: number;
  bytes?: number;
  nextExpiry?: string | null;
}

/** Of an application. */
export interface EndpointState {
  endpoint?: string;
  link?: number;
  /** Otherwise it ends with its connections. */
  configured?: boolean;
  /** Connections that receive there. */
  receivers?: number;
  /** Those, and those that send. */
  connections?: number;
  /** With the module of applications, for a receiver. */
  waitingBundles?: number;
  waitingBytes?: number;
  /** Of them, those that a receiver has and has not accepted. */
  leasedBundles?: number;
  storedBundles?: number;
  storedBytes?: number;
  deliveredBundles?: number;
  deliveredBytes?: number;
  sentBundles?: number;
  sentBytes?: number;
}

export interface LatencyState {
  p50Micros?: number;
  p99Micros?: number;
  p999Micros?: number;
  count?: number;
}

export interface State {
  node?: NodeState;
  /** `reportAgeSeconds`: of its figures, where they are old. */
  modules?: Record<string, { state?: string; reportAgeSeconds?: number }>;
  flow?: FlowState;
  links?: Record<string, LinkState>;
  storage?: StorageState;
  pending?: Record<string, PendingState>;
  /** Of applications, by name: ipn:10.42. */
  endpoints?: Record<string, EndpointState>;
  plan?: { version?: number; contacts?: number };
  routes?: { version?: number };
  latency?: { cutThrough?: LatencyState };
  /** Those that are active, by their ids. */
  alarms?: Record<string, Alarm>;
  process?: { cpuPercent?: number; residentBytes?: number; threads?: number };
}

export type Level = "info" | "warning" | "error";

export interface NodeEvent {
  id: number;
  time: string;
  level: Level;
  module?: string;
  kind?: string;
  link?: number;
  text: string;
}

export type ServerMessage =
  | { type: "state"; state: State }
  | { type: "patch"; patch: Record<string, unknown> }
  | { type: "events"; events: NodeEvent[] };

export interface History {
  stepSeconds: number;
  end: string;
  points: number;
  series: Record<string, (number | null)[]>;
}

/** Rates of a longer time, from disk. */
export interface LongHistory {
  from: string;
  step: number;
  series: Record<string, (number | null)[]>;
}

export interface StoredBundle {
  bundle: string;
  state?: string;
  destination?: string | null;
  source?: string;
  created?: string | null;
  sequence?: number | string;
  fragment?: { offset?: number; totalBytes?: number } | null;
  priority?: string | number;
  bytes?: number;
  expires?: string | null;
  custody?: boolean;
  disk?: string;
}

export interface StoredBundles {
  bundles: StoredBundle[];
  more?: boolean;
  next?: string;
}

export interface Deletion {
  deleted?: number;
  deletedBytes?: number;
  kept?: number;
  keptInCustody?: number;
  more?: boolean;
  next?: string;
}

export interface Contact {
  contact: number;
  source: number;
  dest: number;
  startTime: string;
  endTime: string;
  rateBitsPerSec?: number;
  owlt?: number;
}

export interface ContactPlan {
  plan?: { version?: number; configured?: boolean; changedByCommand?: boolean; contacts?: number };
  contacts: Contact[];
}

export interface PlanChange {
  dryRun?: boolean;
  nothingChanges?: boolean;
  version?: number;
  contacts?: number;
  added?: number;
  changed?: number;
  removed?: number;
  links?: { link?: number; neighbour?: number; before?: unknown; after?: unknown }[];
  routes?: { destination?: number; before?: unknown; after?: unknown }[];
  warnings?: string[];
}

export interface RouteCandidate {
  nextHop?: number;
  link?: number | null;
  arrival?: string | null;
  up?: boolean;
  enabled?: boolean;
  maxBundleBytes?: number;
}

export interface RouteTable {
  policies?: Record<string, unknown>[];
  routes?: { destination: number; candidates: RouteCandidate[] }[];
  staticRoutes?: (RouteCandidate & { destination?: unknown })[];
  defaultGateway?: RouteCandidate | null;
}

export interface Explanation {
  critical?: boolean;
  waitingBytes?: number;
  outcome?: string;
  ways?: {
    rule?: string;
    policy?: number;
    nextHop?: number;
    link?: number | null;
    up?: boolean;
    enabled?: boolean;
    arrival?: string | null;
    roomBytes?: number;
    taken?: boolean;
    why?: string;
  }[];
}

export type Role = "none" | "applications" | "read" | "operate";

/** A bundle that this page has leased. */
export interface ReceivedBundle {
  id: string;
  lease: string;
  leaseSeconds: number;
  repeated: boolean;
  payload: Uint8Array;
}
