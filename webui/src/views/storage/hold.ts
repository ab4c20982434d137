// SPDX-License-Identifier: Apache-2.0
// Holding a node's bundles in storage, and releasing them.
import { ask } from "../../ui/dialog";
import type { Context } from "../context";

export const isHeld = (context: Context, node: string): boolean =>
  context.store.state.storage?.held?.[node] === true;

export function askHold(context: Context, node: string, done?: () => void): void {
  const { rest, announcer } = context;
  const held = isHeld(context, node);
  ask({
    title: held ? `Release node ${node}?` : `Hold node ${node}?`,
    body: held
      ? [`Bundles for node ${node} are sent again when a route is available.`]
      : [
          `All bundles for node ${node} stay in storage here, independent of plan, policies and` +
            " links, until it is released. A restart does not end it.",
          `Bundles that pass node ${node} to others are still sent.` +
            " Held bundles expire like others.",
        ],
    confirm: held ? "Release" : "Hold",
    danger: !held,
    act: async () => {
      await rest.setHeld(node, !held);
      announcer.say(`Node ${node} is ${held ? "released" : "held"}`);
      done?.();
    },
  });
}
