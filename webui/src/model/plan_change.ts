// SPDX-License-Identifier: Apache-2.0
// The effect of a plan change as text: counts first, then links, then routes.
import type { PlanChange } from "../api/types";
import { bitRate } from "../format/units";
import { parseTime, day, clock } from "../format/time";

const MOST_LINES = 12;

type Loose = Record<string, unknown>;

const time = (text: unknown): string => {
  const ms = typeof text === "string" ? parseTime(text) : undefined;
  return ms === undefined ? String(text) : `${day(ms)} ${clock(ms)}`;
};

/** A link's side of a change: open until when and at which rate, or closed until when. */
export function linkSide(side: unknown): string {
  if (typeof side !== "object" || side === null)
    return side === null || side === undefined ? "none" : String(side);
  const link = side as Loose;
  if (link["planned"] === true || link["open"] === true) {
    const ends = link["ends"] ?? link["until"];
    const rate = link["rateBitsPerSec"];
    const at = typeof rate === "number" && rate > 0 ? ` at ${bitRate(rate)}` : "";
    return `open${ends ? ` until ${time(ends)}` : ""}${at}`;
  }
  const next = link["nextContact"];
  return next ? `closed, next ${time(next)}` : "closed";
}

export function routeSide(side: unknown): string {
  const list = Array.isArray(side) ? side : (side as Loose | null)?.["candidates"];
  if (!Array.isArray(list) || list.length === 0) return "none";
  return (list as Loose[])
    .map((way) => `${String(way["nextHop"])} by link ${String(way["link"] ?? "none")}`)
    .join(", ");
}

const capped = (lines: string[], what: string): string[] =>
  lines.length > MOST_LINES
    ? [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} further ${what}`]
    : lines;

export function changeLines(change: PlanChange): string[] {
  if (change.nothingChanges) return ["No changes: the plan already has these contacts."];
  const { added = 0, changed = 0, removed = 0 } = change;
  const links = (change.links ?? []).map(
    ({ link, neighbour, before, after }) =>
      `Link ${link ?? "?"} to node ${neighbour ?? "?"}: ${linkSide(before)} → ${linkSide(after)}`,
  );
  const routes = (change.routes ?? []).map(
    ({ destination, before, after }) =>
      `Routes to node ${destination ?? "?"}: ${routeSide(before)} → ${routeSide(after)}`,
  );
  return [
    `${change.contacts ?? 0} contacts; ${added} added, ${changed} changed, ${removed} removed`,
    ...capped(links, "links"),
    ...capped(routes, "routes"),
    ...capped(
      (change.warnings ?? []).map((warning) => `Warning: ${warning}`),
      "warnings",
    ),
  ];
}
