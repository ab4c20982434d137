// SPDX-License-Identifier: Apache-2.0
// Requests to /api/v1 of the server that the page came from.
import { ApiError, type Problem } from "./problem";
import type {
  Alarms,
  Contact,
  ContactPlan,
  Deletion,
  Explanation,
  History,
  LinkState,
  LongHistory,
  NodeEvent,
  PlanChange,
  ReceivedBundle,
  Role,
  RouteTable,
  StoredBundles,
} from "./types";

const TIMEOUT_MS = 15_000;

const dry = (dryRun: boolean): string => (dryRun ? "?dryRun=true" : "");

export class Rest {
  constructor(private readonly token: () => string) {}

  session(token: string): Promise<{ role: Role }> {
    return this.request("GET", "session", undefined, token);
  }

  history(seconds: number, series: readonly string[]): Promise<History> {
    return this.request("GET", `history?seconds=${seconds}&series=${series.join()}`);
  }

  /** From disk; a node without it refuses, or answers with its last hour. */
  longHistory(
    from: string,
    to: string,
    step: number,
    series: readonly string[],
  ): Promise<LongHistory> {
    const query = new URLSearchParams({ from, to, step: String(step), series: series.join() });
    return this.request("GET", `history?${query.toString()}`);
  }

  alarms(): Promise<Alarms> {
    return this.request("GET", "alarms");
  }

  async events(limit: number): Promise<NodeEvent[]> {
    const answer = await this.request<NodeEvent[] | { events?: NodeEvent[] }>(
      "GET",
      `events?limit=${limit}`,
    );
    return Array.isArray(answer) ? answer : (answer.events ?? []);
  }

  contactPlan(): Promise<ContactPlan> {
    return this.request("GET", "contact-plan");
  }

  /** A plan as contacts, or the text of ION's commands. */
  replacePlan(plan: unknown[] | string, dryRun: boolean): Promise<PlanChange> {
    const path = `contact-plan${dry(dryRun)}`;
    return this.request("PUT", path, typeof plan === "string" ? plan : { contacts: plan });
  }

  addContact(contact: Contact, dryRun: boolean): Promise<PlanChange> {
    return this.request("POST", `contact-plan/contacts${dry(dryRun)}`, { contacts: [contact] });
  }

  changeContact(contact: Partial<Contact>, dryRun: boolean): Promise<PlanChange> {
    return this.request("PATCH", `contact-plan${dry(dryRun)}`, { contacts: [contact] });
  }

  removeContact(contact: number, dryRun: boolean): Promise<PlanChange> {
    return this.request("DELETE", `contact-plan/contacts/${contact}${dry(dryRun)}`);
  }

  /** Bundles in storage, a page at a time; `destination` is an endpoint, or all of a node. */
  storedBundles(destination: string, after: string, limit: number): Promise<StoredBundles> {
    const query = new URLSearchParams({ limit: String(limit) });
    if (destination) query.set("destination", destination);
    if (after) query.set("after", after);
    return this.request("GET", `storage/bundles?${query.toString()}`);
  }

  deleteBundle(bundle: string, force: boolean): Promise<Deletion> {
    const query = force ? "?force=true" : "";
    return this.request("DELETE", `storage/bundles/${encodeURIComponent(bundle)}${query}`);
  }

  deleteBundlesFor(destination: string, after: string, force: boolean): Promise<Deletion> {
    const query = new URLSearchParams({ destination });
    if (after) query.set("after", after);
    if (force) query.set("force", "true");
    return this.request("DELETE", `storage/bundles?${query.toString()}`);
  }

  routes(): Promise<RouteTable> {
    return this.request("GET", "routes");
  }

  explain(source: string, destination: string, sizeBytes: string): Promise<Explanation> {
    const query = new URLSearchParams({ source, destination, sizeBytes });
    return this.request("GET", `routes/explain?${query.toString()}`);
  }

  setLink(link: string, up: boolean): Promise<LinkState> {
    return this.request("POST", `links/${encodeURIComponent(link)}/${up ? "up" : "down"}`);
  }

  setDrained(drained: boolean): Promise<{ drained: boolean }> {
    return this.request("POST", drained ? "drain" : "resume");
  }

  setHeld(node: string, held: boolean): Promise<{ held: (number | string)[] }> {
    return this.request(held ? "PUT" : "DELETE", `storage/holds/${encodeURIComponent(node)}`);
  }

  /** Sends a text as a bundle; its id, once the node has accepted it. */
  async sendBundle(source: string, destination: string, text: string): Promise<string> {
    const query = new URLSearchParams({ source, destination });
    const answer = await this.request<{ id: string }>("POST", `bundles?${query.toString()}`, text);
    return answer.id;
  }

  /** The next bundle that waits at an endpoint, if there is one. */
  async receiveBundle(endpoint: string): Promise<ReceivedBundle | undefined> {
    const path = `endpoints/${encodeURIComponent(endpoint)}/receive?waitSeconds=1&leaseSeconds=60`;
    const response = await this.send("POST", path);
    if (response.status === 204) return undefined;
    if (!response.ok) await this.parsed(response);
    const { headers } = response;
    return {
      id: headers.get("Farlink-Id") ?? "",
      lease: headers.get("Farlink-Lease") ?? "",
      leaseSeconds: Number(headers.get("Farlink-Lease-Seconds") ?? 0),
      repeated: headers.get("Farlink-Repeated") === "true",
      payload: new Uint8Array(await response.arrayBuffer()),
    };
  }

  /** The bundle of the lease is not given again. */
  acceptLease(lease: string): Promise<void> {
    return this.request("DELETE", `leases/${encodeURIComponent(lease)}`);
  }

  private async request<T>(
    method: string,
    path: string,
    body?: unknown,
    token = this.token(),
  ): Promise<T> {
    return this.parsed<T>(await this.send(method, path, body, token));
  }

  private send(
    method: string,
    path: string,
    body?: unknown,
    token = this.token(),
  ): Promise<Response> {
    const headers: Record<string, string> = { Accept: "application/json" };
    if (token) headers["Authorization"] = `Bearer ${token}`;
    const text = typeof body === "string";
    if (body !== undefined) headers["Content-Type"] = text ? "text/plain" : "application/json";
    return fetch(`/api/v1/${path}`, {
      method,
      headers,
      body: body === undefined ? null : text ? body : JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  }

  private async parsed<T>(response: Response): Promise<T> {
    const reply = await response.text();
    let parsed: unknown = null;
    try {
      parsed = reply ? JSON.parse(reply) : null;
    } catch {
      if (response.ok) throw new Error("The reply of the node is not JSON.");
    }
    if (!response.ok) throw new ApiError(response.status, (parsed ?? {}) as Problem);
    return parsed as T;
  }
}
