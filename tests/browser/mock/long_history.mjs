// SPDX-License-Identifier: Apache-2.0
// Rates of the mock node from its disk: a day's ups and downs, and a night without the node.
import { Refusal } from "./refusal.mjs";

const HOUR_MS = 3_600_000;

export function longHistory(world, query) {
  if (world.withoutDisk)
    throw new Refusal(400, "Bad Request", "`from`: expected `seconds` or `series`");
  const from = Date.parse(query.get("from"));
  const to = Date.parse(query.get("to"));
  const step = Number(query.get("step") ?? 60);
  if (!(from < to)) throw new Refusal(400, "Bad Request", "`from`: expected a time before `to`");
  const points = Math.floor((to - from) / 1_000 / step);
  const gapFrom = world.startMs - 30 * HOUR_MS;
  const series = {};
  for (const [turn, name] of (query.get("series") ?? "in,out").split(",").entries()) {
    series[name] = Array.from({ length: points }, (_one, place) => {
      const at = from + place * step * 1_000;
      if (at > gapFrom && at < gapFrom + 4 * HOUR_MS) return null;
      const day = 1 + Math.sin((2 * Math.PI * at) / (24 * HOUR_MS) + turn);
      return Math.round(4e8 * day + 1e8 * (1 + Math.sin(at / 1.7e6 + turn)));
    });
  }
  return { from: new Date(from).toISOString(), step, series };
}
