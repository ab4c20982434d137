// SPDX-License-Identifier: Apache-2.0
// Problem documents (RFC 9457) of refused requests, as lines for the operator.

export interface ProblemEntry {
  path?: string;
  problem?: string;
  expected?: string;
  hint?: string;
}

export interface Problem {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  errors?: ProblemEntry[];
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problemLines(problem, status)[0] ?? `the node answered ${status}`);
  }

  get lines(): string[] {
    return problemLines(this.problem, this.status);
  }
}

const entryLine = (entry: ProblemEntry): string => {
  const parts = [
    entry.path ? `${entry.path}: ${entry.problem ?? "is wrong"}` : (entry.problem ?? ""),
  ];
  if (entry.expected) parts.push(`expected ${entry.expected}`);
  if (entry.hint) parts.push(entry.hint);
  return parts.filter(Boolean).join("; ");
};

const ADVICE: Record<number, string> = {
  401: "Enter a valid token: the node prints one, or its configuration names the file.",
  403: "This token may only read. Enter one with the role operate.",
  429: "Too many requests. Wait a moment and try again.",
};

/** The first line is the error, each further one a value to change. */
export function problemLines(problem: Problem, status: number): string[] {
  const lines = [problem.detail ?? problem.title ?? `The node answered ${status}.`];
  for (const entry of problem.errors ?? []) lines.push(entryLine(entry));
  const advice = ADVICE[status];
  if (advice && !problem.errors?.length) lines.push(advice);
  return lines.filter(Boolean);
}

/** The lines for the operator about any failure of a request. */
export function failureLines(error: unknown): string[] {
  if (error instanceof ApiError) return error.lines;
  if (error instanceof TypeError)
    return ["No reply from the node.", "Check that it is running and reachable from this machine."];
  return [error instanceof Error ? error.message : String(error)];
}
