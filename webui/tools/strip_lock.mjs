// SPDX-License-Identifier: Apache-2.0
// Takes out of package-lock.json what names hosts and npm does not need: `npm run lock` calls it.
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));
for (const entry of Object.values(lock.packages)) {
  delete entry.funding;
  delete entry.resolved;
}
writeFileSync(file, JSON.stringify(lock, null, 2) + "\n");
