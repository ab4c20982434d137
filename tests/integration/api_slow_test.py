#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients of the HTTP API that stop reading are dropped, and nobody else notices.

Usage: api_slow_test.py --build FOLDER [unittest arguments]
"""
import base64
import os
import select
import socket
import statistics
import time
import unittest

from api_node import LIMIT_S, Node, main

# A peer that says nothing is asked for a sign of life, and cut soon after.
DROPPED_WITHIN_S = 40
# Others are answered at once. The server gives a write five seconds: who waited for one would wait
# as long; a machine with much else to do makes one of many answers late, not half of them.
SOON_S = 1
SLOWEST_WRITE_S = 5


def open_socket(node):
    """A WebSocket client by hand, behind its handshake, with little room for what comes."""
    client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(LIMIT_S)
    client.connect(("127.0.0.1", node.port))
    key = base64.b64encode(os.urandom(16)).decode()
    client.sendall((f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{node.port}\r\nUpgrade: websocket\r\n"
                    f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: farlink.v1\r\n\r\n"
                    ).encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += client.recv(1)
    assert answer.startswith(b"HTTP/1.1 101 "), answer
    return client


def address(port):
    """An address of the loopback network as the kernel writes it."""
    return f"0100007F:{port:04X}"


def open_connections(node, clients):
    """The clients, by their ports, whose TCP connection is established at the node's side.

    A set, since the kernel's list is not of one moment: while others connect and close it
    names a connection twice.
    """
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    own, wanted = address(node.port), {address(port) for port in clients}
    return {row[2] for row in rows if row[1] == own and row[2] in wanted and row[3] == "01"}


class SlowClients(unittest.TestCase):
    def test_who_does_not_read_is_dropped(self):
        node = Node()
        stuck = []
        try:
            stuck = [open_socket(node) for _ in range(20)]
            ports = [client.getsockname()[1] for client in stuck]
            self.assertEqual(len(open_connections(node, ports)), len(stuck))
            end = time.monotonic() + DROPPED_WITHIN_S
            waited = []
            while open_connections(node, ports) and time.monotonic() < end:
                begun = time.monotonic()
                self.assertEqual(node.ask("GET", "/api/v1/state")[0], 200)
                waited.append(time.monotonic() - begun)
                select.select([], [], [], 0.1)
            self.assertEqual(open_connections(node, ports), set(),
                             "clients that do not read are kept")
            self.assertLess(statistics.median(waited), SOON_S)
            self.assertLess(max(waited), SLOWEST_WRITE_S)
        finally:
            for client in stuck:
                client.close()
            self.assertEqual(node.end(), 0)


if __name__ == "__main__":
    main(__doc__)
