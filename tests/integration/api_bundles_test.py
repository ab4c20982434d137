#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bundles by the HTTP API: sending, receiving by leases, what is refused, and hostile clients.

Usage: api_bundles_test.py --build FOLDER [unittest arguments]
"""
import concurrent.futures
import hashlib
import http.client
import json
import random
import resource
import select
import socket
import subprocess
import threading
import time

from api_node import LIMIT_S, Node, main
from api_sender import FROM, WAITS, Bundles, until

LARGE = 3_000_000


class BundlesTest(Bundles):
    def test_what_is_sent_is_received_as_it_was(self):
        for size in (0, 1, 1000, 65_536, 65_537, LARGE):
            payload = random.Random(size).randbytes(size)
            status, answer = self.post(payload)
            self.assertEqual(status, 201, answer)
            status, headers, body = self.receive(waitSeconds=10)
            self.assertEqual(status, 200)
            self.assertEqual(hashlib.sha256(body).digest(), hashlib.sha256(payload).digest())
            self.assertEqual(headers["farlink-id"], answer["id"])
            self.assertEqual(answer["id"],
                             f"{FROM}/{answer['creationTime']}/{answer['sequence']}")
            self.assertEqual(headers["farlink-source"], FROM)
            self.assertEqual(headers["farlink-destination"], WAITS)
            self.assertEqual(headers["farlink-repeated"], "false")
            self.assertEqual(self.accept(headers), 204)
            self.assertEqual(self.accept(headers), 404, "a lease is accepted once")
        self.nothing_waits()

    def test_one_connection_sends_and_receives_in_turn(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.node.port, timeout=LIMIT_S)
        self.addCleanup(connection.close)
        token = {"Authorization": "Bearer " + self.node.operate}
        for number in range(20):
            payload = random.Random(number).randbytes(70_000 if number % 2 else 100)
            connection.request(
                "POST", f"/api/v1/bundles?source={FROM}&destination={WAITS}", payload, token)
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.read() != b""), (201, True))
            connection.request("POST", f"/api/v1/endpoints/{WAITS}/receive?waitSeconds=10",
                               headers=token)
            answer = connection.getresponse()
            self.assertEqual(answer.read(), payload)
            connection.request("DELETE", "/api/v1/leases/" + answer.getheader("Farlink-Lease"),
                               headers=token)
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.read()), (204, b""))

    def test_a_chunked_body(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.node.port, timeout=LIMIT_S)
        self.addCleanup(connection.close)
        connection.request("POST", f"/api/v1/bundles?source={FROM}&destination={WAITS}",
                           iter([b"one ", b"two"]),
                           {"Authorization": "Bearer " + self.node.operate}, encode_chunked=True)
        self.assertEqual(connection.getresponse().status, 201)
        self.assertEqual(self.take(), b"one two")

    def test_a_poll_waits_for_a_bundle(self):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            poll = pool.submit(self.take, "ipn:10.5077", 15)
            until(lambda: any(each["endpoint"] == "ipn:10.5077" for each in json.loads(
                self.node.ask("GET", "/api/v1/endpoints")[2])["endpoints"]),
                  "the endpoint is not registered")
            self.assertEqual(self.post(b"late", destination="ipn:10.5077")[0], 201)
            self.assertEqual(poll.result(LIMIT_S), b"late")

    def test_options_are_those_of_the_bundle(self):
        status, answer = self.post(b"x", lifetimeSeconds=60, priority="expedited", hopLimit=7,
                                   reportTo=FROM, reports="delivery,reception",
                                   creationTime=int((time.time() - 946_684_800) * 1000),
                                   sequence=77)
        self.assertEqual(status, 201, answer)
        self.assertTrue(answer["id"].endswith("/77"))
        status, headers, _ = self.receive(waitSeconds=10)
        self.assertEqual(headers["farlink-hop-limit"], "7")
        self.assertEqual(headers["farlink-report-to"], FROM)
        self.assertEqual(self.accept(headers), 204)

    def test_wrong_parameters_are_explained(self):
        for query in ({"priority": "urgent"}, {"lifetimeSeconds": "0"}, {"hopLimit": "256"},
                      {"reports": "delivery"}, {"reports": "all", "reportTo": FROM},
                      {"creationTime": "5"}, {"unknown": "1"}, {"lifetimeSeconds": "1e3"}):
            status, answer = self.post(b"x", **query)
            self.assertEqual(status, 400, query)
            self.assertNotEqual(answer["detail"], "")
        for source, destination in (("42", WAITS), (FROM, "nowhere"), ("dtn:none", WAITS)):
            self.assertEqual(self.post(b"x", source=source, destination=destination)[0], 400)
        # The node's own rules hold, too.
        self.assertEqual(self.post(b"x", source="ipn:11.1")[0], 422)
        self.assertEqual(self.post(b"x", destination="ipn:30.1")[0], 403)
        self.assertEqual(self.post(b"x", creationTime=1, sequence=1)[0], 422)
        for target in ("/api/v1/endpoints/none/receive", f"/api/v1/endpoints/{WAITS}/receive?"
                       "waitSeconds=61", f"/api/v1/endpoints/{WAITS}/receive?leaseSeconds=0"):
            self.assertEqual(self.node.ask("POST", target, token=self.node.operate)[0], 400)
        self.nothing_waits()

    def test_tokens_have_endpoints(self):
        def token(name, *words):
            return subprocess.run(
                [f"{Node.programs}/farlinkctl", "tokens", "make", "--role", "applications",
                 "--name", name, "--file", str(self.node.path / "tokens.json"), *words],
                check=True, capture_output=True, text=True).stdout.strip()
        one = token("one", "--register", "ipn:10.5042", "--send-to", "ipn:10.*")
        sender = token("sender", "--send-as", "ipn:10.5001")
        nobody = token("nobody")
        until(lambda: self.post(b"", token=nobody)[0] != 401, "the tokens are not read")
        self.assertEqual(self.post(b"x", token="")[0], 401)
        self.assertEqual(self.post(b"x", token=self.node.read)[0], 403)
        self.assertEqual(self.post(b"x", token=nobody)[0], 403)
        self.assertEqual(self.post(b"x", token=one)[0], 403)
        self.assertEqual(self.post(b"x", token=one, source=WAITS, destination="ipn:20.1")[0], 403)
        self.assertEqual(self.post(b"of one", token=one, source=WAITS)[0], 201)
        self.assertEqual(self.receive(token=sender)[0], 403)
        self.assertEqual(self.receive(token=self.node.read)[0], 403)
        status, headers, body = self.receive(token=one, waitSeconds=10)
        self.assertEqual((status, body), (200, b"of one"))
        self.assertEqual(self.accept(headers, token=sender), 403)
        self.assertEqual(self.accept(headers, token=one), 204)
        self.assertEqual(self.post(b"y" * LARGE, token=sender)[0], 201)
        self.assertEqual(len(self.take()), LARGE)
        # They are no operators.
        self.assertEqual(self.node.ask("POST", "/api/v1/drain", token=one)[0], 403)

    def test_a_lease_that_ends_gives_the_bundle_back(self):
        self.assertEqual(self.post(b"again")[0], 201)
        _, first, body = self.receive(waitSeconds=10, leaseSeconds=1)
        self.assertEqual(body, b"again")
        _, second, body = self.receive(waitSeconds=10)
        self.assertEqual(body, b"again")
        self.assertEqual(second["farlink-repeated"], "true")
        self.assertEqual(second["farlink-id"], first["farlink-id"])
        self.assertEqual(self.accept(first), 404)
        self.assertEqual(self.accept(second), 204)
        self.nothing_waits()

    def test_a_repeated_key_is_the_same_bundle(self):
        first = self.post(b"once", key="k1")
        self.assertEqual(first[0], 201)
        self.assertEqual(self.post(b"once", key="k1"), first)
        self.assertEqual(self.post(b"other", key="k1")[0], 422)
        self.assertEqual(self.post(b"once", key="k1", hopLimit=3)[0], 422)
        self.assertNotEqual(self.post(b"once", key="k2")[1]["id"], first[1]["id"])
        large = self.post(b"z" * LARGE, key="k3")
        self.assertEqual(large[0], 201)
        self.assertEqual(self.post(b"z" * LARGE, key="k3"), large)
        # What is refused may be corrected.
        self.assertEqual(self.post(b"x", key="k4", destination="ipn:30.1")[0], 403)
        self.assertEqual(self.post(b"x", key="k4")[0], 201)
        self.assertEqual([len(self.take()) for _ in range(4)], [4, 4, LARGE, 1])
        self.nothing_waits()

    # ---- bad input

    def test_a_body_that_is_cut_sends_nothing(self):
        for size in (1000, LARGE):
            for sent in (0, 1, size // 2, size - 1):
                client = self.open_post([f"Content-Length: {size}"])
                client.sendall(b"\r\n" + b"c" * sent)
                client.shutdown(socket.SHUT_WR)
                client.settimeout(LIMIT_S)
                self.assertEqual(client.recv(100), b"", "an answer to half a body")
        self.nothing_waits()
        self.assertEqual(self.post(b"whole")[0], 201)
        self.assertEqual(self.take(), b"whole")

    def test_lengths_that_lie(self):
        def status_of(fields, body=b""):
            client = self.open_post(fields)
            client.sendall(b"\r\n" + body)
            return client.recv(12).decode()[9:]
        self.assertEqual(status_of([f"Content-Length: {10 << 30}"]), "413")
        self.assertEqual(status_of([f"Content-Length: {(1 << 64) - 1}"]), "413")
        self.assertEqual(status_of(["Content-Length: 99999999999999999999"]), "400")
        self.assertEqual(status_of(["Content-Length: -1"]), "400")
        self.assertEqual(status_of(["Content-Length: 1", "Content-Length: 2"]), "400")
        self.assertEqual(
            status_of(["Transfer-Encoding: chunked"], b"20000\r\n" + b"x" * 0x20000), "413")
        # The octets behind a body are the next request, of which these are none.
        client = self.open_post(["Content-Length: 4"])
        client.sendall(b"\r\nfourGARBAGE\r\n\r\n")
        answer = b""
        while chunk := client.recv(65536):
            answer += chunk
        self.assertTrue(answer.startswith(b"HTTP/1.1 201"), answer)
        self.assertEqual(answer.count(b"HTTP/1.1 400"), 1, answer)
        self.assertEqual(self.take(), b"four")
        self.nothing_waits()

    def test_slow_bodies_hold_nobody_up(self):
        slow = []
        for _ in range(12):
            client = self.open_post([f"Content-Length: {LARGE}"])
            client.sendall(b"\r\n" + b"s" * 100_000)
            slow.append(client)
        for number in range(20):
            self.assertEqual(self.post(str(number).encode())[0], 201)
        self.assertEqual(self.post(b"l" * LARGE)[0], 201)
        # They are bodies like any other when they are whole.
        slow[0].sendall(b"s" * (LARGE - 100_000))
        self.assertTrue(slow[0].recv(100).startswith(b"HTTP/1.1 201"))

    def test_a_flood_of_polls(self):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, most), most))
        clients = []
        for number in range(2000):
            try:
                client = self.open(f"POST /api/v1/endpoints/ipn:10.{6000 + number % 10}/receive"
                                   "?waitSeconds=60 HTTP/1.1\r\nContent-Length: 0\r\n",
                                   (f"127.0.0.{2 + number % 20}", 0))
                client.sendall(b"\r\n")
                clients.append(client)
            except OSError:
                pass  # more than the node takes
        self.assertEqual(self.node.ask("GET", "/healthz")[0], 200)
        self.assertEqual(self.post(b"still")[0], 201)
        for client in clients:
            client.close()
        self.assertEqual(until(lambda: self.receive(waitSeconds=5)[0] == 200, "no room again"),
                         True)

    def test_a_client_that_stops_reading(self):
        payload = random.Random(1).randbytes(20_000_000)
        status, answer = self.post(payload)
        self.assertEqual(status, 201, answer)
        client = socket.socket()
        self.addCleanup(client.close)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", self.node.port))
        client.sendall((f"POST /api/v1/endpoints/{WAITS}/receive?waitSeconds=10&leaseSeconds=2 "
                        f"HTTP/1.1\r\nHost: 127.0.0.1:{self.node.port}\r\nAuthorization: Bearer "
                        f"{self.node.operate}\r\nContent-Length: 0\r\n\r\n").encode())
        self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 200"))
        status, headers, body = self.receive(waitSeconds=15)
        self.assertEqual((status, headers.get("farlink-repeated")), (200, "true"))
        self.assertEqual(body, payload)
        self.assertEqual(self.accept(headers), 204)

    def test_a_poll_whose_client_is_gone_takes_nothing(self):
        client = self.open(f"POST /api/v1/endpoints/{WAITS}/receive?waitSeconds=60 HTTP/1.1\r\n"
                           "Content-Length: 0\r\n")
        client.sendall(b"\r\n")
        self.assertFalse(select.select([client], [], [], 0.5)[0], "an answer without a bundle")
        client.close()
        self.assertEqual(self.post(b"for the next")[0], 201)
        self.assertEqual(self.take(), b"for the next")


class ModulesTest(Bundles):
    """A node whose modules are processes."""

    options = ("--isolate",)

    def test_the_applications_module_is_killed(self):
        kept, stop = {}, threading.Event()

        def send():
            number = 0
            while not stop.is_set():
                key = f"key-{number}"
                status, answer = self.post(key.encode(), key=key)
                if status == 201:
                    kept[key] = answer["id"]
                    number += 1
                else:
                    self.assertEqual(status, 503, answer)  # and the same again
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            sender = pool.submit(send)
            for target in (20, 40):
                until(lambda least=target: len(kept) > least, "nothing is sent")
                self.node.kill("applications")
            until(lambda: len(kept) > 60, "nothing is sent after the death of the module")
            stop.set()
            sender.result(LIMIT_S)
        got = {}
        while len(got) < len(kept):
            status, headers, body = self.receive(waitSeconds=10)
            self.assertEqual(status, 200, f"{len(got)} of {len(kept)}")
            self.assertNotIn(body.decode(), got, "delivered twice")
            got[body.decode()] = headers["farlink-id"]
            self.assertEqual(self.accept(headers), 204)
        self.assertEqual(got, kept)
        self.nothing_waits()

    def test_leases_end_with_the_module(self):
        self.assertEqual(self.post(b"survives")[0], 201)
        _, headers, _ = self.receive(waitSeconds=10)
        self.node.kill("applications")
        status, again, body = until(
            lambda: (lambda got: got if got[0] == 200 else None)(self.receive(waitSeconds=5)),
            "the bundle does not come back")
        self.assertEqual((status, body), (200, b"survives"))
        self.assertEqual(self.accept(headers), 404)
        self.assertEqual(self.accept(again), 204)

    def finish(self):
        self.node.end()  # a module was killed, which its exit code states


if __name__ == "__main__":
    main(__doc__)
