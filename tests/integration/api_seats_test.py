#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The HTTP API reserves an eighth of its connections for clients of this machine.

All of 127.0.0.0/8 is this machine, so the other machines are addresses of a network namespace that
the test makes; the test runs itself again in it.

Usage: api_seats_test.py --build FOLDER [unittest arguments]
"""
import fcntl
import http.client
import os
import pathlib
import select
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from api_node import LIMIT_S, Node, main

INSIDE = "FARLINK_TEST_NETWORK"
CONNECTIONS = 256  # the limit of the node for all clients together
RESERVED = CONNECTIONS // 8
OF_ADDRESS = CONNECTIONS // 4
SERVER = "192.0.2.1"
# linux/sockios.h, linux/if.h
SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK = 0x8914, 0x8916, 0x891C
IFF_UP_RUNNING = 0x41


def enter_network():
    """Continues in a network namespace, if the system grants one."""
    if os.environ.get(INSIDE):
        return
    command = ["unshare", "--net", "--"]
    granted = subprocess.run([*command, "true"], capture_output=True, check=False)
    if granted.returncode != 0:
        print("skipped: no network of its own:", granted.stderr.decode().strip())
        sys.exit(77)
    os.environ[INSIDE] = "yes"
    os.execvp(command[0], [*command, sys.executable, *sys.argv])


def make_network():
    """Adds loopback, and all of 192.0.2.0/24 as addresses of this machine."""
    def address(text):
        return struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(text))

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for name, request, value in (
                (b"lo", SIOCSIFFLAGS, struct.pack("H14x", IFF_UP_RUNNING)),
                (b"lo:1", SIOCSIFADDR, address(SERVER)),
                (b"lo:1", SIOCSIFNETMASK, address("255.255.255.0"))):
            fcntl.ioctl(control, request, struct.pack("16s16s", name, value))


def connect(own, to, port):
    """A silent client at an address of its own."""
    client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    client.settimeout(LIMIT_S)
    client.bind((own, 0))
    client.connect((to, port))
    return client


def ended_of(clients, count):
    """The clients whose connection the node has closed, once there are `count` or a time ends."""
    end, ended = time.monotonic() + LIMIT_S, set()
    while len(ended) < count and time.monotonic() < end:
        ended.update(select.select([c for c in clients if c not in ended], [], [], 0.1)[0])
    return ended


class Seats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        make_network()
        cls.folder = tempfile.TemporaryDirectory(prefix="farlink-api-")
        made = subprocess.run([f"{Node.programs}/farlinkctl", "cert", "make", "--dir",
                               cls.folder.name, "--node", "ipn:10.0", "--ip", "127.0.0.1"],
                              capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise unittest.SkipTest("a build without TLS")
        pem = {path.name: str(path) for path in pathlib.Path(cls.folder.name).iterdir()}
        cls.tls = {"certificate": next(pem[n] for n in pem if "10" in n and "key" not in n),
                   "key": next(pem[n] for n in pem if "10" in n and "key" in n)}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.node = Node({"listen": "0.0.0.0:0", "tls": self.tls})
        self.clients = []

    def tearDown(self):
        for client in self.clients:
            client.close()
        self.assertEqual(self.node.end(), 0)

    def come(self, own, count, to=SERVER):
        come = [connect(own, to, self.node.port) for _ in range(count)]
        self.clients += come
        return come

    def ask(self):
        """Returns the answer to a client of this machine."""
        trust = ssl.create_default_context()
        trust.check_hostname = False
        trust.verify_mode = ssl.CERT_NONE
        client = http.client.HTTPSConnection("127.0.0.1", self.node.port, timeout=LIMIT_S,
                                             context=trust)
        try:
            client.request("GET", "/healthz")
            return client.getresponse().status
        finally:
            client.close()

    def test_other_machines_leave_an_eighth_to_this_one(self):
        strangers = []
        for last in range(2, 6):
            strangers += self.come(f"192.0.2.{last}", OF_ADDRESS)
        self.assertEqual(ended_of(strangers, RESERVED), set(strangers[:RESERVED]),
                         "the oldest connection of other machines is closed for a new one of them")
        own = self.come("127.0.0.1", RESERVED - 1, "127.0.0.1")
        for _ in range(3):
            self.assertEqual(self.ask(), 200)
        self.assertEqual(set(select.select(strangers[RESERVED:] + own, [], [], 0)[0]), set(),
                         "no connection is closed while connections for this machine are free")

    def test_other_machines_do_not_displace_connections_of_this_one(self):
        own = self.come("127.0.0.1", RESERVED // 2, "127.0.0.1")
        strangers = []
        for last in range(2, 6):
            strangers += self.come(f"192.0.2.{last}", OF_ADDRESS)
        self.assertEqual(ended_of(strangers, RESERVED), set(strangers[:RESERVED]))
        self.assertEqual(set(select.select(own, [], [], 0)[0]), set())
        self.assertEqual(self.ask(), 200)


if __name__ == "__main__":
    enter_network()
    main(__doc__)
