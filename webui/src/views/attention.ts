// SPDX-License-Identifier: Apache-2.0
// The strip of what needs a person: the alarms that are active, the worst first. It is there only
// while there are some.
import type { Alarm } from "../api/types";
import { localTime, moment, parseTime, span } from "../format/time";
import { DASH } from "../format/units";
import { alarmsByRank, placeOf } from "../model/alarms";
import { button, byId, h, setAttribute, setClass, setText } from "../ui/dom";
import type { Context } from "./context";

const FEW = 4;
const SIGN = { critical: "■", warning: "▲" };

interface Line {
  element: HTMLElement;
  sign: HTMLElement;
  text: HTMLElement;
  action: HTMLElement;
  place: HTMLElement;
  since: HTMLElement;
}

export class AttentionView {
  private readonly section = byId("attention");
  private readonly title = h("h2", { id: "attention-title" });
  private readonly list = h("ul", { class: "alarms" });
  private readonly more: HTMLButtonElement;
  private readonly lines = new Map<string, Line>();
  private all = false;
  private told: Set<number> | undefined;

  constructor(private readonly context: Context) {
    this.more = button("", () => this.toggle(), { class: "plain" });
    this.section.append(this.title, this.list, this.more);
    context.painter.add(byId("top"), 500, () => this.paint());
  }

  /** Tells of alarms that have begun or ended since the last call. */
  announceChanges(): void {
    const { alarms } = this.context.store.state;
    if (!alarms) return;
    const active = alarmsByRank(alarms);
    const { told } = this;
    this.told = new Set(active.map((one) => one.id));
    if (!told) return;
    for (const one of active)
      if (!told.has(one.id)) this.context.announcer.say(`Alarm: ${one.text}`);
    const ended = [...told].filter((id) => !this.told!.has(id)).length;
    if (ended) this.context.announcer.say(ended === 1 ? "An alarm ended" : `${ended} alarms ended`);
  }

  private toggle(): void {
    this.all = !this.all;
    this.paint();
  }

  private paint(): void {
    const active = alarmsByRank(this.context.store.state.alarms);
    this.section.hidden = active.length === 0;
    if (active.length === 0) {
      this.list.replaceChildren();
      this.lines.clear();
      return;
    }
    const critical = active.filter((one) => one.severity === "critical").length;
    setClass(this.section, critical ? "attention critical" : "attention");
    const parts = [`${active.length} ${active.length === 1 ? "alarm" : "alarms"}`];
    if (critical) parts.push(`${critical} critical`);
    setText(this.title, `Needs attention: ${parts.join(", ")}`);
    const shown = this.all ? active : active.slice(0, FEW);
    this.fill(shown);
    this.more.hidden = active.length <= FEW;
    setText(this.more, this.all ? "Show fewer" : `Show ${active.length - FEW} more`);
    setAttribute(this.more, "aria-expanded", String(this.all));
  }

  private fill(shown: readonly Alarm[]): void {
    const keys = new Set(shown.map((one) => String(one.id)));
    for (const [key, line] of this.lines) {
      if (keys.has(key)) continue;
      line.element.remove();
      this.lines.delete(key);
    }
    shown.forEach((alarm, place) => {
      const key = String(alarm.id);
      let line = this.lines.get(key);
      if (!line) this.lines.set(key, (line = makeLine(alarm)));
      this.fillLine(line, alarm);
      const there = this.list.children[place];
      if (there !== line.element) this.list.insertBefore(line.element, there ?? null);
    });
  }

  private fillLine(line: Line, alarm: Alarm): void {
    const now = this.context.store.now();
    const since = parseTime(alarm.since);
    setClass(line.element, alarm.severity);
    setText(line.sign, `${SIGN[alarm.severity] ?? "▲"} ${alarm.severity}`);
    setText(line.text, alarm.text);
    setText(line.action, alarm.action ?? "");
    setText(
      line.since,
      since === undefined ? DASH : `for ${span(now - since)}, since ${moment(since, now)}`,
    );
    setAttribute(line.since, "title", localTime(since));
  }
}

function makeLine(alarm: Alarm): Line {
  const sign = h("span", { class: "severity" });
  const text = h("span", { class: "alarm-text" });
  const action = h("span", { class: "alarm-action" });
  const since = h("span", { class: "quiet" });
  const found = placeOf(alarm);
  const place = found ? h("a", { href: found.href }, found.label) : h("span");
  const element = h(
    "li",
    { "data-alarm": alarm.id, "data-name": alarm.name },
    sign,
    h("div", {}, text, action, h("span", { class: "alarm-facts" }, since, place)),
  );
  return { element, sign, text, action, place, since };
}
