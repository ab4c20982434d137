// SPDX-License-Identifier: Apache-2.0
// How old the figures of a module are that does not report: they stay on the page as they were.
import type { State } from "../api/types";
import { span } from "../format/time";

/** "The figures of egress are 12 s old: it does not report."; empty: they are of now. */
export function oldFigures({ modules = {} }: State, roles: readonly string[]): string {
  const old = Object.entries(modules)
    .filter(([name]) => roles.some((role) => name.startsWith(role)))
    .flatMap(([name, { reportAgeSeconds: age }]) =>
      age === undefined ? [] : [`${name} are ${span(age * 1000)} old`],
    );
  if (!old.length) return "";
  const why = old.length === 1 ? "it does not report" : "they do not report";
  return `The figures of ${old.join(", of ")}: ${why}.`;
}
