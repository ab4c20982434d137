#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Configurations of HDTN's form are converted, pass the check, and carry bundles.

Usage: hdtn_import_test.py --build FOLDER [unittest arguments]
"""
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from api_node import LIMIT_S, Node, main
from ports import free_port
from program import Program

FILES = pathlib.Path(__file__).resolve().parent.parent / "imports" / "hdtn"
#: Scheme, the node behind the outduct, and the options of the neighbours' links.
LAYERS = {"stcp": ("stcp", 61), "tcpclv3": ("tcpclv3", 31), "tcpclv4": ("tcpclv4", 21),
          "udp": ("udp", 51), "ltp": ("ltp", 42)}
BUNDLES = 50
#: Of processor time: other programs may have the processors.
MOST_MS = 100
OK, FAILED, USAGE = 0, 1, 2


def used_ms():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1000


class Files:
    """HDTN's files of one layer in a folder, with ports of this run."""

    def __init__(self, test, layer):
        folder = tempfile.TemporaryDirectory(prefix="farlink-hdtn-")
        test.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        text = (FILES / f"{layer}.json").read_text()
        for port in set(re.findall(r"\b145\d\d\b", text)):
            text = text.replace(port, str(free_port()))
        self.config = json.loads(text)
        self.write()
        (self.path / "plan.json").write_text((FILES / f"{layer}_plan.json").read_text())
        self.receives = self.config["inductsConfig"]["inductVector"][0]["boundPort"]
        self.sends = self.config["outductsConfig"]["outductVector"][0]["remotePort"]

    def write(self):
        (self.path / "hdtn.json").write_text(json.dumps(self.config))

    def run(self, program, *arguments):
        return subprocess.run([f"{Node.programs}/{program}", *arguments], cwd=self.path, text=True,
                              capture_output=True, timeout=LIMIT_S, check=False)

    def convert(self, *options):
        return self.run("farlinkctl", "config", "import-hdtn", "hdtn.json", "--contact-plan",
                        "plan.json", "-o", "made", *options)

    def made(self):
        return sorted(entry.name for entry in (self.path / "made").glob("*"))

    def start(self, *arguments):
        here = os.getcwd()
        os.chdir(self.path)
        try:
            node = Program("farlink", [f"{Node.programs}/farlink", "--counters", *arguments])
        finally:
            os.chdir(here)
        node.wait_line(node.out, lambda line: True if '"ready"' in line else None, LIMIT_S)
        return node


class HdtnImportTest(unittest.TestCase):
    def carry(self, files, scheme, to):
        """Bundles go in by the induct and arrive behind the outduct."""
        sink = Program("bpsink", [
            f"{Node.programs}/bpsink", "--eid", f"ipn:{to}.1", "--listen",
            f"{scheme}://127.0.0.1:{files.sends}", "--bundles", str(BUNDLES), "--json"])
        try:
            sent = subprocess.run(
                [f"{Node.programs}/bpgen", "--from", "ipn:1.1", "--to", f"ipn:{to}.1", "--via",
                 f"{scheme}://127.0.0.1:{files.receives}", "--bundles", str(BUNDLES),
                 "--bundle-size", "300", "--bundle-rate", "200"],
                text=True, capture_output=True, timeout=LIMIT_S, check=False)
            self.assertEqual(sent.returncode, OK, sent.stderr)
            self.assertEqual(sink.process.wait(LIMIT_S), OK, "".join(sink.err_kept))
        finally:
            sink.end(signal.SIGTERM, LIMIT_S)

    def test_each_layer_carries_bundles(self):
        for layer, (scheme, to) in LAYERS.items():
            with self.subTest(layer):
                files = Files(self, layer)
                done = files.convert()
                self.assertEqual(done.returncode, OK, done.stderr)
                self.assertEqual(files.made(),
                                 ["contact_plan.json", "farlink.json", "import-report.txt"])
                checked = files.run("farlink", "--check", "--config", "made/farlink.json")
                self.assertEqual(checked.returncode, OK, checked.stderr)
                node = files.start("--config", "made/farlink.json")
                try:
                    self.carry(files, scheme, to)
                finally:
                    self.assertEqual(node.end(signal.SIGTERM, LIMIT_S), OK,
                                     "".join(node.err_kept))

    def test_a_node_runs_the_files_themselves(self):
        files = Files(self, "stcp")
        scheme, to = LAYERS["stcp"]
        options = ["--hdtn-config-file", "hdtn.json", "--contact-plan-file", "plan.json"]
        checked = files.run("farlink", "--check", *options)
        self.assertEqual(checked.returncode, OK, checked.stderr)
        self.assertFalse((files.path / "farlink-hdtn-60").exists(), "--check writes nothing")
        node = files.start(*options)
        try:
            self.assertTrue((files.path / "farlink-hdtn-60" / "import-report.txt").exists())
            self.carry(files, scheme, to)
            self.assertTrue((files.path / "dock").exists())
        finally:
            self.assertEqual(node.end(signal.SIGTERM, LIMIT_S), OK, "".join(node.err_kept))
        self.assertFalse((files.path / "dock").exists(), "autoDeleteFilesOnExit")

    def test_refused_files_leave_nothing(self):
        files = Files(self, "tcpclv4")
        files.config["myNodeID"] = 7
        files.config["inductsConfig"]["inductVector"][0]["convergenceLayer"] = "ltp_over_ipc"
        files.write()
        done = files.convert()
        self.assertEqual(done.returncode, FAILED)
        self.assertIn('did you mean "myNodeId"?', done.stderr)
        self.assertIn("ltp_over_ipc", done.stderr)
        self.assertEqual(files.made(), [])
        self.assertEqual(files.run("farlinkctl", "config", "import-hdtn").returncode, USAGE)
        self.assertEqual(files.run("farlinkctl", "config", "import-hdtn", "none.json").returncode,
                         FAILED)

    def test_files_that_are_there_are_kept(self):
        files = Files(self, "udp")
        self.assertEqual(files.convert().returncode, OK)
        again = files.convert()
        self.assertEqual(again.returncode, FAILED)
        self.assertIn("--force", again.stderr)
        self.assertEqual(files.convert("--force").returncode, OK)

    def test_an_import_takes_little_time(self):
        files = Files(self, "ltp")
        times = []
        for _ in range(3):
            before = used_ms()
            self.assertEqual(files.convert("--force").returncode, OK)
            times.append(used_ms() - before)
        self.assertLess(min(times), MOST_MS)

    def test_trust_raises_an_alarm(self):
        files = Files(self, "tcpclv4")
        done = files.convert("--trust-like-hdtn")
        self.assertEqual(done.returncode, OK, done.stderr)
        made = files.path / "made" / "farlink.json"
        config = json.loads(made.read_text())
        self.assertEqual(config["inductsConfig"][0]["neighbours"], [{"address": "0.0.0.0/0"}])
        config["controlSocket"] = "control"
        made.write_text(json.dumps(config))
        node = files.start("--config", "made/farlink.json")
        try:
            end = time.monotonic() + LIMIT_S
            alarms = ""
            while "peers-not-checked" not in alarms and time.monotonic() < end:
                alarms = files.run("farlinkctl", "alarms", "--socket", "made/control").stdout
                threading.Event().wait(0.1)
            self.assertIn("peers-not-checked", alarms)
        finally:
            node.end(signal.SIGTERM, LIMIT_S)


if __name__ == "__main__":
    main(__doc__)
