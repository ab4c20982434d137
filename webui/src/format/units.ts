// SPDX-License-Identifier: Apache-2.0
// Figures as text: three significant digits, decimal prefixes, a dash for an unknown value.

export const DASH = "–";
const THIN = "\u202f";

const known = (value: number | null | undefined): value is number =>
  typeof value === "number" && Number.isFinite(value);

const PREFIXES = ["", "k", "M", "G", "T", "P"];

/** The prefix that suits `value`; several figures of one axis share it. */
export function prefixFor(value: number): { factor: number; prefix: string } {
  let step = 0;
  // 999.5 of a unit would round to 1000 of it.
  while (step < PREFIXES.length - 1 && Math.abs(value) >= 999.5 * 1000 ** step) step += 1;
  return { factor: 1000 ** step, prefix: PREFIXES[step]! };
}

function threeDigits(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude >= 99.95) return value.toFixed(0);
  return value.toFixed(magnitude >= 9.995 ? 1 : 2);
}

function scaled(value: number, unit: string): string {
  const { factor, prefix } = prefixFor(value);
  const digits =
    factor === 1 && Number.isInteger(value) ? String(value) : threeDigits(value / factor);
  return `${digits}${THIN}${prefix}${unit}`;
}

export const bitRate = (bitsPerSec: number | null | undefined): string =>
  known(bitsPerSec) ? scaled(Math.round(bitsPerSec), "bit/s") : DASH;

export const bytes = (count: number | null | undefined): string =>
  known(count) ? scaled(count, "B") : DASH;

/** A whole number with its thousands apart; from ten million on rounded, with a prefix. */
export function count(value: number | null | undefined): string {
  if (!known(value)) return DASH;
  if (Math.abs(value) >= 1e7) {
    const { factor, prefix } = prefixFor(value);
    return `${threeDigits(value / factor)}${THIN}${prefix}`;
  }
  return exactCount(value);
}

/** Every digit, for tables and for comparison with other outputs. */
export const exactCount = (value: number | null | undefined): string =>
  known(value)
    ? Math.round(value)
        .toString()
        .replace(/\B(?=(\d{3})+$)/g, THIN)
    : DASH;

export function bundleRate(perSecond: number | null | undefined): string {
  if (!known(perSecond)) return DASH;
  const small = perSecond < 9.95 && Math.round(perSecond * 10) % 10 !== 0;
  return `${small ? perSecond.toFixed(1) : count(Math.round(perSecond))}/s`;
}

export const percent = (
  part: number | null | undefined,
  whole: number | null | undefined,
): string =>
  known(part) && known(whole) && whole > 0
    ? `${((100 * part) / whole).toFixed(part / whole < 0.0995 ? 1 : 0)}${THIN}%`
    : DASH;

/** A latency: microseconds, milliseconds or seconds. */
export function micros(value: number | null | undefined): string {
  if (!known(value)) return DASH;
  if (value < 999.5) return `${threeDigits(value)}${THIN}µs`;
  if (value < 999_500) return `${threeDigits(value / 1e3)}${THIN}ms`;
  return `${threeDigits(value / 1e6)}${THIN}s`;
}

export function lightTime(seconds: number | null | undefined): string {
  if (!known(seconds)) return DASH;
  if (seconds === 0) return `0${THIN}s`;
  if (seconds < 1) return `${threeDigits(seconds * 1e3)}${THIN}ms`;
  return `${threeDigits(seconds)}${THIN}s`;
}
