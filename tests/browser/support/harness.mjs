// SPDX-License-Identifier: Apache-2.0
// Opens the page in Chromium: of the mock node, or of the node that FARLINK_BASE_URL names.
//
// FARLINK_BASE_URL with FARLINK_OPERATE_TOKEN (and FARLINK_READ_TOKEN): tests that need no mock run
// against that node. FARLINK_WEBUI: the folder of the built page. FARLINK_CHROMIUM: another
// browser. FARLINK_SCREENSHOTS: where pictures go.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after } from "node:test";

const skip = (why) => {
  console.log(`skipped: ${why}`);
  process.exit(77);
};

const root = fileURLToPath(new URL("../../../", import.meta.url));
// The shell draws the same pages with half the work; the whole browser does as well.
const browserPath =
  process.env.FARLINK_CHROMIUM ??
  ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((one) => existsSync(one)) ??
  "/usr/bin/chromium-headless-shell";
export const pageFolder = process.env.FARLINK_WEBUI ?? join(root, "build/webui");
export const baseUrl = process.env.FARLINK_BASE_URL;
if (!existsSync(browserPath)) skip(`there is no ${browserPath}; ./farlink-dev test installs it`);
if (!existsSync(join(root, "webui/node_modules/playwright-core"))) {
  skip("webui/node_modules is missing; webui/build.sh installs it, with npm");
}
if (!baseUrl && !existsSync(join(pageFolder, "index.html")))
  skip(`there is no page in ${pageFolder}; webui/build.sh makes it`);

const { axeSource, chromium } = await import("./modules.mjs");
const { MockServer } = await import("../mock/server.mjs");
const mock = await import("../mock/api.mjs");

export const tokens = baseUrl
  ? {
      operate: process.env.FARLINK_OPERATE_TOKEN ?? "",
      read: process.env.FARLINK_READ_TOKEN ?? "",
    }
  : { operate: mock.OPERATE, read: mock.READ };
/** Options of a test that cannot run without them. */
export const needs = {
  mock: baseUrl ? { skip: "needs the mock node" } : {},
  operate: tokens.operate ? {} : { skip: "FARLINK_OPERATE_TOKEN is not set" },
  read: tokens.read ? {} : { skip: "FARLINK_READ_TOKEN is not set" },
};

const browser = await chromium.launch({
  executablePath: browserPath,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-precise-memory-info",
  ],
});
const servers = [];
after(async () => {
  await browser.close();
  for (const server of servers) await server.close();
});

/** A mock node of its own, or the node under test. */
export async function startNode(options = {}) {
  if (baseUrl) return { url: baseUrl };
  const server = new MockServer({ page: pageFolder, ...options });
  servers.push(server);
  await server.listen();
  return server;
}

/** The page of `node`, with what went wrong in it gathered in `faults`. */
export async function openPage(
  node,
  { theme = "dark", width = 1440, height = 1000, token = "", wait = true, ...more } = {},
) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    ignoreHTTPSErrors: true,
    ...more,
  });
  const page = await context.newPage();
  // A machine with much else to do is slow, not wrong.
  page.setDefaultTimeout(45_000);
  const faults = [];
  const foreign = [];
  page.on("pageerror", (error) => faults.push(String(error.stack)));
  page.on("console", (message) => {
    // Refused requests are what some tests are about; the browser tells of each.
    if (
      message.type() === "error" &&
      !/Failed to load resource|WebSocket connection/.test(message.text())
    )
      faults.push(message.text());
  });
  page.on("request", (request) => {
    if (new URL(request.url()).host !== new URL(node.url).host) foreign.push(request.url());
  });
  if (token)
    await page.addInitScript((value) => sessionStorage.setItem("farlink.token", value), token);
  await page.goto(node.url);
  if (wait) await page.waitForSelector('#connection[data-kind="live"]');
  return Object.assign(page, { faults, foreign });
}

/** The state as the API tells it. */
export async function apiGet(node, path, token = tokens.read || tokens.operate) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const response = await fetch(new URL(`/api/v1/${path}`, node.url), { headers });
  return response.json();
}

/** A command, as somebody else gives it who operates. */
export async function apiSend(node, method, path, body) {
  const response = await fetch(new URL(`/api/v1/${path}`, node.url), {
    method,
    headers: { Authorization: `Bearer ${tokens.operate}`, "Content-Type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return response.json();
}

/** Waits until `check` holds, looking at it again with every frame of the page. */
export async function eventually(page, what, check, timeoutMs = 30_000) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const [holds, seen] = await check();
    if (holds) return seen;
    if (Date.now() > end) throw new Error(`${what}; last seen: ${JSON.stringify(seen)}`);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
}

export const text = (page, selector) => page.locator(selector).first().innerText();
export const cell = (page, link, name) => `#links tr[data-key="${link}"] [data-cell="${name}"]`;

/** 1 234 567 as a number. */
export const number = (shown) => Number(shown.replace(/[^\d.-]/g, ""));

/** "1.31 Gbit/s" as bits a second. */
export function bits(shown) {
  const found = shown.match(/^([\d.]+)\s*([kMGTP]?)bit\/s$/u);
  if (!found) throw new Error(`"${shown}" is no data rate`);
  return Number(found[1]) * { "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 }[found[2]];
}

/** What axe-core finds against WCAG 2.2 AA, one line each. */
export async function axe(page) {
  await page.evaluate(axeSource);
  const result = await page.evaluate(() =>
    globalThis.axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }),
  );
  return result.violations.map(
    (one) =>
      `${one.id}: ${one.help}: ${one.nodes
        .map(
          (node) => `${node.target.join(" ")} (${node.any.map((any) => any.message).join("; ")})`,
        )
        .join(" | ")}`,
  );
}

export function screenshotPath(name) {
  const folder = process.env.FARLINK_SCREENSHOTS ?? join(root, "build/screenshots");
  mkdirSync(folder, { recursive: true });
  return join(folder, `${name}.png`);
}
