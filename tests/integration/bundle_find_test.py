#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`farlinkctl bundle find` and `watch` with two nodes: what is held, and each way in which a bundle
ends.

Usage: bundle_find_test.py --build FOLDER [unittest arguments]
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
from program import Program

SERVICE = "5042"  # configured at both nodes, where bundles wait


def until(done, what):
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        found = done()
        if found:
            return found
        threading.Event().wait(0.05)
    raise AssertionError(what)


class Home:
    """A node in a folder of its own; `neighbours`: node and port of STCP."""

    def __init__(self, node, neighbours=(), **settings):
        self.folder = tempfile.TemporaryDirectory(prefix="farlink-find-")
        self.path = pathlib.Path(self.folder.name)
        self.node = node
        self.port = 0
        self.config = {
            "myNodeId": node,
            "inductsConfig": [{"url": "stcp://127.0.0.1:0"}],
            "outductsConfig": [{"url": f"stcp://127.0.0.1:{port}", "nextHopNodeId": other}
                               for other, port in neighbours],
            "storageConfig": {"storeFilePath": "store"},
            "controlSocket": "control.sock",
            "applications": {
                "socket": "app.sock", "endpoints": [{"endpoint": SERVICE}],
                "access": [{"user": str(os.getuid()), "register": [f"ipn:{node}.*"],
                            "sendTo": ["ipn:10.*", "ipn:20.*"]}]}} | settings
        (self.path / "secret").write_text("of the test\n")
        self.start()

    def start(self):
        (self.path / "node.json").write_text(json.dumps(self.config))
        self.program = Program("farlink", [f"{Node.programs}/farlink", "--counters", "--config",
                                           str(self.path / "node.json")])
        ready = self.program.wait_line(
            self.program.out, lambda line: json.loads(line) if '"ready"' in line else None,
            LIMIT_S)
        self.port = ready["ports"][0]

    def stop(self, how=signal.SIGTERM):
        return self.program.end(how, LIMIT_S)

    def end(self):
        if self.program.process.poll() is None:
            self.stop()
        self.folder.cleanup()

    def run(self, name, *words, code=0):
        done = subprocess.run([f"{Node.programs}/{name}", *map(str, words)], capture_output=True,
                              timeout=3 * LIMIT_S, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != code:
            raise AssertionError(f"{name} {words}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout.decode()

    def send(self, to, text, *words):
        """The id of a message that the node has accepted."""
        out = self.run("bpsend", "--node", self.path / "app.sock", "--json", *words, to, text)
        return json.loads(out.splitlines()[0])["id"]

    def receive(self):
        self.run("bpreceive", "--node", self.path / "app.sock", "--secret-file",
                 self.path / "secret", SERVICE, "--count", 1, "--timeout", LIMIT_S)

    def ctl(self, *words, code=0):
        return self.run("farlinkctl", *words, "--socket", self.path / "control.sock", code=code)

    def find(self, what, *words, code=0):
        return json.loads(self.ctl("bundle", "find", what, *words, "--json", code=code))

    def until_past(self, bundle):
        return until(lambda: self.find_quietly(bundle)["past"], f"{bundle} is not gone")[0]

    def find_quietly(self, what):
        done = subprocess.run(
            [f"{Node.programs}/farlinkctl", "bundle", "find", what, "--json", "--socket",
             str(self.path / "control.sock")], capture_output=True, timeout=LIMIT_S, check=False)
        return json.loads(done.stdout)


class BundleFindTest(unittest.TestCase):
    def node(self, *words, **settings):
        made = Home(*words, **settings)
        self.addCleanup(made.end)
        return made

    def test_a_message_is_held_and_then_delivered(self):
        node = self.node(10)
        bundle = node.send(f"ipn:10.{SERVICE}", "hello")
        found = node.find(bundle)
        self.assertEqual((len(found["held"]), found["past"]), (1, []), found)
        self.assertEqual(found["held"][0]["state"], "waiting", found)
        node.receive()
        past = node.until_past(bundle)
        self.assertEqual((past["id"], past["outcome"], past["module"]),
                         (bundle, "delivered", "applications"), past)
        self.assertEqual(past["destination"], f"ipn:10.{SERVICE}", past)
        self.assertEqual(until(lambda: not node.find(bundle)["held"], "it is still held"), True)
        # A source alone, as JSON and as a table.
        source = bundle.split("/")[0]
        self.assertEqual([each["id"] for each in node.find(source)["past"]], [bundle])
        self.assertIn("delivered", node.ctl("bundle", "find", source))
        # The history survives a restart, and the death of the process.
        for how in (signal.SIGTERM, signal.SIGKILL):
            node.stop(how)
            node.start()
            self.assertEqual(node.find(bundle)["past"], [past])

    def test_the_way_over_two_nodes(self):
        last = self.node(20)
        first = self.node(10, [(20, last.port)])
        bundle = first.send(f"ipn:20.{SERVICE}", "hello")
        past = first.until_past(bundle)
        link = json.loads(first.ctl("status", "--json"))["links"][0]["link"]
        self.assertEqual((past["outcome"], past["module"], past["link"]), ("sent", "egress", link),
                         past)
        until(lambda: last.find_quietly(bundle)["held"], "it has not arrived")
        last.receive()
        self.assertEqual(last.until_past(bundle)["outcome"], "delivered")

    def test_what_expires_or_is_deleted(self):
        node = self.node(10, [(20, 1)])
        expired = node.send(f"ipn:20.{SERVICE}", "a", "--lifetime", 1)
        past = node.until_past(expired)
        self.assertEqual((past["outcome"], past["reason"], past["module"]),
                         ("expired", "lifetime expired", "storage"), past)
        deleted = node.send(f"ipn:20.{SERVICE}", "b")
        until(lambda: node.find_quietly(deleted)["held"], "it is not stored")
        node.ctl("storage", "delete", "--destination", "ipn:20.*")
        past = node.until_past(deleted)
        self.assertEqual((past["outcome"], past["reasonCode"]), ("deleted", 3), past)

    def test_what_is_not_found(self):
        node = self.node(10)
        self.assertEqual(node.find("ipn:10.1/5/6", code=1)["past"], [])
        self.assertIn("not stored at this node", node.ctl("bundle", "find", "ipn:10.1/5/6", code=1))
        self.assertIn("SOURCE/TIME/SEQUENCE", node.find("nonsense", code=1)["error"])
        self.assertIn("limit", node.find("ipn:10.1", "--limit", 1001, code=1)["error"])

    def test_without_a_history(self):
        node = self.node(10, history={"bundles": 0})
        bundle = node.send(f"ipn:10.{SERVICE}", "hello")
        self.assertEqual(len(node.find(bundle)["held"]), 1)
        node.receive()
        self.assertEqual(node.find_quietly(bundle)["history"]["files"], 0)
        self.assertFalse((node.path / "farlink-state-10/history/bundles").exists())

    def watch(self, node, *words):
        """`farlinkctl watch --json`, which has begun."""
        watch = Program("farlinkctl", [f"{Node.programs}/farlinkctl", "watch", "--json", "--config",
                                       str(node.path / "node.json"), *map(str, words)])
        self.addCleanup(watch.end, signal.SIGKILL, LIMIT_S)
        watch.wait_line(watch.err, lambda line: True if "watching" in line else None, LIMIT_S)
        return watch

    def lines(self, watch):
        """All that it prints until it ends."""
        self.assertEqual(watch.process.wait(LIMIT_S), 0, watch.err_kept)
        watch.end(signal.SIGKILL, LIMIT_S)
        return [json.loads(line) for line in list(watch.out.queue)]

    def test_bundles_are_shown_as_they_end(self):
        last = self.node(20)
        first = self.node(10, [(20, last.port)])
        watches = [self.watch(first, f"ipn:20.{SERVICE}", "--count", 2),
                   self.watch(last, "--outcome", "delivered", "--count", 1)]
        other = self.watch(first, "ipn:30.*", "--seconds", 2)
        bundles = [first.send(f"ipn:20.{SERVICE}", "hello"), first.send(f"ipn:20.{SERVICE}", "x")]
        last.receive()
        *shown, summary = self.lines(watches[0])
        self.assertEqual([each["id"] for each in shown], bundles, shown)
        for each in shown:
            self.assertEqual((each["outcome"], each["destination"], each["module"]),
                             ("sent", f"ipn:20.{SERVICE}", "egress"), each)
            self.assertIn("link", each)
            self.assertIn("ageMilliseconds", each)
        self.assertEqual((summary["shown"], summary["missed"]), (2, 0), summary)
        delivered, _ = self.lines(watches[1])
        self.assertEqual((delivered["id"], delivered["outcome"]), (bundles[0], "delivered"))
        *shown, summary = self.lines(other)
        self.assertEqual((shown, summary["matched"]), ([], 0), summary)
        self.assertGreaterEqual(summary["seen"], 2, summary)

    def test_an_interrupted_watch_has_a_summary(self):
        node = self.node(10)
        watches = [self.watch(node), self.watch(node)]
        bundle = node.send(f"ipn:10.{SERVICE}", "hello")
        node.receive()
        for watch, number in zip(watches, (signal.SIGINT, signal.SIGTERM)):
            watch.wait_line(watch.out, lambda line: True if bundle in line else None, LIMIT_S)
            watch.process.send_signal(number)
            *_, summary = self.lines(watch)
            self.assertEqual((summary["type"], summary["missed"]), ("summary", 0), summary)
            self.assertGreaterEqual(summary["shown"], 1, summary)

    def test_a_watcher_is_bounded(self):
        last = self.node(20)
        first = self.node(10, [(20, last.port)])
        watch = self.watch(first, "--per-second", 5, "--seconds", 4)
        sampled = self.watch(first, "--per-second", 0, "--sample", 10, "--seconds", 4)
        self.assertEqual(subprocess.run(
            [f"{Node.programs}/bpsend", "--node", str(first.path / "app.sock"), "--lines",
             f"ipn:20.{SERVICE}"], input=b"line\n" * 1000, capture_output=True, timeout=LIMIT_S,
            check=False).returncode, 0)
        *shown, summary = self.lines(watch)
        self.assertEqual((summary["matched"], summary["missed"]), (1000, 0), summary)
        self.assertLessEqual(len(shown), 25, summary)
        self.assertEqual(summary["shown"] + summary["beyondLimit"], 1000, summary)
        self.assertIn("above --per-second", "".join(watch.err_kept))
        *shown, summary = self.lines(sampled)
        self.assertTrue(30 < len(shown) < 250, summary)
        # A watcher whose reader is gone ends.
        with subprocess.Popen([f"{Node.programs}/farlinkctl", "watch", "--config",
                               str(first.path / "node.json")], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as gone:
            gone.stdout.close()
            gone.wait(LIMIT_S)

    def test_nothing_to_watch(self):
        node = self.node(10, history={"bundles": 0})
        done = subprocess.run([f"{Node.programs}/farlinkctl", "watch", "--config",
                               str(node.path / "node.json")], capture_output=True,
                              timeout=LIMIT_S, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"history.bundles", done.stderr)
        done = subprocess.run([f"{Node.programs}/farlinkctl", "watch", "nonsense"],
                              capture_output=True, timeout=LIMIT_S, check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    main(__doc__)
