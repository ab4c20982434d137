#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What earlier versions wrote opens: store, contact plan with its history, tokens, configuration.

And a store of a later version is refused, and left as it is.
"""

import argparse
import json
import pathlib
import select
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from golden_node import (CONFIG, LIMIT_S, Node, Sink, contents, copy_of, metric_families,
                         programs_of, versions)
from crc32c import crc32c

LATER = 99
HEADERS = (0, 2048)  # of a log file, twice
HEADER = struct.Struct(">8sI48sI")  # magic, version, the rest, CRC-32C


def make_later(log):
    """Gives a log file the version of a program that is not written yet."""
    octets = bytearray(log.read_bytes())
    for at in HEADERS:
        magic, version, rest, crc = HEADER.unpack_from(octets, at)
        assert magic == b"FARLLOG\n" and version < LATER, log
        assert crc == crc32c(octets[at:at + HEADER.size - 4]), log
        struct.pack_into(">I", octets, at + 8, LATER)
        struct.pack_into(">I", octets, at + HEADER.size - 4,
                         crc32c(octets[at:at + HEADER.size - 4]))
    log.write_bytes(octets)


class UpgradeTest(unittest.TestCase):
    programs = ""

    def folder(self):
        made = tempfile.TemporaryDirectory(prefix="farlink-upgrade-")
        self.addCleanup(made.cleanup)
        return pathlib.Path(made.name)

    def each_version(self):
        self.assertTrue(versions(), "no golden files")
        for golden in versions():
            with self.subTest(version=golden.name):
                yield golden

    def test_files_of_each_version_open(self):
        for golden in self.each_version():
            expected = json.loads((golden / "expected.json").read_text(encoding="utf-8"))
            sink, folder = Sink(self.programs), self.folder()
            self.addCleanup(sink.end)
            copy_of(golden, folder, sink.port)
            node = Node(self.programs, folder)
            self.addCleanup(node.end)
            self.finds_what_commands_have_changed(node, expected)
            self.knows_its_tokens(node, expected["tokens"])
            # The plan's contacts are far off; this one lets go what is stored.
            node.ctl("plan", "add", "--contact", "95", "--source", "10", "--dest", "2", "--start",
                     "+0", "--end", "+3600", "--rate", "0")
            sink.wait_for(expected["bundles"])
            self.has_its_metrics(node, golden, expected["tokens"])
            self.assertEqual(node.end(), 0, "".join(node.program.err_kept))
            result = sink.end()
            self.assertEqual(result["received"], expected["bundles"])
            self.assertEqual(result["duplicates"], 0)

    def finds_what_commands_have_changed(self, node, expected):
        self.assertEqual(node.ctl("plan", "current")["contacts"], expected["plan"]["contacts"])
        self.assertEqual(node.ctl("plan", "history")["changes"], expected["history"]["changes"])
        self.assertEqual(node.ctl("storage", "holds")["held"], expected["holds"]["held"])

    def has_its_metrics(self, node, golden, tokens):
        """Under their names of then, with their types; each module tells its own in its time."""
        of_then = set((golden / "metrics.txt").read_text(encoding="utf-8").splitlines())
        missing, until = of_then, time.monotonic() + LIMIT_S
        while missing and time.monotonic() < until:
            missing = of_then - metric_families(node.metrics(tokens))
            select.select([], [], [], 0.1)  # the API answers so many requests a second
        self.assertEqual(missing, set(), "renamed metrics have a line in renamed_metrics.hpp")

    def knows_its_tokens(self, node, tokens):
        """A read token reads, an operate token changes, and others do neither."""
        hold = "/api/v1/storage/holds/78"
        self.assertEqual(node.ask("GET", "/api/v1/status", tokens["read"])[0], 200)
        self.assertEqual(node.ask("PUT", hold, tokens["read"])[0], 403)
        self.assertEqual(node.ask("PUT", hold, tokens["operate"])[0], 200)
        self.assertEqual(node.ask("PUT", hold, "0" * 64)[0], 401)

    def test_check_passes_each_configuration(self):
        for golden in self.each_version():
            folder = self.folder()
            copy_of(golden, folder, 4558)
            done = subprocess.run([f"{self.programs}/farlink", "--check", "--config",
                                   str(folder / CONFIG)], capture_output=True, text=True,
                                  check=False, timeout=LIMIT_S)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_later_store_is_refused_and_left_as_it_is(self):
        for golden in self.each_version():
            folder = self.folder()
            copy_of(golden, folder, 4558)
            for log in (folder / "store").glob("*.log"):
                make_later(log)
            before = contents(folder / "store")
            for check in ([], ["--check"]):
                done = subprocess.run([f"{self.programs}/farlink", *check, "--config",
                                       str(folder / CONFIG)], capture_output=True, text=True,
                                      check=False, timeout=LIMIT_S)
                self.assertNotEqual(done.returncode, 0, check)
                self.assertRegex(done.stderr, "disk .*: the store was written by a newer version")
                self.assertEqual(contents(folder / "store"), before)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    options, rest = parser.parse_known_args()
    UpgradeTest.programs = programs_of(options.build)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
