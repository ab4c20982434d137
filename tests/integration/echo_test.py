#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bpsink --echo as what bping asks: directly and behind a node, by the session of the requests and
by an outduct, and for a source that takes no echo.

Usage: echo_test.py --build FOLDER [unittest arguments]
"""
import json
import pathlib
import signal
import subprocess
import tempfile
import unittest

from api_node import LIMIT_S, Node, main
from ports import free_port
from program import Program

PINGS = 20


class EchoTest(unittest.TestCase):
    def start(self, name, *words):
        program = Program(name, [f"{Node.programs}/{name}", *map(str, words)])
        self.addCleanup(lambda: program.process.poll() is None and program.end(signal.SIGKILL, 5))
        return program

    def sink(self, scheme, *words):
        sink = self.start("bpsink", "--eid", "ipn:2.1", "--listen", f"{scheme}://127.0.0.1:0",
                          "--json", *words)
        mark = "listening on "
        sink.port = sink.wait_line(
            sink.err, lambda line: line.rsplit(":", 1)[1] if mark in line else None, LIMIT_S)
        return sink

    def ping(self, url, *words):
        """The summary, after every request was answered."""
        done = subprocess.run(
            [f"{Node.programs}/bping", "--to", "ipn:2.1", "--via", url, "--count", str(PINGS),
             "--interval", "0", "--json", *words], capture_output=True, timeout=3 * LIMIT_S,
            check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        summary = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual((summary["received"], summary["unexpected"]), (PINGS, 0), summary)

    def report(self, sink, code=0, how=signal.SIGTERM):
        if how:
            sink.process.send_signal(how)
        report = sink.wait_line(
            sink.out, lambda line: json.loads(line) if '"echo"' in line else None, LIMIT_S)
        self.assertEqual(sink.process.wait(LIMIT_S), code, report)
        return report

    def expect_echoed(self, sink, echoes):
        report = self.report(sink)
        self.assertEqual(report["echo"],
                         {"sent": echoes, "unanswered": 0, "dropped": 0, "refused": 0})
        # Requests are no run of bpgen.
        self.assertEqual((report["received"], report["runs"], report["lost"], report["corrupt"]),
                         (echoes, 0, 0, 0), report)
        self.assertTrue(report["complete"], report)

    def test_by_the_session_of_the_requests(self):
        for scheme in ("tcpclv4", "tcpclv3", "ltp"):
            sink = self.sink(scheme, "--echo")
            for version in (7, 6):
                for size in (64, "300k"):
                    with self.subTest(scheme=scheme, version=version, size=size):
                        self.ping(f"{scheme}://127.0.0.1:{sink.port}", "--bp-version", str(version),
                                  "--bundle-size", str(size))
            self.expect_echoed(sink, 4 * PINGS)

    def test_by_an_outduct(self):
        for scheme in ("stcp", "udp"):
            with self.subTest(scheme=scheme):
                back = f"{scheme}://127.0.0.1:{free_port()}"
                sink = self.sink(scheme, "--echo-to", back)
                self.ping(f"{scheme}://127.0.0.1:{sink.port}", "--listen", back)
                self.expect_echoed(sink, PINGS)

    def test_behind_a_node(self):
        sink = self.sink("tcpclv4", "--echo")
        with tempfile.TemporaryDirectory(prefix="farlink-echo-") as folder:
            file = pathlib.Path(folder) / "node.json"
            file.write_text(json.dumps({
                "myNodeId": 10, "storageConfig": {"storeFilePath": "store"},
                "inductsConfig": [{"url": "tcpclv4://127.0.0.1:0",
                                   "neighbours": [{"nodeId": 99, "address": "127.0.0.1"}]}],
                "outductsConfig": [{"url": f"tcpclv4://127.0.0.1:{sink.port}",
                                    "nextHopNodeId": 2}]}))
            node = self.start("farlink", "--config", file, "--counters")
            ready = node.wait_line(
                node.out, lambda line: json.loads(line) if '"ready"' in line else None, LIMIT_S)
            self.ping(f"tcpclv4://127.0.0.1:{ready['ports'][0]}")
            self.assertEqual(node.end(signal.SIGTERM, LIMIT_S), 0)
        self.expect_echoed(sink, PINGS)

    def test_a_source_that_refuses_every_echo(self):
        sink = self.sink("tcpclv4", "--echo")
        sent = subprocess.run(
            [f"{Node.programs}/bpgen", "--from", "ipn:1.1", "--to", "ipn:2.1", "--via",
             f"tcpclv4://127.0.0.1:{sink.port}", "--bundles", "3000", "--bundle-size", "100k",
             "--json"], capture_output=True, timeout=3 * LIMIT_S, check=False)
        self.assertEqual(sent.returncode, 0, sent.stdout + sent.stderr)
        report = self.report(sink, code=1)
        self.assertEqual((report["received"], report["echo"]["sent"]), (3000, 3000), report)
        self.assertGreater(report["echo"]["dropped"], 0, report)

    def test_the_end_after_a_number_of_echoes(self):
        sink = self.sink("tcpclv4", "--echo", "--bundles", PINGS)
        self.ping(f"tcpclv4://127.0.0.1:{sink.port}")
        self.assertEqual(self.report(sink, how=None)["echo"]["sent"], PINGS)

    def test_a_one_way_layer_needs_an_outduct(self):
        done = subprocess.run(
            [f"{Node.programs}/bpsink", "--eid", "ipn:2.1", "--listen", "stcp://127.0.0.1:0",
             "--echo"], capture_output=True, timeout=LIMIT_S, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--echo-to", done.stderr)


if __name__ == "__main__":
    main(__doc__)
