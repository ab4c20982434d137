#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The start of a node under limits of address space and of descriptors: it starts, or says why not.

Usage: start_limits_test.py --build FOLDER [unittest arguments]
"""
import json
import pathlib
import re
import resource
import select
import signal
import subprocess
import tempfile
import time
import unittest

from api_node import LIMIT_S, Node, main

MIB = 1024 * 1024
#: Below this the program's libraries cannot be loaded, which the loader says.
LEAST_MIB = 64
#: The default configuration with a control socket starts with so much.
ENOUGH_MIB = 640
LIMITS = re.compile(rb"ulimit -v|ulimit -n|ulimit -u")


class Start:
    """One start: whether the node is ready, its exit code, and what it says."""

    def __init__(self, folder, limits, options=()):
        def obey():
            for name, value in limits.items():
                resource.setrlimit(name, (value, value))

        command = [f"{Node.programs}/farlink", "--config", str(folder / "node.json"), "--counters",
                   *options]
        with open(folder / "errors", "wb") as errors:
            program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors,
                                       preexec_fn=obey)
        try:
            self.ready = self.is_ready(program)
            program.send_signal(signal.SIGTERM)
            program.communicate(timeout=LIMIT_S)
        finally:
            program.kill()
            program.wait()
        self.code = program.returncode
        self.errors = (folder / "errors").read_bytes()

    @staticmethod
    def is_ready(program):
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            if not select.select([program.stdout], [], [], 0.1)[0]:
                continue
            line = program.stdout.readline()
            if b'"ready"' in line:
                return True
            if not line:
                return False
        return False


class StartLimitsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="farlink-limits-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "node.json").write_text(json.dumps({
            "myNodeId": 10, "controlSocket": "control.sock", "stateFolder": "state",
            "inductsConfig": [{"url": "stcp://127.0.0.1:0"}],
            "outductsConfig": [{"url": "stcp://127.0.0.1:1", "nextHopNodeId": 20}],
            "history": {"freeSpaceBytes": 0},
            "storageConfig": {"storeFilePath": "store"}}))

    def start(self, limits, options=()):
        """Sees either a start or a named reason, never the end by a signal."""
        start = Start(self.folder, limits, options)
        said = start.errors.decode(errors="replace")
        if start.ready:
            self.assertEqual(start.code, 0, said)
            return start
        self.assertEqual(start.code, 1, (limits, said))
        self.assertRegex(start.errors, LIMITS, (limits, said))
        self.assertNotIn(b"bad_alloc", start.errors, limits)
        return start

    def test_every_step_of_address_space(self):
        ready = [mib for mib in range(LEAST_MIB, ENOUGH_MIB + 1, 24)
                 if self.start({resource.RLIMIT_AS: mib * MIB}).ready]
        self.assertTrue(ready, "no step is enough")
        self.assertEqual(ready, list(range(ready[0], ENOUGH_MIB + 1, 24)))

    def test_the_named_minimum_is_enough(self):
        least = re.search(rb"at least (\d+) MiB",
                          self.start({resource.RLIMIT_AS: LEAST_MIB * MIB}).errors)
        self.assertTrue(least)
        start = self.start({resource.RLIMIT_AS: (int(least[1]) + 1) * MIB})
        self.assertTrue(start.ready, start.errors)
        self.assertNotIn(b"history is not written", start.errors)
        self.assertFalse(self.start({resource.RLIMIT_AS: (int(least[1]) - 2) * MIB}).ready)

    def test_every_step_of_descriptors(self):
        steps = [*range(8, 129, 12), 160]
        ready = [number for number in steps if self.start({resource.RLIMIT_NOFILE: number}).ready]
        self.assertTrue(ready, "no step is enough")
        self.assertEqual(ready, [number for number in steps if number >= ready[0]])

    def test_processes_of_modules_need_descriptors_for_the_bus(self):
        for number in (16, 48, 64, 80, 96, 112, 144):
            started = self.start({resource.RLIMIT_NOFILE: number}, ["--isolate"]).ready
        self.assertTrue(started)


if __name__ == "__main__":
    main(__doc__)
