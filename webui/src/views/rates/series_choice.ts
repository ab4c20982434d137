// SPDX-License-Identifier: Apache-2.0
// Which links have a line of their own in the charts; at first the busiest. Of many links those
// with a line and those that match a search are offered.
import type { LinkState } from "../../api/types";
import { byNumber, linkName } from "../../model/link_state";
import { h, setText } from "../../ui/dom";

/** As many as the palette has colours that can be told apart. */
export const MOST_LINES = 6;
const FIRST_LINES = 3;
const OPEN_UP_TO = 16;
const MOST_CHIPS = 40;
const EVERY_MS = 1_000;

interface Chip {
  box: HTMLInputElement;
  chip: HTMLElement;
  name: HTMLElement;
}

export class SeriesChoice {
  readonly element: HTMLDetailsElement;
  private readonly summary = h("summary");
  private readonly field = h(
    "fieldset",
    { class: "chips" },
    h("legend", { class: "unseen" }, "Links in the charts"),
  );
  private readonly search = h("input", {
    type: "search",
    class: "search",
    placeholder: "Search links",
    "aria-label": "Search in the links of the charts",
    autocomplete: "off",
    hidden: true,
  });
  private readonly more = h("p", { class: "quiet", hidden: true });
  private readonly boxes = new Map<string, Chip>();
  private slots: (string | undefined)[] = new Array<string | undefined>(MOST_LINES).fill(undefined);
  private links: Record<string, LinkState> = {};
  private begun = false;
  private updated = Number.NEGATIVE_INFINITY;

  constructor(private readonly changed: () => void) {
    this.element = h(
      "details",
      { class: "series-choice" },
      this.summary,
      this.search,
      this.field,
      this.more,
    );
    this.search.addEventListener("input", () => this.showChips());
    this.element.addEventListener("toggle", () => this.showChips());
  }

  /** The links that have a line, each with the number of its colour. */
  get chosen(): { key: string; slot: number }[] {
    return this.slots.flatMap((key, slot) => (key === undefined ? [] : [{ key, slot }]));
  }

  update(links: Record<string, LinkState>, rateOf: (key: string) => number, now: number): void {
    if (this.begun && now - this.updated < EVERY_MS) return;
    this.updated = now;
    this.links = links;
    let changed = false;
    for (const key of this.slots)
      if (key !== undefined && !(key in links)) changed = this.drop(key) || changed;
    if (!this.begun) this.begin(rateOf);
    this.showChips();
    if (changed) this.changed();
  }

  private begin(rateOf: (key: string) => number): void {
    const keys = this.sorted();
    const busiest = keys
      .map((key) => ({ key, rate: rateOf(key) }))
      .filter(({ rate }) => rate > 0)
      .sort((a, b) => b.rate - a.rate)
      .slice(0, FIRST_LINES);
    if (!busiest.length) return;
    this.begun = true;
    this.element.open = keys.length <= OPEN_UP_TO;
    busiest
      .sort((a, b) => keys.indexOf(a.key) - keys.indexOf(b.key))
      .forEach(({ key }, slot) => (this.slots[slot] = key));
    this.changed();
  }

  private sorted(): string[] {
    const { links } = this;
    return Object.keys(links).sort((a, b) => byNumber(links[a]!, links[b]!));
  }

  private showChips(): void {
    const { links } = this;
    const many = Object.keys(links).length;
    this.search.hidden = many <= MOST_CHIPS;
    setText(
      this.summary,
      `Lines: total and ${this.chosen.length} of ${many} links (at most ${MOST_LINES})`,
    );
    if (!this.element.open) return;
    const words = this.search.value.trim().toLowerCase();
    const all = this.sorted();
    const fits = (key: string): boolean => linkName(key, links[key]!).toLowerCase().includes(words);
    const matching = words ? all.filter(fits) : all;
    const picked = new Set(this.chosen.map(({ key }) => key));
    for (const key of matching) {
      if (picked.size >= MOST_CHIPS) break;
      picked.add(key);
    }
    const keys = all.length <= MOST_CHIPS ? all : all.filter((key) => picked.has(key));
    this.place(keys);
    const left = matching.filter((key) => !keys.includes(key)).length;
    this.more.hidden = left === 0;
    setText(this.more, `and ${left} further links: search for them`);
  }

  private place(keys: readonly string[]): void {
    const wanted = new Set(keys);
    for (const [key, { chip }] of this.boxes) {
      if (wanted.has(key)) continue;
      chip.remove();
      this.boxes.delete(key);
    }
    keys.forEach((key, place) => {
      const one = this.boxes.get(key) ?? this.makeChip(key);
      setText(one.name, linkName(key, this.links[key]!));
      const slot = this.slots.indexOf(key);
      one.box.checked = slot >= 0;
      one.chip.dataset["slot"] = slot >= 0 ? String(slot) : "";
      // The legend stands first.
      const there = this.field.children[place + 1];
      if (there !== one.chip) this.field.insertBefore(one.chip, there ?? null);
    });
  }

  private makeChip(key: string): Chip {
    const box = h("input", { type: "checkbox", value: key });
    const name = h("span");
    const chip = h(
      "label",
      { class: "chip" },
      box,
      name,
      h("span", { class: "swatch", "aria-hidden": "true" }),
    );
    box.addEventListener("change", () => this.toggle(key, box.checked));
    const made = { box, chip, name };
    this.boxes.set(key, made);
    return made;
  }

  private toggle(key: string, on: boolean): void {
    this.begun = true;
    if (on) {
      let free = this.slots.indexOf(undefined);
      if (free < 0) {
        // The new line replaces the first one.
        this.slots.shift();
        free = this.slots.push(undefined) - 1;
      }
      this.slots[free] = key;
    } else {
      this.drop(key);
    }
    this.showChips();
    this.changed();
  }

  private drop(key: string): boolean {
    const slot = this.slots.indexOf(key);
    if (slot >= 0) this.slots[slot] = undefined;
    return slot >= 0;
  }
}
