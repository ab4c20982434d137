// SPDX-License-Identifier: Apache-2.0
// Which links have a line of their own in the charts; at first the busiest.
import type { LinkState } from "../api/types";
import { byNumber, linkName } from "../model/link_state";
import { h, setText } from "../ui/dom";

/** As many as the palette has colours that can be told apart. */
export const MOST_LINES = 6;
const FIRST_LINES = 3;
const OPEN_UP_TO = 16;

export class SeriesChoice {
  readonly element: HTMLDetailsElement;
  private readonly summary = h("summary");
  private readonly field = h(
    "fieldset",
    { class: "chips" },
    h("legend", { class: "unseen" }, "Links in the charts"),
  );
  private readonly boxes = new Map<
    string,
    { box: HTMLInputElement; chip: HTMLElement; name: HTMLElement }
  >();
  private slots: (string | undefined)[] = new Array<string | undefined>(MOST_LINES).fill(undefined);
  private begun = false;

  constructor(private readonly changed: () => void) {
    this.element = h("details", { class: "series-choice" }, this.summary, this.field);
  }

  /** The links that have a line, each with the number of its colour. */
  get chosen(): { key: string; slot: number }[] {
    return this.slots.flatMap((key, slot) => (key === undefined ? [] : [{ key, slot }]));
  }

  update(links: Record<string, LinkState>, rateOf: (key: string) => number): void {
    const keys = Object.keys(links).sort((a, b) => byNumber(links[a]!, links[b]!));
    if (!this.begun && keys.some((key) => rateOf(key) > 0)) this.begin(keys, rateOf);
    let changed = false;
    for (const [key, { chip }] of this.boxes) {
      if (key in links) continue;
      chip.remove();
      this.boxes.delete(key);
      changed = this.drop(key) || changed;
    }
    for (const key of keys) {
      if (!this.boxes.has(key)) this.addChip(key);
      setText(this.boxes.get(key)!.name, linkName(key, links[key]!));
    }
    this.show();
    if (changed) this.changed();
  }

  private begin(keys: string[], rateOf: (key: string) => number): void {
    this.begun = true;
    this.element.open = keys.length <= OPEN_UP_TO;
    const busiest = [...keys].sort((a, b) => rateOf(b) - rateOf(a)).slice(0, FIRST_LINES);
    busiest
      .sort((a, b) => keys.indexOf(a) - keys.indexOf(b))
      .forEach((key, slot) => (this.slots[slot] = key));
    this.changed();
  }

  private addChip(key: string): void {
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
    this.boxes.set(key, { box, chip, name });
    this.field.append(chip);
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
    this.show();
    this.changed();
  }

  private drop(key: string): boolean {
    const slot = this.slots.indexOf(key);
    if (slot >= 0) this.slots[slot] = undefined;
    return slot >= 0;
  }

  private show(): void {
    for (const [key, { box, chip }] of this.boxes) {
      const slot = this.slots.indexOf(key);
      box.checked = slot >= 0;
      chip.dataset["slot"] = slot >= 0 ? String(slot) : "";
    }
    const many = this.chosen.length;
    setText(
      this.summary,
      `Lines: total and ${many} of ${this.boxes.size} links (at most ${MOST_LINES})`,
    );
  }
}
