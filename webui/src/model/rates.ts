// SPDX-License-Identifier: Apache-2.0
// Rates from totals: the growth of a counter in the last second, at each sample.

const SAMPLES = 16;

/**
 * Keeps the last samples of any number of counters on one time line. A rate covers about a second,
 * so that it does not jump when updates arrive in bursts.
 */
export class Rates {
  private readonly times = new Float64Array(SAMPLES).fill(Number.NaN);
  private readonly totals = new Map<string, Float64Array>();
  private newest = -1;

  constructor(private readonly windowSeconds = 1) {}

  /** Begins a moment; a counter that is not added to it is unknown at that moment. */
  begin(atSeconds: number): void {
    this.newest = (this.newest + 1) % SAMPLES;
    this.times[this.newest] = atSeconds;
    for (const ring of this.totals.values()) ring[this.newest] = Number.NaN;
  }

  count(name: string, total: number | undefined): void {
    if (total === undefined) return;
    let ring = this.totals.get(name);
    if (!ring) this.totals.set(name, (ring = new Float64Array(SAMPLES).fill(Number.NaN)));
    ring[this.newest] = total;
  }

  /** Adds all counters of one moment; a missing counter is unknown at that moment. */
  sample(atSeconds: number, counters: Iterable<readonly [string, number | undefined]>): void {
    this.begin(atSeconds);
    for (const [name, total] of counters) this.count(name, total);
  }

  /**
   * Growth per second over the window; undefined until half of it is known, and after a restart.
   */
  perSecond(name: string): number | undefined {
    const ring = this.totals.get(name);
    if (!ring || this.newest < 0) return undefined;
    const now = this.times[this.newest]!;
    const total = ring[this.newest]!;
    if (Number.isNaN(total)) return undefined;
    let rate: number | undefined;
    const least = this.windowSeconds / 2;
    for (let back = 1; back < SAMPLES; back += 1) {
      const place = (this.newest - back + SAMPLES) % SAMPLES;
      const age = now - this.times[place]!;
      const before = ring[place]!;
      // A smaller counter shows that the node has restarted.
      if (!(age > 0) || !(before <= total)) break;
      if (age >= least) rate = (total - before) / age;
      if (age >= this.windowSeconds - 0.05) break;
    }
    return rate;
  }

  forget(name: string): void {
    this.totals.delete(name);
  }

  reset(): void {
    this.times.fill(Number.NaN);
    this.totals.clear();
    this.newest = -1;
  }
}
