// SPDX-License-Identifier: Apache-2.0
// The bar at the top: the node, its state, the state of the connection; pause, theme, token.
import type { Connection } from "../api/socket";
import { uptime } from "../format/time";
import { DASH } from "../format/units";
import type { Theme } from "../ui/theme";
import { byId, h, setAttribute, setText } from "../ui/dom";
import type { Context } from "./context";
import { DrainView } from "./drain";
import { openTokenDialog } from "./token";

const CONNECTION_WORDS: Record<Connection["kind"], string> = {
  connecting: "connecting",
  live: "live",
  waiting: "not connected",
  refused: "refused",
};

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

  constructor(private readonly context: Context) {
    this.drain = new DrainView(context);
    byId("node-facts").append(this.readiness, this.drain.badge, this.version, this.uptime);
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

  private togglePause(): void {
    const paused = !this.context.painter.paused;
    this.context.painter.paused = paused;
    setAttribute(this.pause, "aria-pressed", String(paused));
    setText(this.pause, paused ? "Resume" : "Pause");
    document.body.classList.toggle("paused", paused);
    this.showConnection();
  }

  private showConnection(): void {
    const { connection } = this;
    const paused = this.context.painter.paused;
    setAttribute(
      this.pill,
      "data-kind",
      paused && connection.kind === "live" ? "paused" : connection.kind,
    );
    setText(
      this.pill,
      paused && connection.kind === "live" ? "paused" : CONNECTION_WORDS[connection.kind],
    );
    const lost = connection.kind === "waiting" || connection.kind === "refused";
    this.banner.hidden = !lost;
    if (!lost) return;
    const next =
      connection.kind === "waiting"
        ? ` Next attempt in ${Math.max(0, Math.ceil((connection.until - Date.now()) / 1000))} s.`
        : "";
    setText(this.banner, `Data is out of date: ${connection.why}.${next}`);
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
    const { node, modules } = this.context.store.state;
    const id = node?.id ?? "";
    setText(byId("node-id"), id);
    document.title = id ? `${id} · farlink` : "farlink";
    setText(this.version, node?.version ? `version ${node.version}` : `version ${DASH}`);
    setText(this.uptime, `up ${uptime(node?.uptimeSeconds)}`);
    const missing = Object.entries(modules ?? {}).filter(([, module]) => module.state !== "ready");
    const ready = node?.ready === true && missing.length === 0;
    const degraded = ready && node?.degraded ? `degraded: ${node.degraded}` : "";
    const why = missing.map(([name, module]) => `${name} ${module.state ?? "unknown"}`).join(", ");
    setText(this.readiness, node ? (ready ? degraded || "ready" : why || "not ready") : DASH);
    const kind = ready ? (degraded ? "degraded" : "good") : "bad";
    setAttribute(this.readiness, "data-kind", node ? kind : "idle");
    this.drain.paint();
  }
}
