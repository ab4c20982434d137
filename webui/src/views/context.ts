// SPDX-License-Identifier: Apache-2.0
// The parts that every view uses.
import type { DetailFetcher } from "../detail_fetcher";
import type { Rest } from "../api/rest";
import type { Session } from "../api/session";
import type { Store } from "../model/store";
import type { Announcer } from "../ui/announcer";
import type { Painter } from "../ui/painter";
import type { ThemeChoice } from "../ui/theme";

export interface Context {
  store: Store;
  rest: Rest;
  session: Session;
  painter: Painter;
  announcer: Announcer;
  theme: ThemeChoice;
  details: DetailFetcher;
}

/** The node's number; 0 while it is unknown. */
export const ownNumber = (context: Context): number => context.store.state.node?.number ?? 0;
