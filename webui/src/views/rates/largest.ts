// SPDX-License-Identifier: Apache-2.0
import type { Columns } from "../../model/rate_history";

/** The largest value of all columns in a stretch of time; 0 without any. */
export function largest(columns: Columns, from: number, to: number): number {
  const [times, ...lists] = columns;
  let most = 0;
  for (let row = 0; row < times.length; row += 1) {
    if (times[row]! < from || times[row]! > to) continue;
    for (const list of lists) most = Math.max(most, list[row] ?? 0);
  }
  return most;
}
