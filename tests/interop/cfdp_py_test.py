#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cfdp-py with spacepackets: a CFDP entity in Python, over UDP.

It runs as a process of its own (cfdp_py_entity.py), which also packs each PDU of farlink again and
compares the octets. It sends one file after the other.

Departures:
- it has no Proximity-1 checksum;
- it takes no Finished before the ACK of EOF: one of them is repeated then;
- it answers no repeated EOF of a transaction that it has ended.
"""

import glob
import json
import subprocess
import sys

import support
from support import LOCALHOST, check, free_port, payload_of, wait_for

PEER_NAME = "cfdp-py"
OWN, OTHER = 1, 2
CHECKSUMS = {"modular": 0, "crc32c": 2, "crc32": 3, "null": 15}
SIZES = (0, 1, 1_024, 100_000)


class Pair:
    """farlink-cfdpd and the entity of cfdp-py."""

    def __init__(self, case, loss=0, checksum="crc32", crc=False, **remote):
        self.case = case
        self.root = case.folder / "root"
        self.root.mkdir()
        self.socket = case.folder / "control.sock"
        ports = free_port(), free_port()
        config = {"entityId": OWN, "root": str(self.root), "controlSocket": str(self.socket),
                  "udpPort": ports[0],
                  "remotes": [{"entityId": OTHER, "udp": f"{LOCALHOST}:{ports[1]}",
                               "checksum": checksum, "crc": crc, "ackTimeoutSeconds": 0.3,
                               "nakTimeoutSeconds": 0.3, "ackLimit": 50, "nakLimit": 50,
                               "checkTimeoutSeconds": 0.5, "rateBitsPerSecond": 20_000_000,
                               **remote}]}
        (case.folder / "entity.json").write_text(json.dumps(config))
        self.start_daemon()
        settings = {"own": OTHER, "other": OWN, "port": ports[1], "other_port": ports[0],
                    "loss": loss, "checksum": CHECKSUMS[checksum], "crc": crc}
        self.peer = case.start("entity", [support.PYTHON, support.HERE / "cfdp_py_entity.py",
                                          json.dumps(settings)], stdin=subprocess.PIPE)
        self.peer.wait_said("ready")

    def start_daemon(self):
        self.daemon = self.case.start(
            "farlink-cfdpd", [self.case.program("farlink-cfdpd"), "--config", "entity.json"])
        self.daemon.wait_said(" ready")

    def command(self, *words):
        return subprocess.run(
            [str(self.case.program("farlink-cfdp")), "--socket", str(self.socket), "--json",
             *words], capture_output=True, text=True, timeout=60, check=False)

    def put(self, name, *words):
        """By farlink; the transaction at its end."""
        done = self.command("put", name, str(OTHER), str(self.case.folder / f"theirs-{name}"),
                            "--wait", "--timeout", "50", *words)
        check(done.returncode == 0, f"put {name}: {done.stdout} {done.stderr}")
        return json.loads(done.stdout)

    def peer_puts(self, path, name, service_class, closure):
        line = {"source": str(path), "destination": name, "class": service_class,
                "closure": closure}
        self.peer.stdin.write(json.dumps(line).encode() + b"\n")
        self.peer.stdin.flush()

    def copies(self):
        """Of files that arrive. pathlib would fail where a folder of them goes meanwhile."""
        return glob.glob(f"{self.root}/.farlink-cfdp/**/*.part", recursive=True)

    def finish(self):
        check("bad PDU" not in self.peer.said(), f"PDUs are bad:\n{self.peer.tail()}")
        check("Traceback" not in self.peer.said(), self.peer.tail())


def exchange(case, services, **settings):
    """Files of all sizes, both ways, for each (class, closure)."""
    pair = Pair(case, **settings)
    for service_class, closure in services:
        for size in SIZES:
            name = f"{service_class}-{int(closure)}-{size}"
            content = payload_of(size)
            (pair.root / name).write_bytes(content)
            words = ["--class", str(service_class)] + (["--closure"] if closure else [])
            pair.put(name, *words)
            theirs = case.folder / f"theirs-{name}"
            wait_for(f"{name} at cfdp-py",
                     lambda: theirs.exists() and theirs.read_bytes() == content)
            pair.peer.wait_said(f"received {theirs} NO_ERROR FILE_RETAINED")
            path = case.folder / f"from-{name}"
            path.write_bytes(content)
            pair.peer_puts(path, f"in/{name}", service_class, closure)
            ours = pair.root / "inbox" / "in" / name
            wait_for(f"{name} at farlink", ours.exists)
            check(ours.read_bytes() == content, f"{name} is damaged")
    pair.finish()
    return pair


def class_1(case):
    exchange(case, [(1, False), (1, True)])


def class_2(case):
    exchange(case, [(2, False)])


def class_2_with_loss(case):
    exchange(case, [(2, False)], loss=5)


def class_2_at_once_with_loss(case):
    exchange(case, [(2, False)], loss=5, nakMode="immediate")


def checksums(case, name):
    exchange(case, [(1, True), (2, False)], checksum=name)


def with_crc(case):
    exchange(case, [(2, False)], crc=True)


def rejected(case):
    """What leads out of the inbox is rejected, and nothing is left."""
    pair = Pair(case)
    path = case.folder / "file"
    path.write_bytes(payload_of(5_000))
    for number, name in enumerate(("../outside", "/absolute", "a/../../b"), 1):
        pair.peer_puts(path, name, 2, False)
        wait_for("the rejection", lambda: pair.peer.said().count(
            "sent FILESTORE_REJECTION DISCARDED_FILESTORE_REJECTION") >= number)
    check(not list((pair.root / "inbox").iterdir()), "something is in the inbox")
    check(not pair.copies(), "a copy is left")
    pair.finish()


def killed(case):
    """kill -9 in the midst of a file each way: both end well after a restart."""
    pair = Pair(case, loss=10)
    content = payload_of(3_000_000)
    (pair.root / "out").write_bytes(content)
    path = case.folder / "file"
    path.write_bytes(content)
    theirs = case.folder / "theirs-out"
    started = pair.command("put", "out", str(OTHER), str(theirs))
    check(started.returncode == 0, started.stderr)
    pair.peer_puts(path, "in", 2, False)
    for _ in range(3):
        wait_for("a part of it", pair.copies)
        pair.daemon.end(9)
        pair.start_daemon()
    ours = pair.root / "inbox" / "in"
    wait_for("the file at cfdp-py",
             lambda: theirs.exists() and theirs.read_bytes() == content, 60)
    wait_for("the file at farlink", ours.exists, 60)
    check(ours.read_bytes() == content, "the file is damaged")
    pair.finish()


CASES = [
    ("class 1", class_1),
    ("class 2", class_2),
    ("class 2, loss", class_2_with_loss),
    ("class 2, NAKs at once, loss", class_2_at_once_with_loss),
    ("modular", lambda case: checksums(case, "modular")),
    ("CRC-32C", lambda case: checksums(case, "crc32c")),
    ("null checksum", lambda case: checksums(case, "null")),
    ("CRC on PDUs", with_crc),
    ("rejected names", rejected),
    ("kill -9", killed),
]

if __name__ == "__main__":
    sys.exit(support.run(PEER_NAME, CASES))
