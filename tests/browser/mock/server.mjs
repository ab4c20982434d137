// SPDX-License-Identifier: Apache-2.0
// The mock node's server: the built page, /api/v1 and /ws on one loopback port, with a node's
// headers.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { WebSocketServer } from "../support/modules.mjs";
import { answer, Refusal, roleOf } from "./api.mjs";
import { World } from "./world.mjs";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
export const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export class MockServer {
  /**
   * `page`: the folder of the built page. `interval`: whether the traffic runs by itself, ten times
   * a second.
   */
  constructor({ page, interval = true, ...world }) {
    this.page = page;
    this.world = new World(world);
    this.requests = [];
    this.http = createServer((request, response) => void this.serve(request, response));
    this.sockets = new WebSocketServer({ noServer: true, handleProtocols: () => "farlink.v1" });
    this.http.on("upgrade", (request, socket, head) => {
      if (request.url !== "/ws" || this.refusing) return socket.destroy();
      this.sockets.handleUpgrade(request, socket, head, (client) => this.greet(client));
    });
    this.world.on("patch", (patch) => this.send({ type: "patch", patch }));
    this.world.on("events", (events) => this.send({ type: "events", events }));
    if (interval) this.timer = setInterval(() => this.world.catchUp(), 100);
  }

  async listen(port = 0) {
    await new Promise((done) => this.http.listen(port, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${this.http.address().port}`;
    return this.url;
  }

  async close() {
    clearInterval(this.timer);
    this.dropClients();
    this.http.closeAllConnections();
    await new Promise((done) => this.http.close(done));
  }

  /** As when the node goes away: connections break, and new ones are refused while `refusing`. */
  dropClients() {
    for (const client of this.sockets.clients) client.terminate();
  }

  greet(client) {
    client.on("error", () => client.terminate());
    client.send(JSON.stringify({ type: "state", state: this.world.state }));
  }

  send(message) {
    const text = JSON.stringify(message);
    for (const client of this.sockets.clients) client.send(text);
  }

  async serve(request, response) {
    const url = new URL(request.url, "http://localhost");
    this.requests.push(`${request.method} ${url.pathname}${url.search}`);
    if (this.requests.length > 1_000) this.requests.shift();
    response.setHeader("Content-Security-Policy", CSP);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Cache-Control", "no-store");
    if (url.pathname.startsWith("/api/v1/")) await this.api(request, response, url);
    else await this.file(response, url.pathname);
  }

  async api(request, response, url) {
    try {
      const role = roleOf(request.headers.authorization);
      let text = "";
      for await (const part of request) text += part;
      const plain = request.headers["content-type"] === "text/plain";
      const body = text && !plain ? JSON.parse(text) : text || undefined;
      const found = answer(
        this.world,
        request.method,
        url.pathname.slice(8),
        url.searchParams,
        role,
        body,
      );
      this.reply(response, 200, "application/json", JSON.stringify(found));
    } catch (error) {
      const problem =
        error instanceof Refusal
          ? error.problem
          : { title: "Bad Request", status: 400, detail: String(error.message) };
      this.reply(response, problem.status, "application/problem+json", JSON.stringify(problem));
    }
  }

  async file(response, path) {
    const name = normalize(path === "/" ? "/index.html" : path);
    try {
      this.reply(
        response,
        200,
        TYPES[extname(name)] ?? "application/octet-stream",
        await readFile(join(this.page, name)),
      );
    } catch {
      this.reply(response, 404, "text/plain", "not found\n");
    }
  }

  reply(response, status, type, body) {
    response.writeHead(status, { "Content-Type": type });
    response.end(body);
  }
}
