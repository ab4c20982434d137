// SPDX-License-Identifier: Apache-2.0
// Drain mode: a badge in the bar at the top, an announcement for screen readers, and the command
// for operators.
import { ask } from "../../ui/dialog";
import { byId, h, setText } from "../../ui/dom";
import type { Context } from "../context";

export class DrainView {
  readonly badge = h(
    "span",
    { class: "pill", id: "drained", "data-kind": "drained", hidden: true },
    "drained: takes no new bundles",
  );
  private readonly control = byId<HTMLButtonElement>("drain");
  private told: boolean | undefined;

  constructor(private readonly context: Context) {
    this.control.addEventListener("click", () => this.ask());
  }

  announceChanges(): void {
    const { drained } = this;
    if (drained === undefined) return;
    if (this.told !== undefined && this.told !== drained)
      this.context.announcer.say(
        drained
          ? "Drain mode is on: new bundles are rejected"
          : "Drain mode is off: new bundles are accepted",
      );
    this.told = drained;
  }

  paint(): void {
    const { drained } = this;
    this.badge.hidden = drained !== true;
    setText(this.control, drained ? "Resume node" : "Drain node");
    this.control.hidden = !this.context.session.operates || drained === undefined;
  }

  /** Undefined: not known yet. */
  private get drained(): boolean | undefined {
    return this.context.store.state.node?.drained;
  }

  private ask(): void {
    const drained = this.drained === true;
    ask({
      title: drained ? "Resume the node?" : "Drain the node?",
      body: drained
        ? ["The node accepts new bundles from neighbours and applications again."]
        : [
            "The node refuses new bundles from neighbours, which keep and retry them, and from" +
              " applications." +
              " Stored bundles are still sent." +
              " This lasts until you resume it or it restarts.",
            "UDP datagrams and green LTP parts cannot be refused and are still accepted." +
              " So are bundles for the node itself.",
          ],
      confirm: drained ? "Resume" : "Drain",
      danger: !drained,
      act: async () => {
        await this.context.rest.setDrained(!drained);
      },
    });
  }
}
