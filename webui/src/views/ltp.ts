// SPDX-License-Identifier: Apache-2.0
// The panel of LTP, which a node without LTP links does not have.
import type { LinkState } from "../api/types";
import { byId } from "../ui/dom";
import type { Context } from "./context";
import { LtpTable } from "./ltp_table";

export class LtpView {
  private readonly table = new LtpTable("LTP sessions by link");
  private readonly panel = byId("ltp");
  private readonly entry = byId("ltp-entry");

  constructor(private readonly context: Context) {
    this.panel.append(this.table.element);
    // A panel that is hidden is never in sight: it is looked at with the whole page.
    context.painter.add(byId("main"), 500, () => this.paint());
  }

  private paint(): void {
    const links: Record<string, LinkState> = {};
    let any = false;
    for (const [key, link] of Object.entries(this.context.store.state.links ?? {})) {
      if (link.ltp === undefined) continue;
      links[key] = link;
      any = true;
    }
    this.panel.hidden = this.entry.hidden = !any;
    if (any) this.table.update(links);
  }
}
