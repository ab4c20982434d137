# SPDX-License-Identifier: Apache-2.0
"""A node with an endpoint for applications, and requests that send to it and receive there."""
import json
import os
import socket
import threading
import time
import unittest

from api_node import LIMIT_S, Node

WAITS = "ipn:10.5042"  # a configured endpoint, whose bundles wait
FROM = "ipn:10.5001"


def until(done, what):
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        found = done()
        if found:
            return found
        threading.Event().wait(0.02)
    raise AssertionError(what)


def settings(**applications):
    return {"applications": {"socket": "app.sock", "endpoints": [{"endpoint": WAITS}],
                             "access": [{"user": str(os.getuid()), "register": ["ipn:10.*"],
                                         "sendTo": ["ipn:10.*", "ipn:20.*"]}], **applications}}


class Bundles(unittest.TestCase):
    options = ()

    def setUp(self):
        self.node = Node(more=settings(), options=self.options)
        self.addCleanup(self.finish)

    def finish(self):
        self.assertEqual(self.node.end(), 0, "".join(self.node.program.err_kept))

    # ---- requests

    def post(self, payload, token=None, source=FROM, destination=WAITS, key=None, **query):
        target = f"/api/v1/bundles?source={source}&destination={destination}"
        for name, value in query.items():
            target += f"&{name}={value}"
        headers = {"Content-Type": "application/octet-stream"}
        if key:
            headers["Idempotency-Key"] = key
        status, headers, body = self.node.ask("POST", target, payload,
                                              self.node.operate if token is None else token,
                                              headers)
        return status, json.loads(body)

    def receive(self, endpoint=WAITS, token=None, **query):
        asked = "&".join(f"{name}={value}" for name, value in query.items())
        return self.node.ask("POST", f"/api/v1/endpoints/{endpoint}/receive?{asked}",
                             token=self.node.operate if token is None else token)

    def accept(self, headers, token=None):
        return self.node.ask("DELETE", "/api/v1/leases/" + headers["farlink-lease"],
                             token=self.node.operate if token is None else token)[0]

    def take(self, endpoint=WAITS, wait=10):
        """The next payload, which is accepted."""
        status, headers, body = self.receive(endpoint, waitSeconds=wait)
        self.assertEqual(status, 200, body)
        self.assertEqual(self.accept(headers), 204)
        return body

    def nothing_waits(self):
        status, _, body = self.receive(waitSeconds=1)
        self.assertEqual((status, body), (204, b""))

    def open(self, head, source=("127.0.0.1", 0)):
        client = socket.create_connection(("127.0.0.1", self.node.port), LIMIT_S, source)
        self.addCleanup(client.close)
        client.sendall((head + f"Host: 127.0.0.1:{self.node.port}\r\n"
                        f"Authorization: Bearer {self.node.operate}\r\n").encode())
        return client

    def open_post(self, fields):
        return self.open(f"POST /api/v1/bundles?source={FROM}&destination={WAITS} HTTP/1.1\r\n"
                         + "".join(field + "\r\n" for field in fields))
