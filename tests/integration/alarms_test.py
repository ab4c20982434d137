#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Alarms of real nodes: each happens, is found in log, API, events, state, metrics, command and
hooks, and ends.

Usage: alarms_test.py --build FOLDER [unittest arguments]
"""
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from api_node import INSIDE, ROOT, Node, enter_mounts, main
from crc32c import crc32c

# A machine with much else to do; an alarm itself is raised after the time of the guide.
LATE_S = 40
# Valid in the year 2020 only.
EXPIRED = """-----BEGIN CERTIFICATE-----
MIIBQTCB6KADAgECAgEBMAoGCCqGSM49BAMCMCAxHjAcBgNVBAMMFWZhcmxpbmsg
dGVzdCwgZXhwaXJlZDAeFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEwMDAwMDBaMCAx
HjAcBgNVBAMMFWZhcmxpbmsgdGVzdCwgZXhwaXJlZDBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABIVBFp4BGhWzQwhTn5uj2bKHLuksXe9HhGNQOeePJerTgU3TU2oP
MNyMRnHsthsvUv3Ut0Q8Ju19fXeCBjQSStCjEzARMA8GA1UdEwEB/wQFMAMBAf8w
CgYIKoZIzj0EAwIDSAAwRQIhAOuHmpRT7LC2mW/3gBrjlBQQsL5Iqql/bUUmbcL3
bLuoAiBJL3FW1RDClz4ZWze2K120Q5w/7lcIsNLroYy6y25eBw==
-----END CERTIFICATE-----
"""
COMMAND = """#!/bin/sh
cd "$(dirname "$0")"
read -r line
echo "$FARLINK_ALARM_NAME $FARLINK_ALARM_SEVERITY $FARLINK_ALARM_STATE $line" >> called
"""

#: For these the node has events of a kind of their own.
OWN_EVENTS = ("storage-full", "history-stopped")


def contact(source, dest, ends, rate=1_000_000):
    return {"contact": 1, "source": source, "dest": dest, "startTime": 0, "endTime": ends,
            "rateBitsPerSec": rate, "owlt": 0}


def date_records(store, ahead_ms):
    """Moves the time of reception of all records on (docs/formats/storage_log.md)."""
    for file in store.glob("*.log"):
        log = bytearray(file.read_bytes())
        at, mark = 4096, bytes(log[32:40])
        while log[at:at + 8] == mark:
            label = int.from_bytes(log[at + 12:at + 14], "big")
            size = int.from_bytes(log[at + 64:at + 72], "big")
            received = int.from_bytes(log[at + 40:at + 48], "big") + ahead_ms
            log[at + 40:at + 48] = received.to_bytes(8, "big")
            head = log[at:at + 76] + log[at + 80:at + 80 + label]
            log[at + 76:at + 80] = crc32c(head).to_bytes(4, "big")
            at += -(-(80 + label + size) // 8) * 8
        file.write_bytes(log)
    for index in store.glob("*.idx"):
        index.unlink()


class Receiver:
    """A webhook that keeps what it gets."""

    def __init__(self):
        got = self.got = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/alarm"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def has(self, alarm, ended):
        return any(got["id"] == alarm["id"] and ("ended" in got) == ended for got in self.got)

    def end(self):
        self.server.shutdown()
        self.server.server_close()


class AlarmNode(Node):
    """A node with a control socket, a webhook and a command."""

    def __init__(self, alarms=None, more=None, **others):
        self.receiver = Receiver()
        alarms = {"webhook": self.receiver.url, "command": "command", **(alarms or {})}
        super().__init__(more={"controlSocket": "control", "alarms": alarms, **(more or {})},
                         **others)

    def prepare(self):
        (self.path / "command").write_text(COMMAND)
        (self.path / "command").chmod(0o755)
        if not (self.path / "failing").exists():
            (self.path / "failing").symlink_to("/bin/false")
        (self.path / "expired.pem").write_text(EXPIRED)

    def end(self):
        code = super().end()
        self.receiver.end()
        return code

    def json(self, path):
        status, _, body = self.ask("GET", path, token=self.read)
        assert status == 200, (path, status, body)
        return json.loads(body)

    def ctl(self, *words):
        return subprocess.run([f"{self.programs}/farlinkctl", *words, "--socket",
                               str(self.path / "control")], capture_output=True, text=True,
                              check=False, timeout=LATE_S)

    def metric(self, start):
        text = self.ask("GET", "/metrics", token=self.read)[2].decode()
        for line in text.splitlines():
            if line.startswith(start):
                return float(line.split()[-1])
        raise AssertionError(f"no {start} in\n{text}")

    def called(self):
        file = self.path / "called"
        return file.read_text() if file.exists() else ""

    def log(self):
        return "".join(self.program.err_kept)

    def wait_for(self, what, look, limit_s=LATE_S):
        """Looks after each second of the node, which it shows by a line of its counters."""
        end = time.monotonic() + limit_s
        while True:
            found = look()
            if found:
                return found
            if time.monotonic() > end:
                raise AssertionError(f"not in time: {what}\n{self.log()}")
            self.second()

    def second(self):
        self.program.wait_line(self.program.out, lambda line: True, LATE_S)


class AlarmTest(unittest.TestCase):
    def node(self, **how):
        node = AlarmNode(**how)
        self.addCleanup(node.end)
        return node

    def folder(self):
        """One that outlives the nodes in it."""
        folder = tempfile.mkdtemp(prefix="farlink-alarms-")
        self.addCleanup(shutil.rmtree, folder)
        return pathlib.Path(folder)

    def active(self, node, name, limit_s=LATE_S):
        """Waits for an alarm, and finds it everywhere."""
        def find():
            return [alarm for alarm in node.json("/api/v1/alarms")["active"]
                    if alarm["name"] == name]
        alarm = node.wait_for(name, find, limit_s)[0]
        word = "error" if alarm["severity"] == "critical" else "warning"
        node.wait_for("log", lambda: f" {word} alarms: alarm {name} raised: " in node.log())
        self.assertIn(str(alarm["id"]), node.json("/api/v1/state")["alarms"])
        self.assertEqual(node.metric(
            f'farlink_alarm_active{{name="{name}",severity="{alarm["severity"]}"}}'), 1)
        events = node.json("/api/v1/events?limit=1000")["events"]
        if name not in OWN_EVENTS:
            self.assertTrue([event for event in events if event["kind"] == "alarm" and
                             event["text"].startswith(name + ": ")], events)
        printed = node.ctl("alarms")
        self.assertIn(f"{alarm['severity']} {name} since {alarm['since']}", printed.stdout)
        self.assertIn("  do: ", printed.stdout)
        if alarm["severity"] == "critical":
            self.assertEqual(printed.returncode, 3)
        node.wait_for("webhook", lambda: node.receiver.has(alarm, False))
        node.wait_for("command", lambda: f"{name} {alarm['severity']} raised " in node.called())
        return alarm

    def ended(self, node, alarm, limit_s=LATE_S):
        """Waits for its end, and finds that everywhere."""
        name = alarm["name"]
        node.wait_for("end of " + name,
                 lambda: [over for over in node.json("/api/v1/alarms")["ended"]
                          if over["id"] == alarm["id"]], limit_s)
        self.assertNotIn(str(alarm["id"]), node.json("/api/v1/state")["alarms"])
        node.wait_for("log", lambda: f"alarms: alarm {name} ended; last text: " in node.log())
        events = node.json("/api/v1/events?limit=1000")["events"]
        if name not in OWN_EVENTS:
            self.assertTrue([event for event in events if event["kind"] == "alarm-ended" and
                             event["text"].startswith(name + " ended; last text: ")], events)
        node.wait_for("webhook", lambda: node.receiver.has(alarm, True))
        node.wait_for("command", lambda: f"{name} {alarm['severity']} ended " in node.called())

    def send(self, node, to, bundles, size=1000, more=()):
        port = int(node.json("/api/v1/links/0")["link"]["address"].rsplit(":", 1)[1])
        return subprocess.Popen(
            [f"{node.programs}/bpgen", "--from", "ipn:1.1", "--to", f"ipn:{to}.1", "--via",
             f"stcp://127.0.0.1:{port}", "--bundles", str(bundles), "--bundle-size", str(size),
             *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def replace_plan(self, node, contacts):
        contacts = [{**each, "contact": number} for number, each in enumerate(contacts, 1)]
        status, _, body = node.ask("PUT", "/api/v1/contact-plan", {"contacts": contacts},
                                   token=node.operate)
        self.assertEqual(status, 200, body)

    def test_a_plan_that_ends(self):
        node = self.node(contacts=[contact(10, 20, 8)], alarms={"linkMissesContactAfterSeconds": 0})
        soon = self.active(node, "plan-ends-soon")
        over = self.active(node, "plan-ended")
        self.ended(node, soon)
        self.assertEqual(node.ctl("alarms", "--json").returncode, 3)
        self.replace_plan(node, [contact(10, 20, 3_600_000)])
        self.ended(node, over)
        self.assertEqual(node.ctl("alarms").returncode, 0)

    def test_a_link_that_misses_its_contact_and_a_backlog_that_nothing_carries(self):
        node = self.node(alarms={"linkMissesContactAfterSeconds": 2},
                         contacts=[contact(10, 20, 3_600_000)])
        missed = self.active(node, "link-misses-contact")
        self.assertEqual((missed["link"], missed["neighbour"]), (1, 20))
        self.send(node, 99, 7).wait(LATE_S)
        lost = self.active(node, "backlog-without-contact")
        self.assertIn("no route leads to node 99; 7 bundles", lost["text"])
        on = [contact(20, 99, 3_600_000)]
        self.replace_plan(node, [contact(10, 20, 3_600_000), *on])
        self.ended(node, lost)
        # 5,000 octets, in 40,000 s: less than what waits.
        self.replace_plan(node, [contact(10, 20, 40_000, rate=1), *on])
        little = self.active(node, "backlog-without-contact")
        self.assertEqual(little["neighbour"], 20)
        status, _, body = node.ask("POST", "/api/v1/links/1/down", token=node.operate)
        self.assertEqual(status, 200, body)
        self.ended(node, missed)

    def test_a_bundle_that_exceeds_every_contact(self):
        # A thousand octets.
        node = self.node(alarms={"linkMissesContactAfterSeconds": 0},
                         contacts=[contact(10, 20, 8_000, rate=1)])
        self.send(node, 20, 1, size=2000).wait(LATE_S)
        exceeds = self.active(node, "bundle-exceeds-contacts")
        self.assertIn("1 bundle waits", exceeds["text"])
        self.assertIn(" aside ", node.ctl("storage", "list").stdout)
        self.replace_plan(node, [contact(10, 20, 3_600_000)])
        self.ended(node, exceeds)

    def test_a_disk_that_fills_and_a_full_store(self):
        node = self.node(contacts=[contact(10, 20, 3_600_000)],
                         alarms={"linkMissesContactAfterSeconds": 0},
                         more={"storageConfig": {"storeFilePath": "store",
                                                 "segmentBytes": 262_144,
                                                 "totalStorageCapacityBytes": 3_000_000}})
        sender = self.send(node, 20, 2000, more=("--bundle-rate", "10"))
        self.addCleanup(sender.wait)
        self.addCleanup(sender.kill)
        fills = self.active(node, "disk-full-soon", 150)
        self.assertEqual(fills["disk"], 0)
        burst = self.send(node, 20, 5000)
        self.addCleanup(burst.wait)
        self.addCleanup(burst.kill)
        full = self.active(node, "storage-full")
        sender.kill()
        burst.kill()
        for _ in range(3):  # what was on its way is stored after the first
            self.assertEqual(node.ctl("storage", "delete", "--all").returncode, 0)
            node.second()
        self.ended(node, full)
        self.ended(node, fills, 150)

    def test_certificates_that_end(self):
        node = self.node(
            contacts=[contact(10, 20, 3_600_000)], alarms={"linkMissesContactAfterSeconds": 0},
            more={"outductsConfig": [{"url": "tcpclv4://127.0.0.1:1", "nextHopNodeId": 20,
                                      "tls": "required", "ca": "expired.pem"}]})
        over = self.active(node, "certificate-ended")
        self.assertEqual(over["link"], 1)
        self.assertIn("CN=farlink test", over["text"])

        def certify(days):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                            "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=new", "-days",
                            str(days), "-keyout", "/dev/null", "-out",
                            str(node.path / "expired.pem")], check=True, capture_output=True)
        certify(10)
        soon = self.active(node, "certificate-ends-soon")
        self.ended(node, over)
        certify(1000)
        self.ended(node, soon)

    def test_a_module_that_hangs(self):
        node = self.node(contacts=[contact(10, 20, 3_600_000)], options=["--isolate"],
                         alarms={"linkMissesContactAfterSeconds": 0})
        egress = node.process_of("egress")
        node.second()
        node.second()  # it has reported
        os.kill(egress, signal.SIGSTOP)
        try:
            silent = self.active(node, "module-silent")
            self.assertEqual(silent["module"], "egress")
            ages = node.wait_for("the age of the figures", lambda: node.json("/api/v1/links").get(
                "figuresAgeSeconds"))
            self.assertGreaterEqual(ages["egress"], 3)
            self.assertIn("the figures of egress are ", node.ctl("links").stdout)
            self.assertNotIn("figures", node.ctl("storage", "show").stdout)
        finally:
            os.kill(egress, signal.SIGCONT)
        self.ended(node, silent)

    def test_a_neighbour_that_refuses(self):
        neighbour = self.node(more={
            "myNodeId": 20, "outductsConfig": [{"url": "stcp://127.0.0.1:1", "nextHopNodeId": 90}],
            "inductsConfig": [{"url": "tcpclv4://127.0.0.1:0"}]})
        status, _, body = neighbour.ask("POST", "/api/v1/drain", token=neighbour.operate)
        self.assertEqual(status, 200, body)
        port = neighbour.json("/api/v1/links/0")["link"]["address"].rsplit(":", 1)[1]
        node = self.node(
            contacts=[contact(10, 20, 3_600_000), {**contact(20, 90, 3_600_000), "contact": 2}],
            alarms={"neighbourRefusesAfterSeconds": 3},
            more={"outductsConfig": [{"url": f"tcpclv4://127.0.0.1:{port}", "nextHopNodeId": 20}]})
        self.send(node, 90, 5).wait(LATE_S)
        refuses = self.active(node, "neighbour-refuses")
        self.assertEqual((refuses["link"], refuses["neighbour"]), (1, 20))
        neighbour.ask("POST", "/api/v1/resume", token=neighbour.operate)
        self.ended(node, refuses, 90)

    def test_a_link_without_acknowledgements(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
            silent.bind(("127.0.0.1", 0))
            port = silent.getsockname()[1]
            node = self.node(
                contacts=[contact(10, 20, 3_600_000)],
                more={"outductsConfig": [{"url": f"ltp://127.0.0.1:{port}", "nextHopNodeId": 20,
                                          "thisLtpEngineId": 10, "remoteLtpEngineId": 20,
                                          "oneWayMarginTimeMs": 50}]})
            self.send(node, 20, 5).wait(LATE_S)
            unanswered = self.active(node, "no-acknowledgements", 120)
            self.assertEqual((unanswered["link"], unanswered["neighbour"]), (1, 20))
        sink = subprocess.Popen(
            [f"{node.programs}/bpsink", "--eid", "ipn:20.1", "--listen",
             f"ltp://127.0.0.1:{port}?thisLtpEngineId=20"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(sink.wait)
        self.addCleanup(sink.kill)
        self.ended(node, unanswered, 120)

    def test_a_bundle_that_is_too_large(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
            peer.bind(("127.0.0.1", 0))
            node = self.node(
                contacts=[contact(10, 20, 3_600_000)],
                more={"outductsConfig": [{"url": f"udp://127.0.0.1:{peer.getsockname()[1]}",
                                          "nextHopNodeId": 20, "fragment": False,
                                          "maxDatagramBytes": 1000}]})
            self.send(node, 20, 1, size=2000).wait(LATE_S)
            large = self.active(node, "bundle-too-large")
            self.assertIn("1 bundle waits because it is larger", large["text"])
            self.assertEqual(node.ctl("storage", "delete", "--all").returncode, 0)
            self.ended(node, large)

    def test_a_peer_that_is_not_checked(self):
        node = self.node(
            contacts=[contact(10, 20, 3_600_000)], alarms={"linkMissesContactAfterSeconds": 0},
            more={"inductsConfig": [{"url": "tcpclv4://127.0.0.1:0",
                                     "neighbours": [{"address": "0.0.0.0/0"}]}]})
        unchecked = self.active(node, "peers-not-checked")
        self.assertEqual(unchecked["link"], 0)
        file = node.path / "node.json"
        config = json.loads(file.read_text())
        del config["inductsConfig"][0]["neighbours"]
        file.write_text(json.dumps(config))
        reloaded = node.ctl("reload")
        self.assertEqual(reloaded.returncode, 0, reloaded.stderr)
        self.ended(node, unchecked)

    def test_a_clock_behind_the_store(self):
        folder = self.folder()
        node = AlarmNode(folder=folder, contacts=[])
        try:
            self.send(node, 20, 3).wait(LATE_S)
            node.wait_for("the bundles",
                          lambda: node.metric("farlink_storage_stored_now_bundles") == 3)
        finally:
            node.end()
        date_records(folder / "store", 3_600_000)
        (folder / "tokens.json").unlink()
        node = self.node(folder=folder, contacts=[])
        suspended = self.active(node, "clock-suspended")
        self.assertEqual(node.ctl("clock", "confirm").returncode, 0)
        self.ended(node, suspended)

    def test_a_clock_without_a_time_service(self):
        folder = self.folder()
        library = folder / "kernel_clock.so"
        built = subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library),
                                str(ROOT / "tests/support/kernel_clock.c")], check=False)
        if built.returncode != 0:
            self.skipTest("no compiler for C")
        clock = folder / "synchronised"
        os.environ.update(LD_PRELOAD=str(library), FARLINK_TEST_CLOCK=str(clock))
        try:
            node = self.node(folder=folder, contacts=[contact(10, 20, 3_600_000)],
                             alarms={"linkMissesContactAfterSeconds": 0})
        finally:
            del os.environ["LD_PRELOAD"], os.environ["FARLINK_TEST_CLOCK"]
        unset = self.active(node, "clock-not-synchronised", 150)
        clock.touch()
        self.ended(node, unset, 150)

    def test_a_history_without_space(self):
        if os.environ[INSIDE] != "yes":
            self.skipTest("no mounts of its own")
        folder = self.folder()
        small = folder / "small"
        small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(small)], check=True)
        self.addCleanup(subprocess.run, ["umount", str(small)], check=True)
        node = self.node(folder=folder, contacts=[contact(10, 20, 3_600_000)],
                         alarms={"linkMissesContactAfterSeconds": 0},
                         more={"history": {"folder": "small/history", "bundles": 0,
                                           "freeSpaceBytes": 400_000}})
        node.wait_for("the history", lambda: list(small.glob("history/rates10*")))
        ballast = small / "ballast"
        ballast.write_bytes(bytes(700_000))
        stopped = self.active(node, "history-stopped")
        ballast.unlink()
        self.ended(node, stopped)

    def test_hooks_that_hang_or_refuse_delay_nothing(self):
        with socket.create_server(("127.0.0.1", 0)) as hanging, \
                socket.create_server(("127.0.0.1", 0)) as refusing:
            refused = refusing.getsockname()[1]
            refusing.close()
            for port in (hanging.getsockname()[1], refused):
                with self.subTest(port=port):
                    node = self.node(contacts=[contact(10, 20, 1)], alarms={
                        "webhook": f"http://127.0.0.1:{port}/", "command": "failing",
                        "linkMissesContactAfterSeconds": 1})
                    node.wait_for("alarm", lambda: node.json("/api/v1/alarms")["active"])
                    calls = 'farlink_alarm_hook_calls_total{hook="%s",result="failed"}'
                    for hook in ("webhook", "command"):
                        node.wait_for(hook, lambda: node.metric(calls % hook) >= 1)
                    begun = time.monotonic()
                    for _ in range(20):
                        node.json("/api/v1/state")
                    self.assertLess(time.monotonic() - begun, 5)
                    self.replace_plan(node, [contact(10, 20, 3_600_000)])
                    node.wait_for("second", lambda: node.metric(calls % "webhook") >= 2)
                    self.assertEqual(node.log().count("alarms: alarms.webhook: "), 1)
                    self.assertEqual(node.log().count("alarms: alarms.command: "), 1)


if __name__ == "__main__":
    enter_mounts()
    main(__doc__)
