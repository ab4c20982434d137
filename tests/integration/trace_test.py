#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bptrace with three nodes in a row: the way of a probe, what ends it, nodes that do not report,
and what the nodes have on record of a bundle.

Usage: trace_test.py --build FOLDER [unittest arguments]
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

from api_node import LIMIT_S, Node, main
from program import Program, api_url

ECHO = "ipn:30.2047"


class Home:
    """A node in a folder of its own; nodes are connected by TCPCLv4, which carries both ways."""

    def __init__(self, node, before, gateway, outducts=(), **settings):
        self.folder = tempfile.TemporaryDirectory(prefix="farlink-trace-")
        self.path = pathlib.Path(self.folder.name)
        self.token = subprocess.run(
            [f"{Node.programs}/farlinkctl", "tokens", "make", "--role", "read", "--name", "trace",
             "--file", str(self.path / "tokens.json")], check=True, capture_output=True,
            text=True).stdout.strip()
        (self.path / "token").write_text(self.token + "\n")
        config = {
            "myNodeId": node, "statusReports": True, "statusReportsPerSecond": 0,
            "inductsConfig": [{"url": "tcpclv4://127.0.0.1:0",
                               "neighbours": [{"nodeId": each, "address": "127.0.0.1"}
                                              for each in before]}],
            "outductsConfig": [{"url": f"tcpclv4://127.0.0.1:{port}", "nextHopNodeId": other}
                               for other, port in outducts],
            "routing": {"defaultGateway": gateway},
            "storageConfig": {"storeFilePath": "store"},
            "controlSocket": "control.sock",
            "api": {"listen": "127.0.0.1:0", "tokensFile": "tokens.json"},
            "applications": {"socket": "app.sock", "access": [
                {"user": str(os.getuid()), "register": [f"ipn:{node}.*"],
                 "sendTo": ["ipn:*.*"]}]}} | settings
        (self.path / "node.json").write_text(json.dumps(config))
        self.program = Program("farlink", [f"{Node.programs}/farlink", "--counters", "--config",
                                           str(self.path / "node.json")])
        self.url = self.program.wait_line(self.program.err, api_url, LIMIT_S).rstrip("/")
        ready = self.program.wait_line(
            self.program.out, lambda line: json.loads(line) if '"ready"' in line else None,
            LIMIT_S)
        self.port = ready["ports"][0]

    def end(self):
        if self.program.process.poll() is None:
            self.program.end(signal.SIGTERM, LIMIT_S)
        self.folder.cleanup()


class TraceTest(unittest.TestCase):
    def node(self, *words, **settings):
        made = Home(*words, **settings)
        self.addCleanup(made.end)
        return made

    def row(self, **silent):
        """Nodes 10, 20 and 30 in a row; `silent`: settings of the one in the middle."""
        self.last = self.node(30, [20], 20)
        self.middle = self.node(20, [10], 30, [(30, self.last.port)], **silent)
        self.first = self.node(10, [], 20, [(20, self.middle.port)])

    def trace(self, *words, code=0):
        done = subprocess.run([f"{Node.programs}/bptrace", *map(str, words)], capture_output=True,
                              timeout=3 * LIMIT_S, check=False, text=True,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def probe(self, to, *words, code=0):
        return json.loads(self.trace(to, "--node", self.first.path / "app.sock", "--json",
                                     "--timeout", 10, *words, code=code).stdout)

    def test_the_way_over_three_nodes(self):
        self.row()
        way = self.probe(ECHO)
        self.assertEqual((way["outcome"], way["complete"]), ("delivered", True), way)
        self.assertEqual([hop["node"] for hop in way["hops"]], ["ipn:10", "ipn:20", "ipn:30"], way)
        for hop in way["hops"][:2]:
            self.assertIn("forwarded", hop, way)
        self.assertIn("received", way["hops"][1], way)
        self.assertIn("delivered", way["hops"][2], way)
        for hop in way["hops"]:
            for event in ("received", "forwarded", "delivered"):
                if event in hop:
                    self.assertNotIn("timeOfReport", hop[event], way)
                    # A node reads its clock a moment before it needs the time.
                    self.assertGreaterEqual(hop[event]["sinceSentMilliseconds"], -5, way)
        drawn = self.trace(ECHO, "--node", self.first.path / "app.sock").stdout
        self.assertIn("delivered at ipn:30", drawn)
        self.assertIn("3 nodes sent reports", drawn)

    def test_a_probe_of_version_6(self):
        self.row()
        way = self.probe(ECHO, "--bp-version", 6)
        self.assertEqual((way["version"], way["outcome"], way["complete"]), (6, "delivered", True),
                         way)
        self.assertEqual([hop["node"] for hop in way["hops"]], ["ipn:10", "ipn:20", "ipn:30"], way)
        self.assertIn("delivered", way["hops"][2], way)
        for hop in way["hops"]:
            for event in ("received", "forwarded", "delivered"):
                if event in hop:
                    self.assertNotIn("timeOfReport", hop[event], way)
                    self.assertGreaterEqual(hop[event]["sinceSentMilliseconds"], -5, way)
        # The id of a BPv6 bundle has seconds; the nodes know it by this id.
        self.assertLess(int(way["bundle"].split("/")[1]), 10**10, way)
        found = json.loads(self.trace(way["bundle"], "--socket", self.first.path / "control.sock",
                                      "--json", code=1).stdout)
        self.assertEqual(found["outcome"], "sent", found)
        way = self.probe("ipn:30.77", "--bp-version", 6, code=1)  # nobody receives there
        self.assertEqual(way["outcome"], "deleted", way)
        self.assertEqual(way["hops"][-1]["node"], "ipn:30", way)
        self.assertEqual(way["hops"][-1]["reasonCode"], 5, way)

    def test_the_local_node_as_destination(self):
        self.row()
        way = self.probe("ipn:10.2047")
        self.assertEqual([hop["node"] for hop in way["hops"]], ["ipn:10"], way)
        self.assertEqual(way["outcome"], "delivered", way)

    def test_a_probe_that_is_deleted(self):
        self.row()
        way = self.probe(ECHO, "--hop-limit", 1, code=1)
        self.assertEqual(way["outcome"], "deleted", way)
        self.assertEqual(way["hops"][-1]["reasonCode"], 9, way)
        way = self.probe("ipn:30.77", "--lifetime", 1, code=1)  # nobody receives there
        self.assertEqual(way["outcome"], "deleted", way)
        self.assertEqual(way["hops"][-1]["node"], "ipn:30", way)

    def test_nodes_that_do_not_report(self):
        self.row(statusReports=False)
        way = self.probe(ECHO)
        self.assertEqual([hop["node"] for hop in way["hops"]], ["ipn:10", "ipn:30"], way)
        silent = self.node(40, [], 20, statusReports=False)
        done = self.trace("ipn:40.2047", "--node", silent.path / "app.sock", "--timeout", 0.5,
                          code=1)
        self.assertIn('no report from ipn:40: set "statusReports": true', done.stdout)
        self.assertIn("neither delivered nor deleted within 500 ms", done.stdout)

    def test_what_became_of_a_bundle(self):
        self.row()
        bundle = self.probe(ECHO)["bundle"]
        words = [bundle, "--socket", self.first.path / "control.sock", "--json"]
        alone = json.loads(self.trace(*words, code=1).stdout)
        self.assertEqual(alone["outcome"], "sent", alone)
        for home in (self.middle, self.last):
            words += ["--ask", home.url, "--token-file", home.path / "token"]
        found = json.loads(self.trace(*words).stdout)
        self.assertEqual(found["outcome"], "delivered", found)
        self.assertEqual([node["past"][0]["outcome"] for node in found["nodes"]],
                         ["sent", "sent", "delivered"], found)
        text = self.trace(*[word for word in words if word != "--json"]).stdout
        self.assertIn(f"{bundle}: delivered", text)

    def test_questions_without_an_answer(self):
        self.row()
        words = ["ipn:10.1/5/6", "--socket", self.first.path / "control.sock", "--json"]
        found = json.loads(self.trace(*words, code=1).stdout)
        self.assertEqual(found["outcome"], "not found", found)
        # A wrong token, a dead node, and one that never answers.
        (self.first.path / "token").write_text("wrong\n")
        found = json.loads(self.trace(*words, "--ask", self.middle.url, "--ask",
                                      "http://127.0.0.1:1", "--token-file",
                                      self.first.path / "token", code=1).stdout)
        self.assertEqual(found["outcome"], "unknown", found)
        self.assertIn("401", found["nodes"][1]["error"], found)
        self.middle.program.process.send_signal(signal.SIGSTOP)
        try:
            found = json.loads(self.trace(*words, "--ask", self.middle.url, "--timeout", 0.3,
                                          code=1).stdout)
        finally:
            self.middle.program.process.send_signal(signal.SIGCONT)
        self.assertEqual(found["nodes"][1]["error"], "no reply in time", found)

    def test_a_node_that_dies(self):
        home = self.node(40, [], 20)
        trace = Program("bptrace", [f"{Node.programs}/bptrace", "ipn:20.2047", "--node",
                                    str(home.path / "app.sock"), "--timeout", "60"])
        self.addCleanup(trace.end, signal.SIGKILL, LIMIT_S)
        stored = home.path / "store"
        end = time.monotonic() + LIMIT_S
        while not any(file.stat().st_size for file in stored.glob("*.log")):
            self.assertLess(time.monotonic(), end)
            threading.Event().wait(0.05)
        home.program.process.kill()
        self.assertEqual(trace.process.wait(LIMIT_S), 1)
        trace.end(signal.SIGKILL, LIMIT_S)
        # The node may die before its reply to the probe that it has stored.
        self.assertRegex("".join(trace.err_kept),
                         "the connection to the node was lost|the node cannot be reached")

    def test_output_that_cannot_be_written(self):
        self.row()
        with open("/dev/full", "w") as full:
            done = subprocess.run([f"{Node.programs}/bptrace", ECHO, "--node",
                                   str(self.first.path / "app.sock")], stdout=full,
                                  stderr=subprocess.PIPE, timeout=LIMIT_S, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"output is incomplete", done.stderr)

    def test_bad_usage(self):
        for words in (["nonsense"], [], [ECHO, "--ask", "http://127.0.0.1:1"],
                      ["ipn:10.1/5/6", "--ask", "station"], [ECHO, "--hop-limit", "0"],
                      [ECHO, "--bp-version", "5"]):
            self.trace(*words, code=2)
        nobody = self.trace(ECHO, "--node", "/nonexistent.sock", "--connect-timeout", 0, code=1)
        self.assertIn("/nonexistent.sock", nobody.stderr)


if __name__ == "__main__":
    main(__doc__)
