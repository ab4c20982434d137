// SPDX-License-Identifier: Apache-2.0
// A real node with traffic through it: bpgen, farlink and bpsink of a build, on ports that the
// system chooses.
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const START_MS = 30_000;
const END_MS = 20_000;

/** A child process whose lines are kept as they come, to wait for one of them. */
class Program {
  constructor(path, options) {
    this.path = path;
    this.lines = [];
    this.waiting = [];
    this.process = spawn(path, options, { stdio: ["ignore", "pipe", "pipe"] });
    this.ended = new Promise((done) => this.process.on("exit", done));
    for (const stream of [this.process.stdout, this.process.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        this.lines.push(line);
        this.waiting = this.waiting.filter((wait) => !wait(line));
      });
    }
  }

  /** The first part of `pattern` in the first line that has it. */
  line(pattern) {
    return new Promise((done, fail) => {
      const look = (line) => {
        const found = line.match(pattern);
        if (found) done(found[1]);
        return Boolean(found);
      };
      if (this.lines.some(look)) return;
      this.waiting.push(look);
      const timer = setTimeout(() => fail(new Error(this.said(pattern))), START_MS);
      timer.unref();
      void this.ended.then(() => fail(new Error(this.said(pattern))));
    });
  }

  said(pattern) {
    return `${this.path} did not say ${pattern}, but:\n${this.lines.slice(-30).join("\n")}`;
  }

  async end() {
    this.process.kill("SIGTERM");
    const timer = setTimeout(() => this.process.kill("SIGKILL"), END_MS);
    const code = await this.ended;
    clearTimeout(timer);
    return code;
  }
}

export const hasPrograms = (bin) =>
  ["farlink", "bpgen", "bpsink"].every((name) => existsSync(join(bin, name)));

const digest = (token) => createHash("sha256").update(token).digest("hex");

function writeConfiguration(folder, page, sinkPort, tokens) {
  const contacts = [
    [0, 10, 2, 0, 3_600],
    [1, 10, 2, 4_000, 7_600],
    [2, 2, 40, 0, 7_200],
  ].map(([contact, source, dest, startTime, endTime]) => ({
    contact,
    source,
    dest,
    startTime,
    endTime,
    rateBitsPerSec: 1_000_000_000,
    owlt: 0,
  }));
  const config = {
    myNodeId: 10,
    inductsConfig: [{ url: "stcp://127.0.0.1:0" }],
    outductsConfig: [{ url: `stcp://127.0.0.1:${sinkPort}`, nextHopNodeId: 2 }],
    storageConfig: { storeFilePath: "store" },
    contactPlanFile: "plan.json",
    api: { listen: "127.0.0.1:0", tokensFile: "tokens.json", webui: page },
  };
  const write = (name, content) =>
    writeFileSync(join(folder, name), JSON.stringify(content, null, 1), { mode: 0o600 });
  write("plan.json", { contacts });
  write("node.json", config);
  write("tokens.json", {
    tokens: tokens.map(({ role, token }) => ({ name: role, role, sha256: digest(token) })),
  });
}

/** Starts all three; `url`, `operate` and `read` (tokens), `sink` (its account), `close()`. */
export async function startRealNode({ bin, page, rate = 500, size = 5_000 }) {
  const folder = mkdtempSync(join(tmpdir(), "farlink-browser-"));
  const programs = [];
  const start = (name, ...options) => {
    const program = new Program(join(bin, name), options);
    programs.push(program);
    return program;
  };
  const node = { programs };
  node.close = async () => {
    for (const program of programs.splice(0).reverse()) await program.end();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const listen = ["--listen", "stcp://127.0.0.1:0"];
    const sink = start("bpsink", "--eid", "ipn:2.1", ...listen, "--json", "--progress");
    const sinkPort = await sink.line(/^listening on .*:(\d+)/);
    node.operate = randomBytes(32).toString("hex");
    node.read = randomBytes(32).toString("hex");
    writeConfiguration(folder, page, sinkPort, [
      { role: "operate", token: node.operate },
      { role: "read", token: node.read },
    ]);
    const farlink = start("farlink", "--counters", "--config", join(folder, "node.json"));
    node.url = await farlink.line(/the API (?:is|are) at (\S+)/);
    const port = await farlink.line(/"ports":\[(\d+)/);
    start(
      "bpgen",
      "--from",
      "ipn:1.1",
      "--to",
      "ipn:2.1",
      "--via",
      `stcp://127.0.0.1:${port}`,
      "--bundle-rate",
      String(rate),
      "--bundle-size",
      String(size),
      "--json",
    );
    /** What the sink has received, as it last said. */
    node.received = () => {
      const last = sink.lines.findLast((line) => line.startsWith("{"));
      return last ? JSON.parse(last).received : 0;
    };
    return node;
  } catch (error) {
    await node.close();
    throw error;
  }
}
