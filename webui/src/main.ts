// SPDX-License-Identifier: Apache-2.0
// Wires the page together: connection to store, store to views.
import "uplot/dist/uPlot.min.css";
import "./style/tokens.css";
import "./style/base.css";
import "./style/layout.css";
import "./style/tables.css";
import "./style/pictures.css";
import { Rest } from "./api/rest";
import { Session } from "./api/session";
import { LiveSocket } from "./api/socket";
import type { ServerMessage } from "./api/types";
import { Store } from "./model/store";
import { Announcer } from "./ui/announcer";
import { byId } from "./ui/dom";
import { Painter } from "./ui/painter";
import { ThemeChoice } from "./ui/theme";
import type { Context } from "./views/context";
import { EventsView } from "./views/events";
import { addFigures } from "./views/figures";
import { FlowView } from "./views/flow";
import { Header } from "./views/header";
import { LinksView } from "./views/links";
import { LtpView } from "./views/ltp";
import { PlanView } from "./views/plan";
import { RatesView } from "./views/rates";
import { RoutesView } from "./views/routes";
import { StorageView } from "./views/storage";
import { DetailFetcher } from "./detail_fetcher";

const session = new Session();
const rest = new Rest(() => session.token);
const context: Context = {
  store: new Store(),
  rest,
  session,
  painter: new Painter(),
  announcer: new Announcer(byId("announcements")),
  theme: new ThemeChoice(),
};
const { store, painter } = context;

const header = new Header(context);
addFigures(context);
new RatesView(context);
new FlowView(context);
new PlanView(context);
const links = new LinksView(context);
new StorageView(context);
new RoutesView(context);
new LtpView(context);
new EventsView(context);

const details = new DetailFetcher(store, rest, () => painter.touch());
const address = new URL("/ws", location.href);
address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
const socket = new LiveSocket(address.href, () => session.token, {
  connection: (connection) => header.setConnection(connection),
  message: (message: ServerMessage) => {
    store.take(message);
    if (message.type === "state") details.began();
    else details.changed();
    if (message.type !== "events") {
      header.announceChanges();
      links.announceChanges();
    }
    painter.touch();
  },
});

let tokenInUse = session.token;
session.onChange(() => {
  if (session.token === tokenInUse) return;
  tokenInUse = session.token;
  socket.restart();
});
if (session.token) session.enter(rest, session.token).catch(() => session.forget());
socket.start();
