// SPDX-License-Identifier: Apache-2.0
// The newest lines of the node's event log, each once, oldest first; and the last of each kind, so
// that a link that flaps does not push out the rest.
import type { NodeEvent } from "../api/types";

const MOST_EVENTS = 1_000;
const OF_A_KIND = 20;

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
    this.list = bounded([...this.list, ...fresh].sort((a, b) => a.id - b.id));
    this.version_ += 1;
    return fresh;
  }

  clear(): void {
    this.list = [];
    this.version_ += 1;
  }
}

/** The last ones of each kind stay, of the others the oldest go. */
function bounded(events: NodeEvent[]): NodeEvent[] {
  let over = events.length - MOST_EVENTS;
  if (over <= 0) return events;
  const left = new Map<string, number>();
  for (const { kind = "" } of events) left.set(kind, (left.get(kind) ?? 0) + 1);
  return events.filter(({ kind = "" }) => {
    const many = left.get(kind)!;
    if (over === 0 || many <= OF_A_KIND) return true;
    left.set(kind, many - 1);
    over -= 1;
    return false;
  });
}
