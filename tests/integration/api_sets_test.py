#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The fragment sets of a real node, by HTTP and with farlinkctl.

Usage: api_sets_test.py --build FOLDER [unittest arguments]
"""
import json
import signal
import socket
import subprocess

from api_node import LIMIT_S, Node, main
from api_paths_test import Described


def cbor(value):
    """Numbers below 2^64, octets and lists."""
    kind = 0 if isinstance(value, int) else 2 if isinstance(value, bytes) else 4
    number = value if kind == 0 else len(value)
    if number < 24:
        head = bytes([kind << 5 | number])
    else:
        power = next(power for power in range(4) if number < 256 ** (1 << power))
        head = bytes([kind << 5 | 24 + power]) + number.to_bytes(1 << power, "big")
    if kind == 0:
        return head
    return head + (value if kind == 2 else b"".join(cbor(item) for item in value))


def fragment(sequence, begin, end, total):
    """Octets [begin, end) of a bundle from ipn:5.1 to ipn:20.1, framed for STCP."""
    created = 800_000_000_000  # in 2025, and a lifetime of 30 years
    primary = [7, 1, 0, [2, [20, 1]], [2, [5, 1]], [1, 0], [created, sequence], 946_080_000_000,
               begin, total]
    octets = b"\x9f" + cbor(primary) + cbor([1, 1, 0, 0, bytes(end - begin)]) + b"\xff"
    return len(octets).to_bytes(4, "big") + octets


class FragmentSets(Described):
    """They are listed by HTTP and by farlinkctl while their link is down, and in files."""

    settings = {"controlSocket": "control", "routing": {"reassembleInTransit": ["ipn:20.*"]}}

    @classmethod
    def tearDownClass(cls):
        cls.node.folder.cleanup()

    def sets(self, query=""):
        return self.check("GET", "/api/v1/storage/sets", "/api/v1/storage/sets" + query)[1]

    def printed(self, *words):
        return subprocess.run(
            [f"{Node.programs}/farlinkctl", "storage", "sets", *words, "--socket",
             str(self.node.path / "control")], capture_output=True, text=True, check=True,
            timeout=LIMIT_S).stdout

    def destinations_in_files(self):
        """Of the bundles in the store of the node, which has ended."""
        self.assertEqual(self.node.program.end(signal.SIGTERM, LIMIT_S), 0)
        listed = subprocess.run(
            [f"{Node.programs}/farlinkctl", "storage", "list", "--json", "--dir",
             str(self.node.path / "store")], capture_output=True, text=True, check=True,
            timeout=LIMIT_S).stdout
        return [each["destination"] for each in json.loads(listed)["bundles"]]

    def send(self, *fragments):
        link = json.loads(self.ask("GET", "/api/v1/links/0")[2])["link"]
        port = int(link["address"].rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port), LIMIT_S) as client:
            client.sendall(b"".join(fragments))

    def wait_for(self, fragments):
        """Looks after each second of the node, which it shows by a line of its counters."""
        for _ in range(LIMIT_S):
            sets = self.sets()["sets"]
            if sum(each["fragments"] for each in sets) == fragments:
                return sets
            self.node.program.wait_line(self.node.program.out, lambda line: True, LIMIT_S)
        raise AssertionError(sets)

    def test_what_is_missing_is_listed(self):
        self.assertEqual(self.printed(), "no fragment sets\n")
        self.send(fragment(1, 0, 100, 300), fragment(1, 200, 300, 300),
                  fragment(2, 100, 200, 200), fragment(2, 0, 100, 200))
        incomplete, complete = sorted(self.wait_for(4), key=lambda each: each["sequence"])
        self.assertEqual(
            {key: incomplete[key] for key in ("state", "complete", "source", "destination",
                                              "totalBytes", "storedBytes", "fragments", "gaps",
                                              "missing")},
            {"state": "incomplete", "complete": False, "source": "ipn:5.1",
             "destination": "ipn:20.1", "totalBytes": 300, "storedBytes": 200, "fragments": 2,
             "gaps": 1, "missing": [{"from": 100, "to": 200}]})
        self.assertEqual((complete["state"], complete["complete"], complete["missing"]),
                         ("waiting", True, []))
        listed = json.loads(self.printed("--json"))
        self.assertEqual(listed.pop("ok"), True)
        self.assertEqual(listed, self.sets())
        self.assertRegex(self.printed("ipn:20.1"), r"incomplete .* 200 +300 +2 +100-200 ")
        self.assertEqual(self.sets("?destination=ipn:30.*")["sets"], [])
        first = self.sets("?limit=1")
        self.assertTrue(first["more"])
        second = self.sets("?after=" + first["next"])
        self.assertEqual([*first["sets"], *second["sets"]], self.sets()["sets"])
        stored = self.check("GET", "/api/v1/storage/bundles", "/api/v1/storage/bundles")[1]
        self.assertEqual({each["state"] for each in stored["bundles"]}, {"fragment"})
        self.assertIn(incomplete["firstFragment"], [each["bundle"] for each in stored["bundles"]])
        self.assertEqual(self.destinations_in_files(), ["ipn:20.1"] * 4)


if __name__ == "__main__":
    main(__doc__)
