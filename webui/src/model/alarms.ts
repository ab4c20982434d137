// SPDX-License-Identifier: Apache-2.0
// What needs a person, the worst first.
import type { Alarm } from "../api/types";

const RANK = { critical: 0, warning: 1 };

/** Critical ones first, then the oldest: a cause precedes its symptoms. */
export function alarmsByRank(alarms: Record<string, Alarm> | undefined): Alarm[] {
  const rank = (one: Alarm): number => RANK[one.severity] ?? 1;
  return Object.values(alarms ?? {}).sort((a, b) => rank(a) - rank(b) || a.id - b.id);
}

/** What an alarm is about, as a place of the page: `#link=3`, `#storage`. */
export function placeOf(alarm: Alarm): { href: string; label: string } | undefined {
  if (alarm.link !== undefined) return { href: `#link=${alarm.link}`, label: `link ${alarm.link}` };
  if (alarm.disk !== undefined) return { href: "#storage", label: `disk ${alarm.disk}` };
  if (/^plan-|contact/.test(alarm.name)) return { href: "#plan", label: "contact plan" };
  if (/^(storage|disk)-/.test(alarm.name)) return { href: "#storage", label: "storage" };
  if (alarm.neighbour !== undefined) return { href: "#links", label: `node ${alarm.neighbour}` };
  return undefined;
}
