#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The HTTP API of a real node: every path of docs/api/openapi.yaml, refused requests, live
updates, the audit, and metrics in Prometheus format.

Usage: api_paths_test.py --build FOLDER [unittest arguments]
"""
import asyncio
import json
import pathlib
import socket
import stat
import tempfile
import unittest

from api_node import LIMIT_S, ROOT, Node, main, skip_or_run_again

try:
    import jsonschema
    import prometheus_client.parser
    import websockets
    import websockets.exceptions
    import yaml
except ImportError as missing:
    skip_or_run_again(missing)

OPENAPI = yaml.safe_load((ROOT / "docs/api/openapi.yaml").read_text())

# Commands for storage that an empty store answers at once.
CONFIG_CALLS = [
    ("GET", "/api/v1/config", "/api/v1/config", None, 200),
    ("GET", "/api/v1/config/diff", "/api/v1/config/diff", None, 200),
    ("POST", "/api/v1/config/reload", "/api/v1/config/reload?partial=true", None, 200),
    ("POST", "/api/v1/config/revert", "/api/v1/config/revert", None, 200),
    ("POST", "/api/v1/config/save", "/api/v1/config/save", None, 200),
]
TASK_CALLS = [(method, path, path + query, None, status)
              for path, query in (("/api/v1/storage/verification", "?rateBytesPerSec=4096"),
                                  ("/api/v1/storage/compaction", ""))
              for method, query, status in (("GET", "", 200), ("POST", query, 200),
                                            ("GET", "", 200), ("DELETE", "", 409))]
FIND_CALLS = [("GET", "/api/v1/bundles", "/api/v1/bundles?id=ipn:20.1/757000000000/3", None, 200),
              ("GET", "/api/v1/bundles", "/api/v1/bundles?id=ipn:20.1&limit=5", None, 200)]
TASK_CALLS.append(("GET", "/api/v1/storage/bundles/{bundle}/octets",
                   "/api/v1/storage/bundles/1/octets?offset=10&limit=5", None, 404))
TASK_CALLS.append(("GET", "/api/v1/storage/sets",
                   "/api/v1/storage/sets?destination=ipn:20.*&limit=10&after=4294967297",
                   None, 200))
EXPLAIN_CALLS = [("GET", "/api/v1/routes/explain", f"/api/v1/routes/explain?source=10&{query}",
                  None, 200)
                 for query in ("destination=20&sizeBytes=100", "destination=dtn://mars/inbox")]
# For clients that ask for a WebSocket, and, without `applications.socket`, for nobody.
APPLICATION_CALLS = [
    ("GET", "/ws", "/ws", None, 426),
    ("POST", "/api/v1/bundles", "/api/v1/bundles?source=ipn:10.5001&destination=ipn:20.42",
     "text", 409),
    ("POST", "/api/v1/bundles", "/api/v1/bundles?source=ipn:10.5001", "text", 400),
    ("POST", "/api/v1/endpoints/{endpoint}/receive", "/api/v1/endpoints/ipn%3A10.5001/receive",
     None, 409),
    ("GET", "/api/v1/bundles/watch", "/api/v1/bundles/watch?perSecond=5", None, 426),
    ("GET", "/api/v1/endpoints/{endpoint}/messages", "/api/v1/endpoints/ipn:10.5001/messages",
     None, 426),
    ("DELETE", "/api/v1/leases/{lease}", "/api/v1/leases/0123", None, 404),
]


def resolved(schema):
    """The schema with its references resolved, and `nullable` in the form of JSON Schema."""
    if isinstance(schema, list):
        return [resolved(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        found = OPENAPI
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return resolved(found)
    schema = {key: resolved(value) for key, value in schema.items()}
    if schema.pop("nullable", False):
        schema["type"] = [schema["type"], "null"]
    return schema


class Described(unittest.TestCase):
    """A node whose answers are as its description has them."""

    settings = {}

    @classmethod
    def setUpClass(cls):
        cls.node = Node(more=cls.settings)

    @classmethod
    def tearDownClass(cls):
        assert cls.node.end() == 0

    def ask(self, *arguments, **more):
        return self.node.ask(*arguments, **more)

    def check(self, method, path, target, **more):
        """Sends a request, and checks the answer against the description of the path."""
        status, headers, body = self.ask(method, target, **more)
        described = OPENAPI["paths"][path][method.lower()]["responses"]
        self.assertIn(str(status), described, f"{method} {target}: {body}")
        content = resolved(described[str(status)])["content"]
        kind = headers["content-type"].split(";")[0]
        self.assertIn(kind, content)
        if kind.endswith("json"):
            body = json.loads(body)
            jsonschema.validate(body, content[kind]["schema"])
        return status, body


class Api(Described):
    def test_every_path_answers_as_described(self):
        plan = {"contacts": [{"contact": 5, "source": 10, "dest": 30, "startTime": 60,
                              "endTime": 90, "rateBitsPerSec": 1000, "owlt": 1}]}
        calls = [
            ("GET", "/healthz", "/healthz", None, 200),
            ("GET", "/readyz", "/readyz", None, 200),
            ("GET", "/metrics", "/metrics", None, 200),
            ("GET", "/api/v1/state", "/api/v1/state", None, 200),
            ("GET", "/api/v1/session", "/api/v1/session", None, 200),
            ("GET", "/api/v1/history", "/api/v1/history?seconds=10&series=in,out", None, 200),
            ("GET", "/api/v1/events", "/api/v1/events?after=0&limit=5", None, 200),
            ("GET", "/api/v1/alarms", "/api/v1/alarms", None, 200),
            *CONFIG_CALLS,
            ("GET", "/api/v1/links", "/api/v1/links", None, 200),
            ("GET", "/api/v1/links/{link}", "/api/v1/links/1", None, 200),
            ("POST", "/api/v1/links/{link}/down", "/api/v1/links/1/down", None, 200),
            ("POST", "/api/v1/links/{link}/up", "/api/v1/links/1/up", None, 200),
            ("PUT", "/api/v1/links/{link}/override", "/api/v1/links/1/override",
             {"rateBitsPerSec": 9000, "owlt": None}, 200),
            ("POST", "/api/v1/links", "/api/v1/links",
             {"direction": "outduct", "link": 17,
              "config": {"url": "stcp://127.0.0.1:1", "nextHopNodeId": 40}}, 200),
            ("GET", "/api/v1/links/{link}", "/api/v1/links/17", None, 200),
            ("PUT", "/api/v1/links/{link}", "/api/v1/links/17",
             {"config": {"url": "stcp://127.0.0.1:2", "nextHopNodeId": 40}}, 200),
            ("DELETE", "/api/v1/links/{link}", "/api/v1/links/17", None, 200),
            ("POST", "/api/v1/ping", "/api/v1/ping", {"destination": 10}, 200),
            ("GET", "/api/v1/storage", "/api/v1/storage", None, 200),
            ("GET", "/api/v1/custody", "/api/v1/custody", None, 200),
            ("GET", "/api/v1/endpoints", "/api/v1/endpoints", None, 200),
            ("GET", "/api/v1/storage/bundles",
             "/api/v1/storage/bundles?destination=ipn:20.*&limit=10&after=4294967297", None, 200),
            ("DELETE", "/api/v1/storage/bundles",
             "/api/v1/storage/bundles?destination=ipn:99.*&force=true", None, 200),
            ("GET", "/api/v1/storage/bundles/{bundle}", "/api/v1/storage/bundles/1", None, 404),
            ("DELETE", "/api/v1/storage/bundles/{bundle}",
             "/api/v1/storage/bundles/18446744073709551615", None, 404),
            *TASK_CALLS, *FIND_CALLS,
            ("PUT", "/api/v1/storage/holds/{node}", "/api/v1/storage/holds/99", None, 200),
            ("GET", "/api/v1/storage/holds", "/api/v1/storage/holds", None, 200),
            ("DELETE", "/api/v1/storage/holds/{node}", "/api/v1/storage/holds/99", None, 200),
            ("GET", "/api/v1/status", "/api/v1/status", None, 200),
            ("GET", "/api/v1/contact-plan", "/api/v1/contact-plan", None, 200),
            ("PUT", "/api/v1/contact-plan", "/api/v1/contact-plan?dryRun=true", plan, 200),
            ("POST", "/api/v1/contact-plan/contacts", "/api/v1/contact-plan/contacts", plan, 200),
            ("PATCH", "/api/v1/contact-plan", "/api/v1/contact-plan",
             {"contacts": [{"contact": 5, "rateBitsPerSec": 2000}]}, 200),
            ("DELETE", "/api/v1/contact-plan/contacts/{contact}",
             "/api/v1/contact-plan/contacts/5", None, 200),
            ("GET", "/api/v1/contact-plan/history", "/api/v1/contact-plan/history", None, 200),
            ("GET", "/api/v1/routes", "/api/v1/routes", None, 200),
            *EXPLAIN_CALLS,
            ("POST", "/api/v1/drain", "/api/v1/drain", None, 200),
            ("POST", "/api/v1/resume", "/api/v1/resume", None, 200),
            ("POST", "/api/v1/clock/confirm", "/api/v1/clock/confirm", None, 200),
            ("GET", "/api/v1/log", "/api/v1/log", None, 200),
            ("PUT", "/api/v1/log/{logger}", "/api/v1/log/ltp", {"level": "debug"}, 200),
            ("PUT", "/api/v1/log/{logger}", "/api/v1/log/all", {"level": "info"}, 200),
            *APPLICATION_CALLS,
        ]
        for method, path, target, body, expected in calls:
            with self.subTest(method=method, target=target):
                status, answer = self.check(method, path, target, body=body,
                                            token=self.node.operate)
                self.assertEqual(status, expected, answer)
        tried = {(method.lower(), path) for method, path, *_ in calls}
        described = {(method, path) for path, methods in OPENAPI["paths"].items()
                     for method in methods if method != "parameters"}
        self.assertEqual(described - tried, set(), "paths that no call above requests")

    def test_errors_in_requests_are_explained(self):
        calls = [
            ("GET", "/api/v1/links/{link}", "/api/v1/links/99", None, 404),
            ("POST", "/api/v1/links/{link}/down", "/api/v1/links/99/down", None, 404),
            ("POST", "/api/v1/links", "/api/v1/links", {"config": {}}, 400),
            ("POST", "/api/v1/links", "/api/v1/links",
             {"direction": "outduct", "config": {"url": "stcp://127.0.0.1:1"}}, 422),
            ("POST", "/api/v1/links", "/api/v1/links",
             {"direction": "induct", "link": 1, "config": {"url": "stcp://127.0.0.1:0"}}, 409),
            ("PUT", "/api/v1/links/{link}", "/api/v1/links/99", {"config": {}}, 404),
            ("DELETE", "/api/v1/links/{link}", "/api/v1/links/99", None, 404),
            ("PUT", "/api/v1/links/{link}/override", "/api/v1/links/1/override",
             {"rateBitsPerSec": -1}, 422),
            ("PUT", "/api/v1/links/{link}/override", "/api/v1/links/99/override", {}, 404),
            ("POST", "/api/v1/ping", "/api/v1/ping", {"destination": "20.1"}, 422),
            ("POST", "/api/v1/ping", "/api/v1/ping", {"destination": 20, "sizeBytes": 1}, 422),
            ("GET", "/api/v1/history", "/api/v1/history?seconds=0", None, 400),
            ("GET", "/api/v1/events", "/api/v1/events?last=1", None, 400),
            ("DELETE", "/api/v1/storage/bundles", "/api/v1/storage/bundles", None, 400),
            ("DELETE", "/api/v1/storage/bundles",
             "/api/v1/storage/bundles?destination=", None, 400),
            ("DELETE", "/api/v1/storage/bundles",
             "/api/v1/storage/bundles?destination=*", None, 422),
            ("GET", "/api/v1/bundles", "/api/v1/bundles", None, 422),
            ("GET", "/api/v1/bundles", "/api/v1/bundles?id=10", None, 422),
            ("GET", "/api/v1/storage/bundles", "/api/v1/storage/bundles?limit=1001", None, 422),
            ("GET", "/api/v1/storage/bundles", "/api/v1/storage/bundles?force=true", None, 400),
            ("GET", "/api/v1/storage/sets", "/api/v1/storage/sets?limit=1001", None, 422),
            ("GET", "/api/v1/storage/bundles/{bundle}", "/api/v1/storage/bundles/0", None, 400),
            ("GET", "/api/v1/storage/bundles/{bundle}/octets",
             "/api/v1/storage/bundles/1/octets?limit=262145", None, 422),
            ("GET", "/api/v1/storage/bundles/{bundle}/octets",
             "/api/v1/storage/bundles/1/octets?offset=x", None, 400),
            ("POST", "/api/v1/storage/verification",
             "/api/v1/storage/verification?rateBytesPerSec=4095", None, 422),
            ("PUT", "/api/v1/storage/holds/{node}", "/api/v1/storage/holds/10", None, 422),
            ("PUT", "/api/v1/storage/holds/{node}", "/api/v1/storage/holds/0", None, 400),
            ("DELETE", "/api/v1/storage/holds/{node}", "/api/v1/storage/holds/77", None, 404),
            ("GET", "/api/v1/routes/explain", "/api/v1/routes/explain?source=10", None, 400),
            ("GET", "/api/v1/routes/explain",
             "/api/v1/routes/explain?source=1&destination=2&priority=high", None, 422),
            ("PUT", "/api/v1/contact-plan", "/api/v1/contact-plan?dryRun=maybe", {}, 400),
            ("PUT", "/api/v1/contact-plan", "/api/v1/contact-plan", "[]", 400),
            ("PUT", "/api/v1/contact-plan", "/api/v1/contact-plan", "{", 400),
            ("PUT", "/api/v1/contact-plan", "/api/v1/contact-plan",
             '{"command":"clock confirm","contacts":[]}', 400),
            ("PUT", "/api/v1/contact-plan", "/api/v1/contact-plan",
             {"contacts": [{"contact": 1, "source": 10}]}, 422),
            ("DELETE", "/api/v1/contact-plan/contacts/{contact}",
             "/api/v1/contact-plan/contacts/77", None, 422),
            ("PUT", "/api/v1/log/{logger}", "/api/v1/log/ltp", {"level": "loud"}, 422),
            ("PUT", "/api/v1/log/{logger}", "/api/v1/log/ltp", {"loud": "ness"}, 400),
            ("PUT", "/api/v1/log/{logger}", "/api/v1/log/nobody", {"level": "info"}, 404),
        ]
        for method, path, target, body, expected in calls:
            with self.subTest(method=method, target=target):
                status, answer = self.check(method, path, target, body=body,
                                            token=self.node.operate)
                self.assertEqual(status, expected, answer)
                self.assertTrue(answer["detail"])
        status, answer = self.check("PUT", "/api/v1/contact-plan", "/api/v1/contact-plan",
                                    body={"contacts": [{"contact": 1, "source": 10}]},
                                    token=self.node.operate)
        self.assertTrue(any("missing" in error["problem"] for error in answer["errors"]), answer)
        self.assertEqual(self.ask("PUT", "/api/v1/contact-plan", "{}", self.node.operate,
                                  {"Content-Type": "text/csv"})[0], 415)
        self.assertEqual(self.ask("PUT", "/api/v1/state")[0], 405)
        self.assertEqual(self.ask("GET", "/api/v1/nothing")[0], 404)

    def test_a_plan_is_taken_in_ions_commands(self):
        target = "/api/v1/contact-plan"
        text = {"token": self.node.operate, "headers": {"Content-Type": "text/plain"}}
        for wrong in ["{}", "a contact +60", "# no contact"]:
            self.assertIn(self.check("PUT", target, target, body=wrong, **text)[0], (400, 422))
        status, answer = self.check("PUT", target, target + "?dryRun=true",
                                    body="a contact +60 +90 10 30 125\n", **text)
        self.assertEqual((status, answer["contacts"]), (200, 1), answer)

    def test_only_operators_operate(self):
        self.assertEqual(self.ask("POST", "/api/v1/links/1/down")[0], 403)
        self.assertEqual(self.ask("GET", "/api/v1/storage/bundles/1/octets")[0], 403)
        self.assertEqual(self.ask("POST", "/api/v1/links/1/down", token=self.node.read)[0], 403)
        status, headers, _ = self.ask("GET", "/api/v1/state", token="0" * 64)
        self.assertEqual(status, 401)
        self.assertIn("Bearer", headers["www-authenticate"])
        for token, role in ((None, "read"), (self.node.read, "read"),
                            (self.node.operate, "operate")):
            body = self.ask("GET", "/api/v1/session", token=token)[2]
            self.assertEqual(json.loads(body)["role"], role)

    def test_requests_from_foreign_pages_are_refused(self):
        own = f"http://127.0.0.1:{self.node.port}"
        for headers, expected in (({"Host": "evil.example"}, 421),
                                  ({"Origin": "http://evil.example"}, 403),
                                  ({"Origin": "null"}, 403),
                                  ({"Origin": own}, 200),
                                  ({"Host": f"localhost:{self.node.port}"}, 200)):
            with self.subTest(headers=headers):
                self.assertEqual(self.ask("GET", "/api/v1/state", headers=headers)[0], expected)
        headers = self.ask("GET", "/api/v1/state")[1]
        self.assertIn("default-src 'self'", headers["content-security-policy"])
        self.assertNotIn("unsafe", headers["content-security-policy"])
        self.assertEqual(headers["x-content-type-options"], "nosniff")
        self.assertEqual(headers["cache-control"], "no-store")

    def test_secrets_are_not_shown(self):
        text = self.ask("GET", "/api/v1/config")[2].decode()
        self.assertIn("inductsConfig", text)
        self.assertNotIn("tokens", text)

    def test_audit_has_a_line_for_each_change(self):
        before = len(self.node.audit())
        self.ask("POST", "/api/v1/links/2/down", token=self.node.operate)
        self.ask("POST", "/api/v1/links/2/up", token=self.node.operate)
        self.ask("GET", "/api/v1/state", token=self.node.operate)
        lines = self.node.audit()[before:]
        self.assertEqual([line["change"] for line in lines], ["link down 2", "link up 2"])
        self.assertIn("token op from 127.0.0.1", lines[0]["who"])
        self.assertEqual(lines[0]["outcome"], "done")
        self.assertEqual(lines[0]["values"], {"link": 2})
        file = self.node.path / "farlink-state-10" / "audit.jsonl"
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)

    def test_audit_continues_in_a_new_file_after_rotation(self):
        file = self.node.path / "farlink-state-10" / "audit.jsonl"
        self.ask("POST", "/api/v1/links/2/up", token=self.node.operate)
        old = file.rename(file.with_suffix(".1"))
        kept = old.read_text()
        self.ask("POST", "/api/v1/links/2/up", token=self.node.operate)
        self.assertEqual(old.read_text(), kept)
        self.assertEqual([line["change"] for line in self.node.audit()], ["link up 2"])

    def test_metrics_are_in_prometheus_format(self):
        text = self.ask("GET", "/metrics")[2].decode()
        families = {family.name: family for family in
                    prometheus_client.parser.text_string_to_metric_families(text)}
        for name, kind in (("farlink_ingress_received_bundles", "counter"),
                           ("farlink_storage_stored_now_bundles", "gauge"),
                           ("farlink_link_up", "gauge")):
            self.assertEqual(families[name].type, kind)
        for family in families.values():
            self.assertNotEqual(family.type, "unknown", family.name)
            self.assertTrue(family.documentation, family.name)
        links = {sample.labels["link"] for sample in families["farlink_link_up"].samples}
        self.assertEqual(links, {"0", "1", "2"})

    def test_requests_sent_ahead_are_answered_in_order(self):
        with socket.create_connection(("127.0.0.1", self.node.port), LIMIT_S) as client:
            host = f"Host: 127.0.0.1:{self.node.port}\r\n\r\n"
            client.sendall(("GET /healthz HTTP/1.1\r\n" + host +
                            "GET /api/v1/session HTTP/1.1\r\n" + host +
                            "GET /nothing HTTP/1.1\r\n" + host).encode())
            text = b""
            while text.count(b"HTTP/1.1 ") < 3 or not text.endswith(b"}"):
                piece = client.recv(65536)
                self.assertTrue(piece, text)
                text += piece
        codes = [part[:3] for part in text.split(b"HTTP/1.1 ")[1:]]
        self.assertEqual(codes, [b"200", b"200", b"404"])

    def test_malformed_requests_are_refused(self):
        host = f"Host: 127.0.0.1:{self.node.port}\r\n"
        for octets, code in ((b"\x16\x03\x01\x02\x00\r\n\r\n", b"400"),
                             (f"GET /healthz HTTP/1.1\r\n{host}A: {'x' * 20000}\r\n\r\n".encode(),
                              b"431"),
                             (f"PUT /api/v1/contact-plan HTTP/1.1\r\n{host}"
                              "Content-Length: 99999999\r\n\r\n".encode(), b"413"),
                             (f"POST /api/v1/drain HTTP/1.1\r\n{host}"
                              "Transfer-Encoding: gzip\r\n\r\n"
                              f"GET /healthz HTTP/1.1\r\n{host}\r\n".encode(), b"400"),
                             (b"GET /healthz HTTP/1.1\r\n\r\n", b"421")):
            with socket.create_connection(("127.0.0.1", self.node.port), LIMIT_S) as client:
                client.sendall(octets)
                client.settimeout(LIMIT_S)
                answer = client.recv(65536)
            self.assertEqual(answer.split(b" ")[1], code, octets[:60])

    def test_a_body_with_an_octet_too_many_is_refused_unread(self):
        plan, small = 16 * 1024 * 1024, 64 * 1024
        for target, token, limit in (("PUT /api/v1/contact-plan", self.node.operate, plan),
                                     ("PUT /api/v1/contact-plan", self.node.read, small),
                                     ("POST /api/v1/drain", self.node.operate, small)):
            head = (f"{target} HTTP/1.1\r\nHost: 127.0.0.1:{self.node.port}\r\n"
                    f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n")
            chunk = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % (limit + 1)
            # The body is not sent: the server refuses its length.
            for more, refused in ((b"Content-Length: %d\r\n\r\n" % (limit + 1), True),
                                  (chunk, True),
                                  (b"Content-Length: %d\r\n\r\n" % limit + b"[" * limit, False)):
                with self.subTest(target=target, limit=limit, more=more[:60]), \
                        socket.create_connection(("127.0.0.1", self.node.port), LIMIT_S) as client:
                    client.settimeout(LIMIT_S)
                    client.sendall(head.encode() + more)
                    code = client.recv(65536).split(b" ")[1]
                    self.assertEqual(code == b"413", refused, code)

    def test_files_stay_in_their_folder(self):
        for target in ("/../node.json", "/%2e%2e/node.json", "/..%2fnode.json", "/.hidden",
                       "//etc/passwd"):
            with self.subTest(target=target):
                self.assertIn(self.ask("GET", target)[0], (400, 404))

    async def listen(self, steps):
        uri = f"ws://127.0.0.1:{self.node.port}/ws"
        async with websockets.connect(uri, subprotocols=["farlink.v1"]) as client:
            self.assertEqual(client.subprotocol, "farlink.v1")
            return await asyncio.wait_for(steps(client), LIMIT_S)

    def test_patches_add_up_to_the_state(self):
        def patched(document, patch):
            for key, value in patch.items():
                if value is None:
                    document.pop(key, None)
                elif isinstance(value, dict):
                    document[key] = patched(document.get(key) if isinstance(
                        document.get(key), dict) else {}, value)
                else:
                    document[key] = value
            return document

        async def steps(client):
            first = json.loads(await client.recv())
            self.assertEqual(first["type"], "state")
            state = first["state"]
            jsonschema.validate(state, resolved(OPENAPI["components"]["schemas"]["State"]))
            await asyncio.to_thread(self.ask, "POST", "/api/v1/links/1/down", None,
                                    self.node.operate)
            events = []
            while state["links"]["1"].get("enabled", True) or not events:
                message = json.loads(await client.recv())
                if message["type"] == "patch":
                    state = patched(state, message["patch"])
                else:
                    events += message["events"]
            jsonschema.validate(state, resolved(OPENAPI["components"]["schemas"]["State"]))
            self.assertTrue(any("link down 1" in event["text"] for event in events), events)
            await client.send('{"rate":2}')
            while json.loads(await client.recv())["type"] != "state":
                pass
            await asyncio.to_thread(self.ask, "POST", "/api/v1/links/1/up", None,
                                    self.node.operate)

        asyncio.run(self.listen(steps))

    def test_clients_with_unknown_messages_are_disconnected(self):
        async def say(client, what):
            await client.send(what)
            while True:
                await client.recv()

        for what, code in (("hello", 1008), ('{"rate":11}', 1008), (b"x", 1003)):
            with self.subTest(what=what):
                with self.assertRaises(websockets.exceptions.ConnectionClosed) as closed:
                    asyncio.run(self.listen(lambda client, what=what: say(client, what)))
                self.assertEqual(closed.exception.rcvd.code, code)


class Page(unittest.TestCase):
    """The log names the dashboard only where there is one."""

    def started(self, folder):
        node = Node(api={"webui": str(folder)})
        self.addCleanup(node.end)
        line = next(line for line in node.program.err_kept if node.url in line)
        return node.ask("GET", "/")[0], line

    def test_the_log_names_what_there_is(self):
        with tempfile.TemporaryDirectory(prefix="farlink-page-") as folder:
            status, line = self.started(folder)
            self.assertEqual(status, 404)
            self.assertIn(" the API is at http://", line)
            self.assertNotIn("dashboard", line)
            (pathlib.Path(folder) / "index.html").write_text("<!doctype html>")
            status, line = self.started(folder)
            self.assertEqual(status, 200)
            self.assertIn(" the dashboard and the API are at http://", line)


if __name__ == "__main__":
    main(__doc__)
