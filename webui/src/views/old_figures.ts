// SPDX-License-Identifier: Apache-2.0
// The line above figures of a module that does not report. It is there only while they are old.
import type { State } from "../api/types";
import { oldFigures } from "../model/figure_age";
import { h, setText } from "../ui/dom";

export class OldFigures {
  readonly element = h("p", { class: "old", hidden: true });

  /** `roles`: the modules whose figures are below, all instances of each. */
  constructor(private readonly roles: readonly string[]) {}

  paint(state: State): void {
    const text = oldFigures(state, this.roles);
    this.element.hidden = !text;
    setText(this.element, text && `▲ ${text}`);
  }
}
