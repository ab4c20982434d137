// SPDX-License-Identifier: Apache-2.0
// How long to wait before the next attempt to connect: it doubles, with jitter, up to a limit.

export class Backoff {
  private attempts = 0;

  constructor(
    private readonly leastMs = 500,
    private readonly mostMs = 15_000,
    private readonly random: () => number = Math.random,
  ) {}

  next(): number {
    const full = Math.min(this.mostMs, this.leastMs * 2 ** this.attempts);
    this.attempts += 1;
    return Math.round(full * (0.75 + 0.25 * this.random()));
  }

  reset(): void {
    this.attempts = 0;
  }
}
