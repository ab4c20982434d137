#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The HTTP API of nodes that are configured in other ways: TLS, tokens, several processes.

Usage: api_configurations_test.py --build FOLDER [unittest arguments]
"""
import asyncio
import http.client
import json
import pathlib
import select
import ssl
import subprocess
import tempfile
import time
import unittest

from api_node import LIMIT_S, Node, main, skip_or_run_again

try:
    import websockets
    import websockets.exceptions
except ImportError as missing:
    skip_or_run_again(missing)


class Configurations(unittest.TestCase):
    def refused(self, api):
        with tempfile.TemporaryDirectory(prefix="farlink-api-") as folder:
            path = pathlib.Path(folder) / "node.json"
            path.write_text(json.dumps({
                "myNodeId": 10, "inductsConfig": [{"url": "stcp://127.0.0.1:0"}], "api": api}))
            done = subprocess.run([f"{Node.programs}/farlink", "--config", str(path)],
                                  capture_output=True,
                                  text=True, timeout=LIMIT_S, check=False)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_addresses_other_than_loopback_need_tls_and_tokens(self):
        said = self.refused({"listen": "0.0.0.0:0"})
        self.assertIn("api.tls", said)
        self.assertIn("api.tokensFile", said)

    def test_a_file_of_tokens_that_others_can_read_is_refused(self):
        with tempfile.TemporaryDirectory(prefix="farlink-api-") as folder:
            tokens = pathlib.Path(folder) / "tokens.json"
            tokens.write_text('{"tokens":[]}')
            tokens.chmod(0o644)
            said = self.refused({"listen": "127.0.0.1:0", "tokensFile": str(tokens)})
        self.assertIn("mode 0600", said)

    def test_tls_and_a_token_for_everything(self):
        with tempfile.TemporaryDirectory(prefix="farlink-api-") as folder:
            made = subprocess.run([f"{Node.programs}/farlinkctl", "cert", "make", "--dir", folder,
                                   "--node",
                                   "ipn:10.0", "--ip", "127.0.0.1"], capture_output=True,
                                  text=True, check=False)
            if made.returncode != 0:
                self.skipTest("a build without TLS")
            pem = {name.name: str(name) for name in pathlib.Path(folder).iterdir()}
            certificate = next(pem[n] for n in pem if "10" in n and "key" not in n)
            key = next(pem[n] for n in pem if "10" in n and "key" in n)
            node = Node({"listen": "0.0.0.0:0", "allowedHosts": ["node.example"],
                         "tls": {"certificate": certificate, "key": key}})
            try:
                trust = ssl.create_default_context()
                trust.check_hostname = False
                trust.verify_mode = ssl.CERT_NONE

                def ask(token, host="127.0.0.1"):
                    client = http.client.HTTPSConnection("127.0.0.1", node.port, timeout=LIMIT_S,
                                                         context=trust)
                    headers = {"Host": host}
                    if token:
                        headers["Authorization"] = "Bearer " + token
                    client.request("GET", "/api/v1/state", headers=headers)
                    status = client.getresponse().status
                    client.close()
                    return status

                self.assertEqual(ask(None), 401)
                self.assertEqual(ask(node.read), 200)
                self.assertEqual(ask(node.read, "node.example"), 200)

                async def listen(token):
                    uri = f"wss://127.0.0.1:{node.port}/ws"
                    protocols = ["farlink.v1"] + ([f"farlink.token.{token}"] if token else [])
                    async with websockets.connect(uri, subprotocols=protocols,
                                                  ssl=trust) as client:
                        return json.loads(await client.recv())["type"]

                self.assertEqual(asyncio.run(listen(node.read)), "state")
                with self.assertRaises(websockets.exceptions.InvalidStatusCode):
                    asyncio.run(listen(None))
            finally:
                self.assertEqual(node.end(), 0)

    def test_without_its_supervisor_requests_fail_at_once(self):
        node = Node(options=["--isolate"])
        try:
            node.kill("scheduler")
            longest, codes = 0, []
            while 200 not in codes and len(codes) < 2000:
                begin = time.monotonic()
                codes.append(node.ask("GET", "/api/v1/status")[0])
                longest = max(longest, time.monotonic() - begin)
                # Fewer than the 200 a second that one address may send.
                select.select([], [], [], 0.01)
            self.assertEqual(set(codes), {200, 503})
            self.assertLess(longest, 2)
        finally:
            self.assertEqual(node.end(), 0)

    def test_an_added_token_is_accepted_and_guesses_are_slowed(self):
        node = Node()
        try:
            late = node.token("operate", "late")
            end = 200
            while json.loads(node.ask("GET", "/api/v1/session", token=late)[2]).get(
                    "role") != "operate" and end:
                end -= 1
            self.assertTrue(end, "the new token is not accepted")
            codes = [node.ask("GET", "/api/v1/session", token="1" * 64)[0] for _ in range(15)]
            self.assertEqual(codes[0], 401)
            self.assertEqual(codes[-1], 429)
            self.assertEqual(node.ask("GET", "/api/v1/session", token=late)[0], 200,
                             "a valid token is accepted")
            self.assertEqual(node.ask("GET", "/api/v1/session")[0], 200)
        finally:
            self.assertEqual(node.end(), 0)


if __name__ == "__main__":
    main(__doc__)
