// SPDX-License-Identifier: Apache-2.0
// The newest lines of the node's event log, each once, oldest first.
import type { NodeEvent } from "../api/types";

const MOST_EVENTS = 1_000;

export class EventLog {
  private list: NodeEvent[] = [];
  private version_ = 0;

  get events(): readonly NodeEvent[] {
    return this.list;
  }

  /** Grows with every change. */
  get version(): number {
    return this.version_;
  }

  /** Returns the new ones. */
  add(events: readonly NodeEvent[]): NodeEvent[] {
    const have = new Set(this.list.map((event) => event.id));
    const fresh = events.filter((event) => !have.has(event.id) && have.add(event.id));
    if (fresh.length === 0) return fresh;
    this.list = [...this.list, ...fresh].sort((a, b) => a.id - b.id).slice(-MOST_EVENTS);
    this.version_ += 1;
    return fresh;
  }

  clear(): void {
    this.list = [];
    this.version_ += 1;
  }
}
