// SPDX-License-Identifier: Apache-2.0
// Fetches by REST what the live updates do not contain: history and events at each connection, plan
// and routes after each new version.
import type { Rest } from "./api/rest";
import type { Store } from "./model/store";

const HOUR_SECONDS = 3600;
const EVENTS = 200;
const RETRY_MS = 5_000;

export class DetailFetcher {
  private eventsDue = false;
  private planVersion: number | undefined;
  private routesVersion: number | undefined;
  private readonly fetching = new Set<string>();

  constructor(
    private readonly store: Store,
    private readonly rest: Rest,
    private readonly changed_: () => void,
  ) {}

  /** A connection has begun: fetches everything again, since changes before it were missed. */
  began(): void {
    this.planVersion = this.routesVersion = undefined;
    this.eventsDue = true;
    this.store.history.fetched.clear();
    this.changed();
  }

  /** Keeps series for the charts, beginning with the hour that the node has of them. */
  keep(names: readonly string[]): void {
    if (names.every((name) => this.store.kept.has(name))) return;
    for (const name of names) this.store.kept.add(name);
    this.changed();
  }

  changed(): void {
    const { kept, history } = this.store;
    if ([...kept].some((name) => !history.fetched.has(name))) {
      void this.fetch("history", async () => {
        const names = [...kept].filter((name) => !history.fetched.has(name));
        this.store.takeHistory(await this.rest.history(HOUR_SECONDS, names));
        for (const name of names) history.fetched.add(name);
      });
    }
    if (this.eventsDue) {
      void this.fetch("events", async () => {
        this.store.takeOlderEvents(await this.rest.events(EVENTS));
        this.eventsDue = false;
      });
    }
    const plan = this.store.state.plan?.version;
    if (plan !== this.planVersion || (plan === undefined && !this.store.plan)) {
      void this.fetch("plan", async () => {
        this.store.takePlan(await this.rest.contactPlan());
        this.planVersion = plan;
      });
    }
    const routes = this.store.state.routes?.version;
    if (routes !== this.routesVersion || (routes === undefined && !this.store.routes)) {
      void this.fetch("routes", async () => {
        this.store.routes = await this.rest.routes();
        this.routesVersion = routes;
      });
    }
  }

  // One request of a kind at a time; a failed request is repeated after RETRY_MS at the earliest.
  private async fetch(what: string, act: () => Promise<void>): Promise<void> {
    if (this.fetching.has(what)) return;
    this.fetching.add(what);
    try {
      await act();
      this.fetching.delete(what);
      this.changed_();
    } catch {
      setTimeout(() => this.fetching.delete(what), RETRY_MS);
    }
  }
}
