// SPDX-License-Identifier: Apache-2.0
// The bar at the top: which node, how it is, how well this page hears it; clock, pause, theme,
// token, help.
import type { Connection } from "../../api/socket";
import { span, uptime } from "../../format/time";
import { DASH } from "../../format/units";
import type { Theme } from "../../ui/theme";
import { byId, h, setAttribute, setText } from "../../ui/dom";
import type { Context } from "../context";
import { DrainView } from "./drain";
import { pageTitle, readiness } from "./readiness";
import { openTokenDialog } from "./token";
import { UtcClock } from "./utc_clock";

const CONNECTION_WORDS: Record<Connection["kind"], string> = {
  connecting: "connecting",
  live: "live",
  waiting: "not connected",
  refused: "refused",
};
/** A connection that looks well and brings nothing for so long is said to be late. */
const LATE_MS = 3_000;

export class Header {
  private readonly readiness = h("span", { class: "pill", id: "readiness" });
  private readonly version = h("span", { id: "node-version" });
  private readonly uptime = h("span", { id: "node-uptime" });
  private readonly drain: DrainView;
  private readonly pill = byId("connection");
  private readonly banner = byId("banner");
  private readonly pause = byId<HTMLButtonElement>("pause");
  private connection: Connection = { kind: "connecting" };
  private told = "";

  /** `place`: what the page shows when it is not the whole node. */
  constructor(
    private readonly context: Context,
    private readonly place: () => string,
  ) {
    this.drain = new DrainView(context);
    byId("node-facts").append(this.readiness, this.drain.badge, this.version, this.uptime);
    byId("controls").prepend(new UtcClock(context).element);
    this.pause.addEventListener("click", () => this.togglePause());
    const theme = byId<HTMLSelectElement>("theme");
    theme.value = context.theme.chosen;
    theme.addEventListener("change", () => context.theme.choose(theme.value as Theme));
    byId("token").addEventListener("click", () => openTokenDialog(context));
    context.session.onChange(() => this.showRole());
    this.showRole();
    context.painter.add(byId("top"), 500, () => this.paint());
    setInterval(() => this.showConnection(), 1_000);
  }

  setConnection(connection: Connection): void {
    this.connection = connection;
    this.showConnection();
    if (connection.kind === this.told || connection.kind === "connecting") return;
    if (this.told || connection.kind !== "live") {
      this.context.announcer.say(
        connection.kind === "live" ? "Connected to the node again" : "Connection to the node lost",
      );
    }
    this.told = connection.kind;
  }

  /** Announces when the node has been drained or resumed since the last call. */
  announceChanges(): void {
    this.drain.announceChanges();
  }

  togglePause(): void {
    const paused = !this.context.painter.paused;
    this.context.painter.paused = paused;
    setAttribute(this.pause, "aria-pressed", String(paused));
    setText(this.pause, paused ? "Resume" : "Pause");
    document.body.classList.toggle("paused", paused);
    this.showConnection();
  }

  /** Milliseconds since the last update, when the page does not show the present. */
  private get lateMs(): number | undefined {
    const age = this.context.store.age();
    if (age === undefined) return undefined;
    return this.connection.kind !== "live" || age > LATE_MS ? age : undefined;
  }

  private showConnection(): void {
    const { connection } = this;
    const paused = this.context.painter.paused && connection.kind === "live";
    setAttribute(this.pill, "data-kind", paused ? "paused" : connection.kind);
    setText(this.pill, paused ? "paused" : CONNECTION_WORDS[connection.kind]);
    this.showAge();
    const late = this.lateMs;
    const lost = connection.kind === "waiting" || connection.kind === "refused";
    document.body.classList.toggle("stale", late !== undefined);
    this.banner.hidden = !lost && late === undefined;
    if (this.banner.hidden) return;
    const why = "why" in connection ? connection.why : "the node sends no updates";
    const next =
      connection.kind === "waiting"
        ? ` Next attempt in ${Math.max(0, Math.ceil((connection.until - Date.now()) / 1000))} s.`
        : "";
    const age = late === undefined ? "" : ` by ${span(late)}`;
    setText(this.banner, `Data is out of date${age}: ${why}.${next}`);
  }

  /** Also while nothing comes, when no view is painted. */
  private showAge(): void {
    const { state } = this.context.store;
    const late = this.lateMs;
    const said = readiness(state, late);
    setText(this.readiness, said.text);
    setAttribute(this.readiness, "data-kind", said.kind);
    const alarms = Object.keys(state.alarms ?? {}).length;
    const lost = late !== undefined || this.connection.kind === "refused";
    document.title = pageTitle(state.node?.id ?? "", alarms, lost, this.place());
  }

  private showRole(): void {
    const { session } = this.context;
    setText(
      byId("token"),
      session.role && session.role !== "none" ? `Role: ${session.role}` : "Enter token",
    );
    document.body.classList.toggle("operates", session.operates);
    this.context.painter.now();
  }

  private paint(): void {
    const { node } = this.context.store.state;
    setText(byId("node-id"), node?.id ?? "");
    setText(this.version, node?.version ? `version ${node.version}` : `version ${DASH}`);
    setText(this.uptime, `up ${uptime(node?.uptimeSeconds)}`);
    this.showAge();
    this.drain.paint();
  }
}
