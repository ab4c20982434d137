// SPDX-License-Identifier: Apache-2.0
// Series of values on a fixed time grid, in rings of constant memory.

/** One ring for each name; slot n is the time n * step. An unknown value is NaN. */
export class SeriesRing {
  private readonly values = new Map<string, Float32Array>();
  private newest = -1;

  constructor(
    readonly stepSeconds: number,
    readonly slots: number,
  ) {}

  slotOf(seconds: number): number {
    return Math.round(seconds / this.stepSeconds);
  }

  timeOf(slot: number): number {
    return slot * this.stepSeconds;
  }

  get newestSlot(): number {
    return this.newest;
  }

  get oldestSlot(): number {
    return Math.max(0, this.newest - this.slots + 1);
  }

  get names(): Iterable<string> {
    return this.values.keys();
  }

  /** Makes `slot` the newest one; the slots in between are unknown. */
  advance(slot: number): void {
    if (slot <= this.newest) return;
    const first =
      this.newest < 0 ? slot - this.slots + 1 : Math.max(this.newest + 1, slot - this.slots + 1);
    for (const ring of this.values.values()) {
      for (let at = first; at <= slot; at += 1) ring[this.index(at)] = Number.NaN;
    }
    this.newest = slot;
  }

  set(name: string, slot: number, value: number | null | undefined): void {
    if (slot > this.newest) this.advance(slot);
    if (slot < this.oldestSlot) return;
    let ring = this.values.get(name);
    if (!ring) this.values.set(name, (ring = new Float32Array(this.slots).fill(Number.NaN)));
    ring[this.index(slot)] = value ?? Number.NaN;
  }

  get(name: string, slot: number): number | null {
    if (slot > this.newest || slot < this.oldestSlot) return null;
    const value = this.values.get(name)?.[this.index(slot)];
    return value === undefined || Number.isNaN(value) ? null : value;
  }

  forget(name: string): void {
    this.values.delete(name);
  }

  clear(): void {
    this.values.clear();
    this.newest = -1;
  }

  private index(slot: number): number {
    return ((slot % this.slots) + this.slots) % this.slots;
  }
}
