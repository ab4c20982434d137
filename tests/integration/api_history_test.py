#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The history of a real node: what a restart, a kill, damage and a full disk leave of it, and how
it is read over HTTP and with farlinkctl.

The full disk is a small file system in memory, in a mount namespace of the test: it runs itself
again in there.

Usage: api_history_test.py --build FOLDER [unittest arguments]
"""
import csv
import io
import json
import os
import pathlib
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from api_node import INSIDE, LIMIT_S, Node, enter_mounts, main

# A batch is written every ten seconds.
FLUSH_LIMIT_S = 40


class Kept:
    """A node in a folder that outlives it."""

    def __init__(self, path, **history):
        self.path = pathlib.Path(path)
        self.settings = {
            "myNodeId": 10,
            "inductsConfig": [{"url": "stcp://127.0.0.1:0"}],
            "outductsConfig": [{"url": "stcp://127.0.0.1:1", "nextHopNodeId": 20}],
            "storageConfig": {"storeFilePath": "store"},
            "controlSocket": "control",
            "history": {"freeSpaceBytes": 0, **history},
            "api": {"listen": "127.0.0.1:0", "tokensFile": "tokens.json"}}
        self.node = None

    def start(self):
        (self.path / "tokens.json").unlink(missing_ok=True)
        self.node = Node(folder=self.path, settings=self.settings)
        return self.node

    def end(self):
        return self.node.end()

    def kill(self):
        self.node.program.end(signal.SIGKILL, LIMIT_S)

    def history(self):
        return self.path / self.settings["history"].get("folder", "farlink-state-10/history")

    def files(self, kind):
        return sorted(self.history().glob(f"{kind}-*.fhist"))

    def get(self, target):
        status, headers, body = self.node.ask("GET", target)
        return status, headers["content-type"].split(";")[0], body.decode()

    def json(self, target):
        status, _, body = self.get(target)
        assert status == 200, body
        return json.loads(body)

    def events(self, query="from=2020-01-01T00:00:00Z"):
        return self.json("/api/v1/events?" + query)["events"]

    def command(self, name):
        """A change, which is an event."""
        assert self.node.ask("POST", "/api/v1/" + name, token=self.node.operate)[0] == 200

    def ctl(self, *words):
        return subprocess.run([f"{Node.programs}/farlinkctl", *words, "--socket",
                               str(self.path / "control")], capture_output=True, text=True,
                              timeout=LIMIT_S, check=False)


def wait_until(condition, limit_s=FLUSH_LIMIT_S):
    """Looks again and again; the node's own pace is a second."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        if condition():
            return
        # Fewer than the 200 requests a second that one address may send.
        select.select([], [], [], 0.02)
    raise AssertionError("it does not come")


class History(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="farlink-history-")
        self.kept = self.mounted = None

    def tearDown(self):
        if self.kept and self.kept.node:
            self.kept.kill()
        if self.mounted:
            subprocess.run(["umount", "--lazy", str(self.mounted)], check=True)
        self.folder.cleanup()

    def begin(self, **history):
        self.kept = Kept(self.folder.name, **history)
        self.kept.start()
        return self.kept

    def test_a_restart_keeps_events_rates_and_totals(self):
        kept = self.begin()
        kept.command("drain")
        kept.command("resume")
        wait_until(lambda: kept.json("/api/v1/history?seconds=60")["points"] >= 3)
        before = kept.json("/api/v1/events?limit=1000")["events"]
        self.assertEqual(kept.end(), 0)
        self.assertEqual(len(kept.files("events")), 1)
        kept.start()
        after = kept.json("/api/v1/events?limit=1000")["events"]
        self.assertEqual(after[:len(before)], before)
        numbers = [event["id"] for event in after]
        self.assertEqual(numbers, list(range(1, len(after) + 1)))
        self.assertGreater(len(kept.events()), len(before) - 1)
        hour = kept.json("/api/v1/history?seconds=3600")
        self.assertEqual(hour["points"], 3600)
        self.assertGreater(sum(value is not None for value in hour["series"]["in"]), 2)
        wait_until(lambda: "lifetime" in kept.json("/api/v1/state"))
        lifetime = kept.json("/api/v1/state")["lifetime"]
        self.assertEqual(lifetime["starts"], 2)
        self.assertIn("receivedBundles", lifetime["totals"])
        self.assertEqual(kept.end(), 0)

    def test_a_kill_loses_at_most_what_was_not_yet_written(self):
        kept = self.begin()
        kept.command("drain")
        wait_until(lambda: kept.files("rates10"))
        # A query writes the events that it is to find.
        found = kept.events()
        self.assertIn("drained", [event["kind"] for event in found])
        kept.kill()
        kept.start()
        after = kept.json("/api/v1/events?limit=1000")["events"]
        self.assertEqual(after[:len(found)], found)
        series = kept.json("/api/v1/history?from=2026-01-01T00:00:00Z&step=86400")["series"]
        self.assertIn("in", series)
        self.assertEqual(kept.end(), 0)

    def test_a_damaged_file_costs_what_is_damaged(self):
        kept = self.begin()
        kept.command("drain")
        self.assertEqual(kept.end(), 0)
        path = kept.files("events")[0]
        octets = bytearray(path.read_bytes())
        octets[-10] ^= 1
        path.write_bytes(octets + b"torn")
        kept.start()
        kept.command("resume")
        kinds = [event["kind"] for event in kept.events()]
        self.assertIn("command", kinds)
        self.assertEqual(kept.end(), 0)
        log = "".join(kept.node.program.err_kept)
        self.assertEqual(log.count("damaged in 1 place;"), 1, log)

    def test_a_newer_version_is_left_as_it_is(self):
        kept = self.begin()
        self.assertEqual(kept.end(), 0)
        newer = kept.history() / "events-99999999-000800000000000.fhist"
        head = b"farlhist" + struct.pack(">I", 2)
        newer.write_bytes(head + struct.pack(">I", crc32c(head)))
        sizes = {path: path.stat().st_size for path in kept.history().glob("*.fhist")}
        kept.start()
        status, _, body = kept.get("/api/v1/events?from=2020-01-01T00:00:00Z")
        self.assertEqual(status, 503, body)
        self.assertIn("newer version", body)
        kept.command("drain")
        self.assertEqual(kept.end(), 0)
        self.assertEqual(sizes,
                         {path: path.stat().st_size for path in kept.history().glob("*.fhist")})

    def test_a_second_is_one_point(self):
        kept = self.begin()
        points = lambda: kept.json("/api/v1/history")["points"]
        first, begun = points(), time.monotonic()
        wait_until(lambda: points() >= first + 4)
        self.assertGreater(time.monotonic() - begun, 2.5)
        self.assertEqual(kept.end(), 0)

    def test_a_full_disk_stops_the_history_alone(self):
        if os.environ[INSIDE] != "yes":
            self.skipTest("no mounts of its own")
        small = pathlib.Path(self.folder.name) / "small"
        small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(small)], check=True)
        self.mounted = small
        kept = self.begin(folder="small/history")
        wait_until(lambda: kept.files("rates10"))
        ballast = small / "ballast"
        with ballast.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        # Room left in the last page of a file is used first.
        wait_until(lambda: (kept.command("drain"), kept.events(), any(
            event["kind"] == "history-stopped"
            for event in kept.json("/api/v1/events?limit=1000")["events"]))[2])
        kept.command("resume")
        # It comes with the next state of the node, within a second.
        wait_until(lambda: "resumed" in [event["kind"] for event in kept.events()])
        self.assertEqual(kept.json("/readyz")["ready"], True)
        ballast.unlink()
        kept.node.program.wait_line(
            kept.node.program.err,
            lambda line: True if "history is written again" in line else None, FLUSH_LIMIT_S)
        before = kept.json("/api/v1/events?limit=1000")["events"]
        self.assertEqual(kept.end(), 0)
        kept.start()
        self.assertEqual(kept.json("/api/v1/events?limit=1000")["events"][:len(before)], before)
        self.assertEqual(kept.end(), 0)

    def test_it_is_exported_as_csv_and_json(self):
        kept = self.begin()
        kept.command("drain")
        wait_until(lambda: kept.files("rates10"))
        day = "from=2026-01-01T00:00:00Z"
        status, kind, text = kept.get(f"/api/v1/history?{day}&step=600&format=csv&series=in,out")
        self.assertEqual((status, kind), (400, "application/problem+json"), text)
        self.assertIn("at most 20000", text)
        status, kind, text = kept.get("/api/v1/history?step=600&format=csv&series=in,out")
        self.assertEqual((status, kind), (200, "text/csv"))
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        self.assertEqual(list(rows[0]), ["time", "in", "out"])
        self.assertIn(len(rows), (144, 145))
        self.assertTrue(any(row["in"] != "" for row in rows))
        status, kind, text = kept.get(f"/api/v1/events?{day}&format=csv")
        self.assertEqual((status, kind), (200, "text/csv"))
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        self.assertIn("drained", [row["kind"] for row in rows])
        made = kept.ctl("events", "--from", "2026-01-01T00:00:00Z", "--csv")
        self.assertEqual((made.returncode, made.stdout.splitlines()[0]),
                         (0, "id,time,level,module,kind,link,text"), made.stderr)
        made = kept.ctl("events", "--from", "2026-01-01T00:00:00Z", "--json")
        self.assertIn("drained", [event["kind"] for event in json.loads(made.stdout)["events"]])
        made = kept.ctl("history", "--step", "60", "--csv", "--series", "in")
        self.assertEqual(made.stdout.splitlines()[0], "time,in", made.stderr)
        made = kept.ctl("history", "--step", "60")
        self.assertIn("points of 60 s since ", made.stdout)
        made = kept.ctl("history", "--step", "15")
        self.assertEqual(made.returncode, 1)
        self.assertIn("multiple of 10", made.stderr)
        self.assertEqual(kept.end(), 0)


def crc32c(octets):
    crc = 0xffffffff
    for octet in octets:
        crc ^= octet
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


if __name__ == "__main__":
    enter_mounts()
    main(__doc__)
