#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The node drops clients of the HTTP API that stop reading or writing; others are not affected.
A request that has begun and is not complete in time is answered with 408.

Usage: api_slow_test.py --build FOLDER [unittest arguments]
"""
import base64
import json
import os
import select
import socket
import statistics
import time
import unittest

from api_node import LIMIT_S, Node, main
from api_sender import Bundles

# The server pings a silent peer, and closes its connection soon after.
DROPPED_WITHIN_S = 40
# Other clients get answers at once. The server allows five seconds for a write; a client that
# waited for that write would wait as long. A busy machine delays a few answers, not half of them.
SOON_S = 1
SLOWEST_WRITE_S = 5
CONNECTIONS = 256  # the limit of the node for all clients together
REQUEST_S = 30  # for a request
OCTETS = "Content-Type: application/octet-stream"


def open_socket(node):
    """A hand-made WebSocket client after its handshake, with a small receive buffer."""
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
    """An address of the loopback network in the kernel's spelling."""
    return f"0100007F:{port:04X}"


def open_connections(node, clients):
    """The clients, by their ports, whose TCP connection is established at the node's side.

    A set, since the kernel's list is not atomic: while others connect and close, it may contain
    a connection twice.
    """
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    own, wanted = address(node.port), {address(port) for port in clients}
    return {row[2] for row in rows if row[1] == own and row[2] in wanted and row[3] == "01"}


def begin_request(node, own):
    """A client at an address of its own that stops in the middle of a request's head."""
    client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    client.settimeout(LIMIT_S)
    client.bind((own, 0))
    client.connect(("127.0.0.1", node.port))
    client.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{node.port}\r\nX-Slow: ".encode())
    return client


def ended_of(clients, count):
    """The clients whose connection the node has closed, once there are `count` or a time ends."""
    end, ended = time.monotonic() + LIMIT_S, set()
    while len(ended) < count and time.monotonic() < end:
        ended.update(select.select([c for c in clients if c not in ended], [], [], 0.1)[0])
    return ended


class SlowClients(unittest.TestCase):
    def test_half_requests_do_not_block_other_clients(self):
        node, slow = Node(), []
        try:
            slow = [begin_request(node, "127.0.0.2") for _ in range(CONNECTIONS)]
            expected = CONNECTIONS - CONNECTIONS // 4
            self.assertEqual(ended_of(slow, expected), set(slow[:expected]),
                             "an address has a quarter of the connections; its oldest is closed")
            self.assertEqual(node.ask("GET", "/healthz")[0], 200)
            # Slow clients use all connections.
            for last in (3, 4, 5):
                slow += [begin_request(node, f"127.0.0.{last}") for _ in range(CONNECTIONS // 4)]
            for _ in range(3):
                self.assertEqual(node.ask("GET", "/healthz")[0], 200)
            self.assertLessEqual(len(ended_of(slow, expected)), expected + 4)
        finally:
            for client in slow:
                client.close()
            self.assertEqual(node.end(), 0)

    def test_clients_that_do_not_read_are_dropped(self):
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


class LateRequests(Bundles):
    """All at the same time, since each takes as long as a request may."""

    def rest_of(self, client):
        """Everything that the client gets until its connection is closed."""
        client.settimeout(2 * REQUEST_S)
        got = b""
        while piece := client.recv(65536):
            got += piece
        return got

    def expect_timeout(self, answer):
        head, _, body = answer.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        self.assertTrue(lines[0].startswith("HTTP/1.1 408 "), answer)
        self.assertIn("connection: close", [line.lower() for line in lines])
        self.assertEqual(json.loads(body)["status"], 408)

    def test_they_are_answered_with_408(self):
        begun = time.monotonic()
        late = {
            "a head": self.open("GET /healthz HTTP/1.1\r\n"),
            "a body": self.open_post([OCTETS, "Content-Length: 10"]),
            "a chunk": self.open_post([OCTETS, "Transfer-Encoding: chunked"]),
            "a payload": self.open_post([OCTETS, "Content-Length: 100000"])}
        late["a body"].sendall(b"\r\nabc")
        late["a chunk"].sendall(b"\r\na\r\nabc")
        late["a payload"].sendall(b"\r\nabc")
        # Nothing is sent to clients without a request; only the answers to those before.
        silent = socket.create_connection(("127.0.0.1", self.node.port), LIMIT_S)
        self.addCleanup(silent.close)
        answered = self.open("GET /healthz HTTP/1.1\r\n")
        answered.sendall(b"\r\n")
        second = self.open("HEAD /healthz HTTP/1.1\r\n")
        second.sendall(b"\r\nGET /healthz HTTP/1.1\r\n")
        for what, client in late.items():
            with self.subTest(what):
                self.expect_timeout(self.rest_of(client))
        self.assertGreaterEqual(time.monotonic() - begun, REQUEST_S - 1)
        self.assertEqual(self.rest_of(silent), b"")
        answer = self.rest_of(answered)
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 "), answer)
        self.assertEqual(answer.count(b"HTTP/1.1 "), 1, answer)
        answer = self.rest_of(second)
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 "), answer)
        self.expect_timeout(answer.partition(b"\r\n\r\n")[2])


if __name__ == "__main__":
    main(__doc__)
