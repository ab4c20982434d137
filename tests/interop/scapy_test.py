#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scapy: makes and reads BPv6 bundles, which travel over TCPCLv3 and UDP.

scapy_packets.py runs it as a program of its own. The TCPCLv3 session is pyD3TN's, the datagrams
are this program's.

Departures: its default length of a primary block is that of the blocks behind it;
numbers above 32 bits do not fit its SDNVs; no dictionary (only CBHE, RFC 6260).
"""

import json
import socket
import subprocess
import sys

import support
from support import APPLICATION, LOCALHOST, PEER, SIZES, check, free_port, payload_of

support.enter_python()
from pyd3tn.tcpcl import TCPCLConnection  # noqa: E402

from pyd3tn_test import AcceptedTcpcl, finish, listen, outduct  # noqa: E402

SINGLETON, EXPEDITED = 0x10, 2 << 7  # bundle processing flags, RFC 5050 section 4.2
PAYLOAD, PREVIOUS_HOP = 1, 5  # block types; RFC 6259 for the second
TIMEOUT_S = 30
LARGEST_DATAGRAM = 60_000


class Scapy:
    """The other program; one line of input, one line of output."""

    def __init__(self, case):
        self._process = case.start("scapy", [support.PYTHON, support.HERE / "scapy_packets.py"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._sequence = 0

    def _ask(self, line):
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().decode()
        check(answer, "scapy ended")
        return answer

    def make(self, source, destination, size):
        self._sequence += 1
        return bytes.fromhex(self._ask(f"make {source} {destination} {self._sequence} "
                                       f"{SINGLETON | EXPEDITED} {payload_of(size).hex()}"))

    def expect(self, bundle, source, destination, size):
        """scapy must read the same fields that it wrote into its last bundle."""
        read = json.loads(self._ask(f"read {bundle.hex()}"))
        expected = {"version": 6, "flags": SINGLETON | EXPEDITED, "source": source,
                    "destination": destination, "sequence": self._sequence, "lifetime": 3600,
                    "dictionary": 0}
        differing = {key: (read[key], value) for key, value in expected.items()
                     if read[key] != value}
        check(not differing, f"scapy reads another bundle: {differing}")
        blocks = {block["type"]: bytes.fromhex(block["data"]) for block in read["blocks"]}
        check(blocks.get(PAYLOAD) == payload_of(size), f"other {size} octets came")
        check(blocks.get(PREVIOUS_HOP) == b"ipn\0" + b"10.0\0",
              f"the previous hop is {blocks.get(PREVIOUS_HOP)}")


HERE, THERE = f"{APPLICATION}.1", f"{PEER}.1"


def over_tcpcl(case):
    application = case.application()
    scapy = Scapy(case)
    listener, port = listen()
    with listener:
        node = case.node([{"url": f"stcp://{LOCALHOST}:0"}, {"url": f"tcpclv3://{LOCALHOST}:0"}],
                         [application.outduct(), outduct("tcpclv3", port)])
        application.connect(node.ports[0])
        receiver = AcceptedTcpcl(listener.accept()[0])
        with TCPCLConnection("ipn:3.0", LOCALHOST, node.ports[1], TIMEOUT_S) as sender:
            for size in SIZES:
                sender.send_bundle(scapy.make(THERE, HERE, size))
                scapy.expect(application.next(f"{size} octets"), THERE, HERE, size)
                application.send(scapy.make(HERE, THERE, size))
                scapy.expect(receiver.recv_bundle(), HERE, THERE, size)
        finish(case, node, 2 * len(SIZES))
        receiver.disconnect()


def over_udp(case):
    application = case.application()
    scapy = Scapy(case)
    port = free_port()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as theirs:
        theirs.bind((LOCALHOST, 0))
        theirs.settimeout(TIMEOUT_S)
        node = case.node([{"url": f"stcp://{LOCALHOST}:0"}, {"url": f"udp://{LOCALHOST}:{port}"}],
                         [application.outduct(),
                          {"url": f"udp://{LOCALHOST}:{theirs.getsockname()[1]}",
                           "nextHopNodeId": PEER, "maxDatagramBytes": 65_507}])
        application.connect(node.ports[0])
        sizes = [size for size in SIZES if size <= LARGEST_DATAGRAM]
        for size in sizes:
            theirs.sendto(scapy.make(THERE, HERE, size), (LOCALHOST, port))
            scapy.expect(application.next(f"{size} octets"), THERE, HERE, size)
            application.send(scapy.make(HERE, THERE, size))
            scapy.expect(theirs.recv(65_536), HERE, THERE, size)
        finish(case, node, 2 * len(sizes))


if __name__ == "__main__":
    sys.exit(support.run("scapy", [
        ("BPv6 over TCPCLv3, 1 B to 10 MB both ways", over_tcpcl),
        ("BPv6 over UDP, 1 B to 60 kB both ways", over_udp)]))
