#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The HTTP API of a real node, by requests that schemathesis derives from docs/api/openapi.yaml:
allowed and disallowed ones. Every answer must match the description.

Usage: api_schema_test.py --build FOLDER [unittest arguments]
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from api_node import ROOT, Node, main

PEERS = pathlib.Path(os.environ.get("FARLINK_PEERS")
                     or pathlib.Path.home() / ".cache/farlink-peers")
PROGRAM = PEERS / "python/bin/schemathesis"
LIMIT_S = 280
SEED = 9171
# The description has the answer 503 for a module that is not running, so the check for server
# errors uses it. The other checks require more than the description promises.
CHECKS = ("status_code_conformance", "content_type_conformance", "response_headers_conformance",
          "response_schema_conformance")


def skip_without_program():
    """Installed by `./farlink-dev test` like the other peers; `test` fails when that fails."""
    if not (PEERS / "installed/schemathesis").exists():
        reason = PEERS / "missing/schemathesis"
        print("SKIPPED schemathesis:", reason.read_text().strip() if reason.exists()
              else "it is not installed: ./farlink-dev test installs it")
        sys.exit(77)


class Schema(unittest.TestCase):
    def setUp(self):
        self.node = Node()
        self.addCleanup(self.node.folder.cleanup)

    def schemathesis(self, *options):
        with tempfile.TemporaryDirectory(prefix="farlink-schema-") as folder:
            # In a folder of its own for its cache.
            done = subprocess.run(
                [PROGRAM, "run", ROOT / "docs/api/openapi.yaml", "--url",
                 f"http://127.0.0.1:{self.node.port}", "--seed", str(SEED), "--generation-database",
                 "none", "--checks", ",".join(CHECKS), "--no-color", "--warnings", "off", *options],
                cwd=folder, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, timeout=LIMIT_S)
        return done.returncode, done.stdout

    def test_answers_are_described(self):
        code, text = self.schemathesis(
            "-H", f"Authorization: Bearer {self.node.operate}", "--phases",
            "examples,coverage,fuzzing", "--max-examples", "4")
        self.assertEqual(code, 0, text)
        self.assertEqual(self.node.ask("GET", "/healthz")[0], 200)
        self.assertEqual(self.node.end(), 0)


if __name__ == "__main__":
    skip_without_program()
    main(__doc__)
