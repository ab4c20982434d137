// SPDX-License-Identifier: Apache-2.0
// The mock node by itself, to look at the page without one: node serve.mjs [PORT [LINKS]].
import { fileURLToPath } from "node:url";
import { OPERATE, READ } from "./api.mjs";
import { MockServer } from "./server.mjs";

const [port = "8480", links = "12"] = process.argv.slice(2);
const page =
  process.env.FARLINK_WEBUI ?? fileURLToPath(new URL("../../../build/webui", import.meta.url));
const server = new MockServer({ page, links: Number(links) });
console.log(`the mock node: ${await server.listen(Number(port))}`);
console.log(`token to operate: ${OPERATE}\ntoken to read: ${READ}`);
