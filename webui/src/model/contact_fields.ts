// SPDX-License-Identifier: Apache-2.0
// The fields of a contact as an operator writes them: times in UTC, rates with a prefix.

const RATE = /^([0-9]+(?:\.[0-9]+)?)\s*([kMGT]?)(?:bit\/s)?$/;
const FACTOR: Record<string, number> = { "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12 };
const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)Z?$/;

/** "2026-11-22 15:04", "2026-11-22T15:04:05Z": the time in UTC; undefined when it is none. */
export function readTime(text: string): number | undefined {
  const found = text.trim().match(TIME);
  if (!found) return undefined;
  const ms = Date.parse(`${found[1]}T${found[2]}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** "400 M", "1.2 Gbit/s", "0": bits per second. */
export function readRate(text: string): number | undefined {
  const found = text.trim().match(RATE);
  return found ? Math.round(Number(found[1]) * FACTOR[found[2]!]!) : undefined;
}

/** Seconds, with a decimal point. */
export function readSeconds(text: string): number | undefined {
  return /^[0-9]+(\.[0-9]+)?$/.test(text.trim()) ? Number(text.trim()) : undefined;
}

/** A rate as readRate() takes it, without loss. */
export function writeRate(bits: number | undefined): string {
  if (!bits) return "0";
  for (const [prefix, factor] of Object.entries(FACTOR).reverse())
    if (bits >= factor && bits % (factor / 1000 || 1) === 0 && factor > 1)
      return `${bits / factor} ${prefix}bit/s`;
  return `${bits} bit/s`;
}
