// SPDX-License-Identifier: Apache-2.0
// Requests to /api/v1 of the server that the page came from.
import { ApiError, type Problem } from "./problem";
import type {
  ContactPlan,
  Explanation,
  History,
  LinkState,
  NodeEvent,
  PlanChange,
  Role,
  RouteTable,
} from "./types";

const TIMEOUT_MS = 15_000;

export class Rest {
  constructor(private readonly token: () => string) {}

  session(token: string): Promise<{ role: Role }> {
    return this.request("GET", "session", undefined, token);
  }

  history(seconds: number): Promise<History> {
    return this.request("GET", `history?seconds=${seconds}`);
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

  replacePlan(contacts: unknown[], dryRun: boolean): Promise<PlanChange> {
    return this.request("PUT", `contact-plan${dryRun ? "?dryRun=true" : ""}`, { contacts });
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

  private async request<T>(
    method: string,
    path: string,
    body?: unknown,
    token = this.token(),
  ): Promise<T> {
    const headers: Record<string, string> = { Accept: "application/json" };
    if (token) headers["Authorization"] = `Bearer ${token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const response = await fetch(`/api/v1/${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    let parsed: unknown = null;
    try {
      parsed = text ? JSON.parse(text) : null;
    } catch {
      if (response.ok) throw new Error("The reply of the node is not JSON.");
    }
    if (!response.ok) throw new ApiError(response.status, (parsed ?? {}) as Problem);
    return parsed as T;
  }
}
