// SPDX-License-Identifier: Apache-2.0
// What the bar at the top says of the node: ready or not, while it says anything at all; and how
// old the data are once it does not.
import type { State } from "../../api/types";
import { span } from "../../format/time";
import { DASH } from "../../format/units";

export interface Readiness {
  text: string;
  kind: "good" | "degraded" | "bad" | "idle";
}

/** `ageMs`: since the last update, where the connection is lost; otherwise undefined. */
export function readiness({ node, modules }: State, ageMs: number | undefined): Readiness {
  if (!node) return { text: DASH, kind: "idle" };
  const missing = Object.entries(modules ?? {}).filter(([, module]) => module.state !== "ready");
  const ready = node.ready === true && missing.length === 0;
  const why = missing.map(([name, module]) => `${name} ${module.state ?? "unknown"}`).join(", ");
  const degraded = ready && node.degraded ? `degraded: ${node.degraded}` : "";
  const text = ready ? degraded || "ready" : why || "not ready";
  if (ageMs !== undefined) return { text: `was ${text} ${span(ageMs)} ago`, kind: "idle" };
  return { text, kind: ready ? (degraded ? "degraded" : "good") : "bad" };
}

/** The title of the tab: what is wrong stands first, since tabs are narrow. */
export function pageTitle(id: string, alarms: number, lost: boolean, place: string): string {
  const name = [place, id, "farlink"].filter(Boolean).join(" · ");
  if (lost) return `✕ no connection · ${name}`;
  return alarms ? `(${alarms}) ${name}` : name;
}
