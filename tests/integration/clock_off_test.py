#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A node that was off while its bundles expired: with a clock that is synchronised, and without.

Usage: clock_off_test.py --build FOLDER [unittest arguments]
"""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from api_node import LIMIT_S, ROOT, Node, main
from program import Program

LIFETIME_S = 2
HOUR_S = 3600


class StoredNode:
    """A node without a contact; whether its clock is synchronised is the test's choice."""

    def __init__(self, folder):
        environment = {"LD_PRELOAD": str(folder / "kernel_clock.so"),
                       "FARLINK_TEST_CLOCK": str(folder / "synchronised")}
        self.program = Program("farlink", [
            "env", *(f"{name}={value}" for name, value in environment.items()),
            f"{Node.programs}/farlink", "--counters", "--config", str(folder / "node.json")])
        self.port = self.program.wait_line(
            self.program.out, lambda line: json.loads(line)["ports"][0], LIMIT_S)

    def wait_for(self, counter, value):
        self.program.wait_line(
            self.program.out,
            lambda line: True if json.loads(line).get(counter) == value else None, LIMIT_S)

    def end(self, number=signal.SIGTERM):
        self.program.end(number, LIMIT_S)
        return [line for line in self.program.err_kept if " warning " in line or " info " in line]


class ClockOffTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="farlink-off-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        built = subprocess.run(["cc", "-shared", "-fPIC", "-o",
                                str(self.folder / "kernel_clock.so"),
                                str(ROOT / "tests/support/kernel_clock.c")], check=False)
        if built.returncode != 0:
            self.skipTest("no compiler for C")
        (self.folder / "node.json").write_text(json.dumps({
            "myNodeId": 10, "inductsConfig": [{"url": "stcp://127.0.0.1:0"}],
            "storageConfig": {"storeFilePath": "store"}}))
        node = StoredNode(self.folder)
        subprocess.run([f"{Node.programs}/bpgen", "--from", "ipn:1.1", "--to", "ipn:20.1", "--via",
                        f"stcp://127.0.0.1:{node.port}", "--bundles", "3", "--lifetime",
                        str(LIFETIME_S)], check=True, stdout=subprocess.DEVNULL)
        node.wait_for("storage_stored_now", 3)
        self.assertEqual(node.program.end(signal.SIGKILL, LIMIT_S), -signal.SIGKILL)
        threading.Event().wait(LIFETIME_S + 0.5)

    def start_after(self, seconds):
        """As if the node had been off for so long."""
        for path in (self.folder / "store").iterdir():
            then = time.time() - seconds
            os.utime(path, (then, then))
        return StoredNode(self.folder)

    def said(self, lines, text):
        self.assertEqual(sum(text in line for line in lines), 1, "".join(lines))

    def test_hours_by_a_clock_without_a_time_service(self):
        node = self.start_after(11 * HOUR_S)
        node.wait_for("storage_expiry_suspended", 1)
        self.said(node.end(signal.SIGKILL),
                  "off for 11.0 h according to the wall clock, and the clock is not synchronised: "
                  "3 of 3 stored bundles would expire")
        node = StoredNode(self.folder)
        node.wait_for("storage_expiry_suspended", 1)
        (self.folder / "synchronised").touch()
        node.wait_for("storage_expired", 3)
        lines = node.end()
        self.said(lines, "off for 11.0 h according to the wall clock, and")
        self.said(lines, "the wall clock is trusted again")

    def test_hours_by_a_synchronised_clock(self):
        (self.folder / "synchronised").touch()
        node = self.start_after(11 * HOUR_S)
        node.wait_for("storage_expired", 3)
        self.said(node.end(), "off for 11.0 h according to the wall clock: 3 of 3 stored bundles "
                              "expired in the meantime")

    def test_a_restart_within_seconds_is_not_held(self):
        node = StoredNode(self.folder)
        node.wait_for("storage_expired", 3)
        self.said(node.end(), " s according to the wall clock: 3 of 3 stored bundles expired in "
                              "the meantime")


if __name__ == "__main__":
    main(__doc__)
