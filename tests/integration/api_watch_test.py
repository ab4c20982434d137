#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bundles watched by the WebSocket of the API: patterns, limits, refusals, clients that leave.

Usage: api_watch_test.py --build FOLDER [unittest arguments]
"""
import json
import urllib.parse

from api_node import ROOT, main, skip_or_run_again
from api_sender import WAITS, Bundles
from api_websocket import WebSocket

try:
    import yaml
except ImportError as missing:
    skip_or_run_again(missing)

WATCHERS = 16
TRY_AGAIN_LATER, POLICY = 1013, 1008


class WatchTest(Bundles):
    def watch(self, token=None, **query):
        target = "/api/v1/bundles/watch?" + urllib.parse.urlencode(query)
        client = WebSocket(self.node, target.rstrip("?"),
                           self.node.read if token is None else token)
        self.addCleanup(client.socket.close)
        return client

    def ready(self, **query):
        client = self.watch(**query)
        self.assertEqual(client.status, 101)
        self.assertEqual(client.read()[0], {"type": "ready"})
        return client

    def shown(self, client, count):
        """The next bundles that the client is shown, with the last message."""
        rows = []
        while len(rows) < count:
            message, _ = client.read()
            self.assertEqual(message["type"], "bundles", message)
            rows += message["bundles"]
        return rows, message

    def send(self, count):
        return [self.post(b"%d" % number)[1]["id"] for number in range(count)]

    def test_a_delivered_bundle_is_shown(self):
        client = self.ready(destination=WAITS, outcome="delivered")
        other = self.ready(pattern="ipn:99.*")
        sent = self.send(3)
        for number in range(3):
            self.assertEqual(self.take(), b"%d" % number)
        rows, _ = self.shown(client, 3)
        self.assertEqual([row["id"] for row in rows], sent)
        self.assertEqual({row["outcome"] for row in rows}, {"delivered"})
        self.assertEqual({row["destination"] for row in rows}, {WAITS})
        self.assertTrue(all(row["ageMilliseconds"] < 60_000 for row in rows), rows)
        other.socket.settimeout(0.5)
        with self.assertRaises(TimeoutError):
            other.read()

    def test_it_is_the_record_that_the_api_describes(self):
        client = self.ready(outcome="delivered")
        (sent,) = self.send(1)
        self.take()
        (row,), _ = self.shown(client, 1)
        status, _, body = self.node.ask("GET", f"/api/v1/bundles?id={sent}", token=self.node.read)
        self.assertEqual(status, 200, body)
        self.assertIn(row, json.loads(body)["past"])
        text = (ROOT / "docs/api/openapi.yaml").read_text(encoding="utf-8")
        described = yaml.safe_load(text)["components"]["schemas"]["PastBundle"]
        self.assertLessEqual(set(row), set(described["properties"]))
        self.assertLessEqual(set(described["required"]), set(row))

    def test_what_is_beyond_the_limit_is_counted(self):
        client = self.ready(perSecond=1, outcome="delivered")
        self.send(5)
        for _ in range(5):
            self.take()
        rows, message = self.shown(client, 1)
        while len(rows) + message["beyondLimit"] < 5:
            message, _ = client.read()
            rows += message["bundles"]
        self.assertEqual(message["missed"], 0)

    def test_refusals(self):
        self.assertEqual(self.watch(token="wrong").status, 401)
        for query in ({"pattern": "nowhere"}, {"outcome": "gone"}, {"sample": 0},
                      {"perSecond": 1001}, {"unknown": 1}):
            self.assertEqual(self.watch(**query).status, 400, query)
        status, _, _ = self.node.ask("GET", "/api/v1/bundles/watch", token=self.node.read)
        self.assertEqual(status, 426)

    def test_a_client_sends_nothing(self):
        client = self.ready()
        client.frame(client.TEXT, b"{}")
        self.assertEqual(client.read()[0], {"type": "close", "code": POLICY})

    def test_the_number_of_watchers_is_bounded(self):
        watchers = [self.ready() for _ in range(WATCHERS)]
        self.assertEqual(self.watch().read()[0], {"type": "close", "code": TRY_AGAIN_LATER})
        watchers[0].socket.close()
        for _ in range(100):  # until the node has seen the end of the connection
            client = self.watch()
            if client.read()[0] == {"type": "ready"}:
                return
        self.fail("no room after a watcher has gone")


if __name__ == "__main__":
    main(__doc__)
