// SPDX-License-Identifier: Apache-2.0
// The live connection: one WebSocket that reconnects by itself, after growing waits.
import { Backoff } from "./backoff";
import type { ServerMessage } from "./types";

export type Connection =
  | { kind: "connecting" }
  | { kind: "live" }
  | { kind: "waiting"; until: number; why: string }
  | { kind: "refused"; why: string };

export interface SocketHandlers {
  message(message: ServerMessage): void;
  connection(connection: Connection): void;
}

// A node that is silent for this time counts as disconnected.
const SILENCE_MS = 12_000;
// After this time a connection counts as stable, and the next wait is the shortest again.
const STABLE_MS = 5_000;

const REASONS: Record<number, string> = {
  1008: "the node refused the connection: a token is needed, or this one is not valid",
  1013: "the page was too slow for the node",
};

export class LiveSocket {
  private socket: WebSocket | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private watchdog: ReturnType<typeof setInterval> | undefined;
  private lastHeard = 0;
  private openedAt = 0;
  private readonly backoff = new Backoff();

  constructor(
    private readonly url: string,
    private readonly token: () => string,
    private readonly handlers: SocketHandlers,
  ) {}

  start(): void {
    this.stop();
    this.handlers.connection({ kind: "connecting" });
    const token = this.token();
    const protocols = token ? ["farlink.v1", `farlink.token.${token}`] : ["farlink.v1"];
    let socket: WebSocket;
    try {
      socket = new WebSocket(this.url, protocols);
    } catch {
      this.handlers.connection({
        kind: "refused",
        why: "the token contains invalid characters",
      });
      return;
    }
    this.socket = socket;
    this.openedAt = 0;
    this.lastHeard = performance.now();
    socket.onopen = () => {
      // The server's default is ten updates per second.
      this.openedAt = performance.now();
    };
    socket.onmessage = (event) => this.hear(socket, event);
    socket.onclose = (event) => {
      if (this.socket === socket) this.lost(REASONS[event.code] ?? "the node does not answer");
    };
    this.watchdog = setInterval(() => {
      if (performance.now() - this.lastHeard > SILENCE_MS) this.lost("the node is silent");
    }, 1_000);
  }

  stop(): void {
    clearTimeout(this.timer);
    clearInterval(this.watchdog);
    const socket = this.socket;
    this.socket = undefined;
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    }
  }

  private hear(socket: WebSocket, event: MessageEvent): void {
    if (this.socket !== socket || typeof event.data !== "string") return;
    this.lastHeard = performance.now();
    let message: ServerMessage;
    try {
      message = JSON.parse(event.data) as ServerMessage;
    } catch {
      this.lost("a message of the node is not JSON");
      return;
    }
    if (message.type === "state") this.handlers.connection({ kind: "live" });
    this.handlers.message(message);
  }

  private lost(why: string): void {
    if (this.openedAt && performance.now() - this.openedAt > STABLE_MS) this.backoff.reset();
    this.stop();
    const wait = this.backoff.next();
    this.handlers.connection({ kind: "waiting", until: Date.now() + wait, why });
    this.timer = setTimeout(() => this.start(), wait);
  }

  /** Connects at once, with the current token. */
  restart(): void {
    this.backoff.reset();
    this.start();
  }
}
