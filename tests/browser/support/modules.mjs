// SPDX-License-Identifier: Apache-2.0
// The packages that webui/package-lock.json pins, for programs that lie elsewhere.
import { createRequire } from "node:module";

const require = createRequire(new URL("../../../webui/package.json", import.meta.url));

export const { chromium } = require("playwright-core");
export const { WebSocketServer } = require("ws");
export const axeSource = require("axe-core").source;
