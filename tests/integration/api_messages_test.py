#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bundles by the WebSocket of the API: both ways, refusals, and clients that do not read.

Usage: api_messages_test.py --build FOLDER [unittest arguments]
"""
import json
import os
import random
import socket

from api_node import LIMIT_S, main
from api_sender import WAITS, Bundles
from api_websocket import WebSocket


class Messages(WebSocket):
    def __init__(self, node, endpoint, token, query="", receive_buffer=0):
        super().__init__(node, f"/api/v1/endpoints/{endpoint}/messages{query}", token,
                         receive_buffer)

    def send(self, payload, **head):
        text = json.dumps({"type": "send", **head}).encode()
        self.frame(self.BINARY, len(text).to_bytes(4, "big") + text + payload)

    def accept(self, number):
        self.frame(self.TEXT, json.dumps({"type": "accept", "number": number}).encode())


class WebSocketTest(Bundles):
    def client(self, endpoint=WAITS, token=None, **more):
        client = Messages(self.node, endpoint, self.node.operate if token is None else token,
                          **more)
        self.addCleanup(client.socket.close)
        return client

    def test_both_ways(self):
        client = self.client()
        self.assertEqual(client.status, 101)
        self.assertEqual(client.read()[0], {"type": "ready"})
        for number in range(100):
            client.send(b"p%d" % number, destination=WAITS, ref=number)
        accepted, got = {}, {}
        while len(accepted) < 100 or len(got) < 100:
            head, payload = client.read()
            if head["type"] == "accepted":
                accepted[head["ref"]] = head["id"]
            else:
                self.assertEqual(head["type"], "bundle", head)
                got[head["id"]] = payload
                client.accept(head["number"])
        self.assertEqual([got[accepted[number]] for number in range(100)],
                         [b"p%d" % number for number in range(100)])
        self.nothing_waits()

    def test_what_is_not_accepted_comes_again(self):
        self.assertEqual(self.post(b"held")[0], 201)
        client = self.client()
        self.assertEqual(client.read()[0], {"type": "ready"})
        self.assertEqual(client.read()[1], b"held")
        client.socket.close()
        self.assertEqual(self.take(), b"held")

    def test_refusals(self):
        self.assertEqual(self.client(token=self.node.read).status, 403)
        self.assertEqual(self.client(token="wrong").status, 401)
        self.assertEqual(self.client(query="?window=65").status, 400)
        client = self.client(query="?window=0")
        client.send(b"x", destination="ipn:30.1", ref="a")
        head, _ = client.read()
        self.assertEqual((head["type"], head["status"], head["ref"]), ("refused", 403, "a"))
        client.send(b"x", destination="nowhere")
        self.assertEqual(client.read()[0]["status"], 400)
        for kind, octets in ((Messages.TEXT, b"{}"), (Messages.BINARY, b"\xff\xff\xff\xff{}"),
                             (Messages.BINARY, b""), (Messages.TEXT, b"[" * 4000)):
            client = self.client(query="?window=0")
            client.frame(kind, octets)
            self.assertEqual(client.read()[0], {"type": "close", "code": 1008})
        self.assertEqual(self.node.ask("GET", "/healthz")[0], 200)

    def test_a_client_that_does_not_read_holds_nobody_up(self):
        client = self.client(query="?window=64", receive_buffer=4096)
        payload = random.Random(5).randbytes(60_000)
        sent = [self.post(payload)[0] for _ in range(100)]
        self.assertEqual(set(sent), {201})
        self.assertEqual(self.node.ask("GET", "/healthz")[0], 200)
        client.socket.close()
        for _ in range(100):
            self.assertEqual(self.take(), payload)


if __name__ == "__main__":
    main(__doc__)
