// SPDX-License-Identifier: Apache-2.0
// The page that builds without npm use is the one that its sources make.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const shipped = fileURLToPath(new URL("../../webui/shipped.tar.gz", import.meta.url));
const built = process.env.FARLINK_WEBUI ?? "";
if (!existsSync(join(built, "index.html"))) {
  console.log(`skipped: there is no page in "${built}"`);
  process.exit(77);
}
const folder = mkdtempSync(join(tmpdir(), "farlink-shipped-"));
spawnSync("tar", ["-xzf", shipped, "-C", folder], { stdio: "inherit" });
const same =
  spawnSync("diff", ["-rq", "--exclude=*.gz", folder, built], { stdio: "inherit" }).status === 0;
rmSync(folder, { recursive: true });
if (!same) {
  console.log(
    "webui/shipped.tar.gz is not what the sources make: webui/build.sh build/webui --ship",
  );
}
process.exit(same ? 0 : 1);
