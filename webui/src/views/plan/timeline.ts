// SPDX-License-Identifier: Apache-2.0
// The drawing of the contact plan: a row for each pair of nodes, planned above, actual below, now
// as a line.
import type { Store } from "../../model/store";
import { clock, day, hourMinute, localClock, moment, span } from "../../format/time";
import { bitRate } from "../../format/units";
import {
  labelAnchor,
  ticks,
  visibleBars,
  visiblePeriods,
  type Bar,
  type TimelineRow,
} from "../../model/timeline";
import { h, setAttribute, svg } from "../../ui/dom";

const ROW = 28;
const AXIS = 22;
const MOST_ROWS = 60;
const MOST_HEIGHT_ROWS = 14;
/** Half of a label of the axis, as "03:30". */
const HALF_LABEL = 18;

interface Frame {
  from: number;
  to: number;
  now: number;
  left: number;
  width: number;
}

export class Timeline {
  readonly element: HTMLElement;
  private readonly picture = svg("svg", {
    class: "timeline",
    role: "img",
    "aria-label": "Contact plan",
  });

  constructor(private readonly store: Store) {
    this.element = h(
      "div",
      { class: "timeline-area", tabindex: "0", role: "region", "aria-label": "Timeline" },
      this.picture,
    );
    this.element.style.setProperty("max-height", `${MOST_HEIGHT_ROWS * ROW + AXIS}px`);
  }

  describe(text: string): void {
    setAttribute(this.picture, "aria-label", text);
  }

  draw(rows: readonly TimelineRow[], from: number, to: number, now: number): void {
    const all = Math.floor(this.element.clientWidth);
    if (all < 120) return;
    const left = all < 560 ? 76 : 150;
    const frame: Frame = { from, to, now, left, width: all - left - 8 };
    const shown = rows.slice(0, MOST_ROWS);
    const height = AXIS + Math.max(1, shown.length) * ROW + (rows.length > shown.length ? ROW : 0);
    setAttribute(this.picture, "width", all);
    setAttribute(this.picture, "height", height);
    const parts: SVGElement[] = this.axis(frame, height);
    shown.forEach((row, place) => parts.push(...this.row(row, AXIS + place * ROW, frame)));
    if (rows.length === 0)
      parts.push(note(left + 8, AXIS + 18, "No contacts: every link is planned permanently."));
    if (rows.length > shown.length) {
      parts.push(note(8, height - 10, `and ${rows.length - shown.length} further pairs of nodes`));
    }
    const x = xOf(frame, now);
    if (x >= left && x <= left + frame.width) {
      parts.push(svg("line", { class: "now", x1: x, x2: x, y1: AXIS - 6, y2: height }));
    }
    this.picture.replaceChildren(...parts);
  }

  private axis(frame: Frame, height: number): SVGElement[] {
    const most = Math.max(2, Math.floor(frame.width / 84));
    const right = frame.left + frame.width;
    return ticks(frame.from, frame.to, most).flatMap((at) => {
      const x = Math.round(xOf(frame, at)) + 0.5;
      const anchor = labelAnchor(x, right, HALF_LABEL);
      const text = at % 86_400_000 === 0 ? day(at).slice(5) : hourMinute(at);
      return [
        svg("line", { class: "tick", x1: x, x2: x, y1: AXIS - 4, y2: height }),
        svg("text", { class: "note", x: Math.min(x, right), y: 12, "text-anchor": anchor }, text),
      ];
    });
  }

  private row(row: TimelineRow, y: number, frame: Frame): SVGElement[] {
    const link = row.link === undefined ? undefined : this.store.state.links?.[row.link];
    const label =
      frame.left < 100 || !link
        ? `${row.source} → ${row.dest}`
        : `${row.source} → ${row.dest} · link ${link.name ?? row.link}`;
    const parts: SVGElement[] = [
      svg("line", {
        class: "rule",
        x1: 0,
        x2: frame.left + frame.width,
        y1: y + ROW - 0.5,
        y2: y + ROW - 0.5,
      }),
      svg("text", { class: link ? "" : "note", x: 4, y: y + 18 }, label),
    ];
    const leastMs = (frame.to - frame.from) / frame.width;
    for (const bar of visibleBars(row, frame.from, frame.to, leastMs)) {
      const kind = row.link === undefined ? "bar others" : "bar planned";
      parts.push(
        rect(
          kind,
          bar.from,
          bar.to,
          y + 5,
          row.link === undefined ? 16 : 10,
          frame,
          barTitle(bar, frame.now),
        ),
      );
    }
    if (row.link !== undefined) parts.push(...this.actual(row, row.link, y, frame, leastMs));
    return parts;
  }

  /** Below the plan: green where the link was up, red where it should have been. */
  private actual(
    row: TimelineRow,
    link: string,
    y: number,
    frame: Frame,
    leastMs: number,
  ): SVGElement[] {
    const since = this.store.actual.since;
    if (since === undefined) return [];
    const parts: SVGElement[] = [];
    const known = Math.max(frame.from, since);
    const end = Math.min(frame.now, frame.to);
    if (known < end) {
      for (const bar of visibleBars(row, known, end, leastMs)) {
        parts.push(
          rect(
            "bar missed",
            bar.from,
            bar.to,
            y + 17,
            6,
            frame,
            `planned, but not up, between ${clock(bar.from)} and ${clock(bar.to)} UTC`,
          ),
        );
      }
    }
    for (const period of visiblePeriods(
      this.store.actual.of(link),
      frame.from,
      frame.to,
      frame.now,
    )) {
      const to = period.to ?? frame.now;
      parts.push(
        rect(
          "bar actual",
          period.from,
          to,
          y + 17,
          6,
          frame,
          `up from ${clock(period.from)} to ${clock(to)} UTC, ${span(to - period.from)}`,
        ),
      );
    }
    return parts;
  }
}

const xOf = (frame: Frame, at: number): number =>
  frame.left + ((at - frame.from) / (frame.to - frame.from)) * frame.width;

const note = (x: number, y: number, text: string): SVGElement =>
  svg("text", { class: "note", x, y }, text);

function rect(
  kind: string,
  from: number,
  to: number,
  y: number,
  height: number,
  frame: Frame,
  title: string,
): SVGElement {
  const x = xOf(frame, from);
  const width = Math.max(1, xOf(frame, to) - x);
  return svg("rect", { class: kind, x, y, width, height, rx: 2 }, svg("title", {}, title));
}

function barTitle(bar: Bar, now: number): string {
  const first = bar.contacts[0]!;
  if (bar.contacts.length > 1) return `${bar.contacts.length} contacts, zoom in to see each`;
  const rate = first.rateBitsPerSec ? bitRate(first.rateBitsPerSec) : "no limit";
  const from = Date.parse(first.startTime);
  const to = Date.parse(first.endTime);
  const when =
    `${moment(from, now)} to ${moment(to, now)} UTC (${span(to - from)}); ` +
    `local: ${localClock(from)} to ${localClock(to)}`;
  return `contact ${first.contact}: ${when}, ${rate}`;
}
