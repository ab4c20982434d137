// SPDX-License-Identifier: Apache-2.0
// Builds the page into build/webui, or where `vite build --outDir` says. `vite` alone serves it for
// development, with the mock node of tests/browser/mock behind it.
import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "./",
  build: {
    outDir: "../build/webui",
    emptyOutDir: true,
    target: ["es2022", "firefox115", "safari16"],
    modulePreload: false,
    // The server's content security policy has no data: addresses.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: {
    proxy: {
      "/api": "http://127.0.0.1:8480",
      "/ws": { target: "ws://127.0.0.1:8480", ws: true },
    },
  },
  test: { include: ["test/**/*.test.ts"] },
});
