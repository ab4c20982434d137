// SPDX-License-Identifier: Apache-2.0
// The keys of the page, and the help that lists them. Single letters can be turned off: speech
// input and slips of the hand would otherwise press them (WCAG 2.1.4).
import { openDialog } from "../../ui/dialog";
import { button, h } from "../../ui/dom";

const OFF = "farlink.keys";
const FIELDS = "input, select, textarea, [contenteditable]";

export interface KeyActs {
  pause(): void;
  back(): void;
}

interface Key {
  keys: string;
  does: string;
}

const KEYS: Key[] = [
  { keys: "?", does: "this help" },
  { keys: "1 to 9", does: "go to a panel, in the order of the line of panels" },
  { keys: "0", does: "go to the top" },
  { keys: "/", does: "search in the table in sight" },
  { keys: "P", does: "pause and resume the display" },
  { keys: "Esc", does: "from the page of a link back to all panels; empties a search field" },
];
const CHART_KEYS: Key[] = [
  { keys: "+ and −", does: "zoom in and out" },
  { keys: "← and →", does: "move" },
  { keys: "0 or Esc", does: "reset the zoom" },
];

export class Shortcuts {
  constructor(private readonly acts: KeyActs) {
    document.addEventListener("keydown", (event) => this.press(event));
  }

  help(): void {
    const box = h("input", { type: "checkbox", id: "keys-on" });
    box.checked = this.on;
    box.addEventListener("change", () => this.turn(box.checked));
    const dialog = openDialog(
      "Keys",
      list(KEYS),
      h("h3", {}, "In a chart that has the focus"),
      list(CHART_KEYS),
      h("label", { class: "check", for: "keys-on" }, box, "Keys of the page are on"),
      h(
        "div",
        { class: "actions" },
        button("Close", () => dialog.close(), { autofocus: true }),
      ),
    );
    dialog.classList.add("help");
  }

  private get on(): boolean {
    try {
      return localStorage.getItem(OFF) !== "off";
    } catch {
      return true;
    }
  }

  private turn(on: boolean): void {
    try {
      if (on) localStorage.removeItem(OFF);
      else localStorage.setItem(OFF, "off");
    } catch {
      // Without storage the keys stay as they are.
    }
  }

  private press(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.target instanceof Element && event.target.closest(FIELDS)) return;
    const act = this.actOf(event.key);
    if (!act || (!this.on && event.key !== "Escape")) return;
    event.preventDefault();
    act();
  }

  private actOf(key: string): (() => void) | undefined {
    if (key === "?") return () => this.help();
    if (key === "/") return search;
    if (key === "p" || key === "P") return () => this.acts.pause();
    if (key === "Escape") return () => this.acts.back();
    if (key === "0") return () => scrollTo({ top: 0 });
    return /^[1-9]$/.test(key) ? () => goTo(Number(key)) : undefined;
  }
}

function list(keys: readonly Key[]): HTMLElement {
  return h(
    "dl",
    { class: "keys" },
    ...keys.map(({ keys: names, does }) =>
      h("div", {}, h("dt", {}, h("kbd", {}, names)), h("dd", {}, does)),
    ),
  );
}

function goTo(place: number): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".contents a")].filter(
    (one) => one.offsetParent !== null,
  );
  links[place - 1]?.click();
}

/** The search field of the first table of which most is in sight, or of the one behind. */
function search(): void {
  const fields = [...document.querySelectorAll<HTMLInputElement>("input.search")].filter(
    (one) => one.offsetParent !== null,
  );
  const below = fields.find((one) => one.getBoundingClientRect().top > 60);
  const field = below ?? fields.at(-1);
  field?.focus();
  field?.select();
}
