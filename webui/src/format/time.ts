// SPDX-License-Identifier: Apache-2.0
// Times as text, in UTC, in the format of the node's plans, logs and commands. All times are
// milliseconds since 1970.
import { DASH } from "./units";

const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");

/** Milliseconds of a time in the server's format; undefined for other text. */
export function parseTime(text: string | null | undefined): number | undefined {
  if (!text) return undefined;
  const value = Date.parse(text);
  return Number.isNaN(value) ? undefined : value;
}

export function clock(ms: number): string {
  const date = new Date(ms);
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
}

export const hourMinute = (ms: number): string => clock(ms).slice(0, 5);

export const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const LOCAL = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});

/** What hovering over a time shows: the whole time in UTC, and that of the browser's zone. */
export const localTime = (ms: number | undefined): string | null =>
  ms === undefined || !Number.isFinite(ms)
    ? null
    : `${day(ms)} ${clock(ms)} UTC; local: ${LOCAL.format(ms)}`;

/** The time of day, with the date when it differs from that of `now`. */
export const moment = (ms: number, now: number): string =>
  day(ms) === day(now) ? clock(ms) : `${day(ms)} ${hourMinute(ms)}`;

/** The time of day in the zone of the browser, with that zone: 16:04:05 CET. */
export const localClock = (ms: number): string =>
  new Date(ms).toLocaleTimeString(undefined, { timeZoneName: "short" });

/** 2026-11-22T15:04:05Z, as plans have it; with milliseconds where there are some. */
export const isoTime = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");

/** 3 d 04:12:33, 04:12:33. */
export function uptime(seconds: number | undefined): string {
  if (seconds === undefined || !Number.isFinite(seconds)) return DASH;
  const whole = Math.max(0, Math.floor(seconds));
  const days = Math.floor(whole / 86_400);
  const rest = `${two((whole % 86_400) / 3600)}:${two((whole % 3600) / 60)}:${two(whole % 60)}`;
  return days ? `${days} d ${rest}` : rest;
}

/** A length of time in its two largest units: 45 s, 12 min, 3 h 20 min, 2 d 4 h. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 600)
    return seconds % 60
      ? `${Math.floor(seconds / 60)} min ${seconds % 60} s`
      : `${seconds / 60} min`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return hours % 24 ? `${Math.floor(hours / 24)} d ${hours % 24} h` : `${Math.floor(hours / 24)} d`;
}

/** "in 12 min", or "now" when that is past. */
export const until = (ms: number, now: number): string =>
  ms > now ? `in ${span(ms - now)}` : "now";
