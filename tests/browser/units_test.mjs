// SPDX-License-Identifier: Apache-2.0
// The page's parts by themselves: webui/test, with vitest.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const webui = fileURLToPath(new URL("../../webui", import.meta.url));
const vitest = `${webui}/node_modules/vitest/vitest.mjs`;
if (!existsSync(vitest)) {
  console.log("skipped: webui/node_modules is missing; webui/build.sh installs it, with npm");
  process.exit(77);
}
process.exit(
  spawnSync(process.execPath, [vitest, "run"], { cwd: webui, stdio: "inherit" }).status ?? 1,
);
