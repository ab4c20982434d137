#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The client library for C++ against the small server of the Python package's tests: many messages,
large ones, refusals, and connections that are lost at the worst moments.

Usage: client_test.py PROBE [unittest option...]; PROBE is the program of client_probe.cpp.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "python/tests"))

from aap2_server import Server  # noqa: E402

PROBE = sys.argv.pop(1)


class Cases:
    form = ""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.server = Server(f"{self.folder.name}/aap2")
        self.addCleanup(self.server.close)

    def probe(self, count, window=64, size=10):
        done = subprocess.run([PROBE, self.form, self.server.path, str(count), str(window),
                               str(size)], capture_output=True, text=True, timeout=60, check=False)
        self.assertTrue(done.stdout, f"{done.returncode} {done.stderr}")
        return json.loads(done.stdout)

    def expect_all(self, count, result):
        self.assertEqual(result["accepted"], count, result)
        self.assertEqual(result["received"], count, result)
        self.assertTrue(result["inOrder"], result)
        self.assertEqual(len(self.server.accepted), count)

    def test_many_under_way(self):
        self.server.window = 40
        self.expect_all(3000, self.probe(3000))

    def test_one_at_a_time(self):
        self.expect_all(30, self.probe(30, window=1))

    def test_large_payloads(self):
        self.expect_all(6, self.probe(6, window=4, size=3_000_000))

    def test_empty_run_of_a_window(self):
        self.expect_all(1, self.probe(1, window=1000, size=0))

    def test_refusals(self):
        self.server.refuse["ipn:10.2"] = (12, "no entry")
        result = self.probe(3)
        self.assertEqual((result["accepted"], result["refused"]), (0, 3))
        self.assertEqual(result["reason"], "no entry")

    def test_lost_connections(self):
        self.server.drop_before_answers = 3
        self.server.drop_after_gifts = 5
        self.expect_all(40, self.probe(40, window=4))


class BlockingTest(Cases, unittest.TestCase):
    form = "blocking"


class AsioTest(Cases, unittest.TestCase):
    form = "asio"


if __name__ == "__main__":
    unittest.main()
