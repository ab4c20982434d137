// SPDX-License-Identifier: Apache-2.0
// Taking a link down and letting it up again.
import { ask } from "../../ui/dialog";
import type { Context } from "../context";

export function askLinkCommand(context: Context, key: string): void {
  const link = context.store.state.links?.[key];
  if (!link) return;
  const name = `link ${link.name ?? key}`;
  const to = link.neighbour ? ` to node ${link.neighbour}` : "";
  const up = link.enabled === false;
  ask({
    title: up ? `Let ${name} up?` : `Take ${name} down?`,
    body: up
      ? [`${name}${to} follows the contact plan again.`]
      : [
          `${name}${to} stays down, also during contacts,` +
            " until you let it up or the node restarts.",
          "Waiting bundles take another route, or stay in storage.",
        ],
    confirm: up ? "Let up" : "Take down",
    danger: !up,
    act: async () => {
      await context.rest.setLink(key, up);
    },
  });
}
