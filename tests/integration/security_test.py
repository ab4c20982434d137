#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three nodes with rules of BPSec: a source, a verifier and an acceptor. What arrives is what was
sent; what was changed on its way, or is not signed, does not arrive; keys change while they run.

Usage: security_test.py --build FOLDER [unittest arguments]
"""
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import unittest

from api_node import LIMIT_S, Node, main
from reloaded_node import Reloaded, until

MANY = 400


class Sink:
    """Takes bundles by STCP."""

    def __init__(self):
        self.bundles = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.read, args=(connection,), daemon=True).start()

    def read(self, connection):
        with connection, connection.makefile("rb") as stream:
            while len(size := stream.read(4)) == 4:
                if length := struct.unpack(">I", size)[0]:
                    self.bundles.append(stream.read(length))

    def end(self):
        self.listener.close()


def send(port, bundles):
    with socket.create_connection(("127.0.0.1", port), LIMIT_S) as out:
        for bundle in bundles:
            out.sendall(struct.pack(">I", len(bundle)) + bundle)


def control(*words):
    return subprocess.run([f"{Node.programs}/farlinkctl", "security", *map(str, words)],
                          capture_output=True, text=True, timeout=LIMIT_S, check=False)


class Keys:
    """A key file that nodes share."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="farlink-keys-")
        self.file = pathlib.Path(self.folder.name) / "mission.key"

    def make(self, key, algorithm="hmac-sha256"):
        made = control("keys", "make", self.file, key, "--algorithm", algorithm)
        if made.returncode != 0:
            raise AssertionError(made.stderr)


def rule(role, keys, context="bib-hmac-sha2", targets=("payload", "primary"), **more):
    return {"name": f"{role} {context}", "role": role, "context": context, "keys": keys,
            "targets": list(targets), "required": True, **more}


def node(number, gateway, port, keys, rules):
    settings = {"myNodeId": number, "inductsConfig": [{"url": "stcp://127.0.0.1:0"}],
                "outductsConfig": [{"url": f"stcp://127.0.0.1:{port}", "nextHopNodeId": gateway}],
                "routing": {"defaultGateway": gateway}}
    if rules:
        settings["security"] = {"keyStore": str(keys.file), "default": "drop", "rules": rules}
    return Reloaded(settings)


def counter(of, name):
    """At its end a node prints its counters; while it runs the state has sums."""
    return of.ask("show", path="/api/v1/state")["flow"].get(name, 0)


def generate(port, bundles, size=100, *more):
    made = subprocess.run(
        [f"{Node.programs}/bpgen", "--from", "ipn:1.1", "--to", "ipn:40.1", "--via",
         f"stcp://127.0.0.1:{port}", "--bundles", str(bundles), "--bundle-size", str(size),
         *map(str, more)],
        capture_output=True, text=True, timeout=3 * LIMIT_S, check=False)
    if made.returncode != 0:
        raise AssertionError(made.stderr)


class Checker:
    """bpsink, which verifies and decrypts what arrives."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [f"{Node.programs}/bpsink", "--eid", "ipn:40.1", "--listen", "stcp://127.0.0.1:0",
             "--until-complete", "--json", *map(str, options)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.port = int(self.process.stderr.readline().rsplit(":", 1)[1])

    def report(self):
        try:
            out, _ = self.process.communicate(timeout=3 * LIMIT_S)
        finally:
            self.process.kill()
        report = json.loads(out)
        if report["ok"] != (self.process.returncode == 0):
            raise AssertionError(f"exit code {self.process.returncode}: {out}")
        return report


class SecurityTest(unittest.TestCase):
    def setUp(self):
        self.keys = Keys()
        self.keys.make("k1")
        self.sink = Sink()
        self.nodes = []

    def tearDown(self):
        for each in reversed(self.nodes):
            each.end()
        self.sink.end()
        self.keys.folder.cleanup()

    def node(self, *settings):
        made = node(*settings)
        self.nodes.append(made)
        return made

    def arrived(self, count, what):
        until(lambda: len(self.sink.bundles) >= count, f"{what}: {len(self.sink.bundles)} arrived")

    def chain(self, rules_of_source, rules_of_verifier, rules_of_acceptor):
        acceptor = self.node(30, 40, self.sink.port, self.keys, rules_of_acceptor)
        verifier = self.node(20, 30, acceptor.ports[0], self.keys, rules_of_verifier)
        source = self.node(10, 20, verifier.ports[0], self.keys, rules_of_source)
        return source, verifier, acceptor

    def test_what_is_signed_arrives_and_nothing_else(self):
        signed = Sink()
        # The verifier's own neighbour takes what it lets through.
        verifier = self.node(20, 40, self.sink.port, self.keys, [rule("verifier", ["k1"])])
        source = self.node(10, 20, signed.port, self.keys, [rule("source", ["k1"])])
        plain = Sink()
        passing = self.node(11, 20, plain.port, self.keys, [])
        generate(source.ports[0], 3)
        generate(passing.ports[0], 1)
        until(lambda: len(signed.bundles) == 3 and plain.bundles, "the source passes bundles on")
        good, tampered = signed.bundles[0], []
        for at in range(1, len(good)):
            tampered.append(good[:at] + bytes([good[at] ^ 1 << at % 8]) + good[at + 1:])
        for bundle in tampered:  # one that is malformed may end a session
            send(verifier.ports[0], [bundle])
        send(verifier.ports[0], [plain.bundles[0], good])
        self.arrived(1, "the good bundle")
        until(lambda: counter(verifier, "receivedBundles") >= len(tampered) + 2, "all are received")
        # A change in what the node itself may change, the hop count among it, is none.
        def content(bundle):
            return bundle[-60:]
        for bundle in self.sink.bundles:
            self.assertEqual(content(bundle), content(good))
        self.assertIn('fails the rule "verifier bib-hmac-sha2"', verifier.log())
        signed.end()
        plain.end()

    def test_signed_and_encrypted_all_the_way(self):
        self.keys.make("c1", "aes-256-gcm")
        sign = rule("source", ["k1"])
        seal = rule("source", ["c1"], "bcb-aes-gcm", ["payload"])
        source, verifier, _ = self.chain(
            [sign, seal], [rule("verifier", ["c1"], "bcb-aes-gcm", ["payload"])],
            [rule("acceptor", ["k1"]), rule("acceptor", ["c1"], "bcb-aes-gcm", ["payload"])])
        for size in (48, 5000, 300_000):
            before = len(self.sink.bundles)
            generate(source.ports[0], 20, size)
            self.arrived(before + 20, f"{size} octets")
            self.assertGreater(len(self.sink.bundles[-1]), size)
        self.assertEqual(counter(verifier, "deletedBundles"), 0)
        # The acceptor's neighbour gets bundles without any security block.
        plain = Sink()
        passing = self.node(11, 20, plain.port, self.keys, [])
        generate(passing.ports[0], 1)
        until(lambda: plain.bundles, "a plain bundle")
        self.assertLess(abs(len(self.sink.bundles[0]) - len(plain.bundles[0])), 60)
        plain.end()

    def test_keys_change_while_bundles_pass(self):
        source, verifier, acceptor = self.chain(
            [rule("source", ["k1"])], [rule("verifier", ["k1"])], [rule("acceptor", ["k1"])])

        def reload(of, role, *keys):
            of.changed(security={**of.config["security"], "rules": [rule(role, list(keys))]})

        sender = threading.Thread(target=generate, args=(source.ports[0], 50 * MANY))
        sender.start()
        self.arrived(MANY, "with the first key")
        self.keys.make("k2")
        for of, role in ((acceptor, "acceptor"), (verifier, "verifier")):
            reload(of, role, "k2", "k1")
        self.arrived(len(self.sink.bundles) + MANY, "with both keys accepted")
        reload(source, "source", "k2")
        sender.join()
        self.arrived(50 * MANY, "all")
        for of, role in ((acceptor, "acceptor"), (verifier, "verifier")):
            reload(of, role, "k2")
        generate(source.ports[0], MANY)
        self.arrived(51 * MANY, "with the second key")
        self.assertEqual(len(self.sink.bundles), 51 * MANY)
        for of in (source, verifier, acceptor):
            self.assertEqual(counter(of, "deletedBundles"), 0)

    def test_a_retired_key_ends_with_the_reload(self):
        verifier = self.node(20, 40, self.sink.port, self.keys, [rule("verifier", ["k1"])])
        source = self.node(10, 20, verifier.ports[0], self.keys, [rule("source", ["k1"])])
        generate(source.ports[0], 1)
        self.arrived(1, "with the key")
        self.assertEqual(control("keys", "retire", self.keys.file, "k1").returncode, 0)
        self.assertEqual([each["path"] for each in verifier.reload()["changed"]],
                         ["security.keyStore"])
        generate(source.ports[0], 5)
        until(lambda: counter(verifier, "deletedBundles") == 5, "no key verifies them")
        self.assertEqual(len(self.sink.bundles), 1)

    def test_a_reload_with_bad_keys_changes_nothing(self):
        verifier = self.node(20, 40, self.sink.port, self.keys, [rule("verifier", ["k1"])])
        source = self.node(10, 20, verifier.ports[0], self.keys, [rule("source", ["k1"])])
        os.chmod(self.keys.file, 0o644)
        refused = verifier.reload()
        self.assertFalse(refused["ok"])
        self.assertIn("0600", str(refused))
        os.chmod(self.keys.file, 0o600)
        generate(source.ports[0], 3)
        self.arrived(3, "with the former keys")

    def test_tools_send_and_check_what_nodes_do(self):
        self.keys.make("c1", "aes-128-gcm")
        file = self.keys.file
        sealed = ("--sign", f"{file}:k1", "--encrypt", f"{file}:c1")
        checks = ("--verify", file, "--decrypt", f"{file}:c1")
        checker = Checker(*checks)
        verifier = self.node(20, 40, checker.port, self.keys,
                             [rule("verifier", ["c1"], "bcb-aes-gcm", ["payload"])])
        generate(verifier.ports[0], 30, 5000, *sealed)
        report = checker.report()
        self.assertTrue(report["ok"], report)
        self.assertEqual(report["security"], {"verified": 30, "decrypted": 30, "failed": 0,
                                              "missing": 0, "faults": {}})
        # A node accepts what bpgen has made.
        acceptor = self.node(30, 40, self.sink.port, self.keys,
                             [rule("acceptor", ["k1"]),
                              rule("acceptor", ["c1"], "bcb-aes-gcm", ["payload"])])
        generate(acceptor.ports[0], 30, 5000, *sealed)
        self.arrived(30, "accepted")

    def test_tools_miss_what_is_not_there(self):
        self.keys.make("k2")
        checker = Checker("--verify", f"{self.keys.file}:k1")
        generate(checker.port, 5)
        self.assertEqual(checker.report()["security"]["missing"], 5)
        checker = Checker("--verify", f"{self.keys.file}:k1")
        generate(checker.port, 5, 100, "--sign", f"{self.keys.file}:k2")
        report = checker.report()
        self.assertFalse(report["ok"])
        self.assertEqual(report["security"]["failed"], 5)
        self.assertEqual(report["security"]["faults"], {"mismatch": 10})

    def test_the_check_names_what_is_wrong(self):
        folder = pathlib.Path(self.keys.folder.name)
        shutil.copy(self.keys.file, folder / "copy.key")

        def check(security):
            (folder / "node.json").write_text(json.dumps(
                {"myNodeId": 10, "inductsConfig": [{"url": "stcp://127.0.0.1:0"}],
                 "storageConfig": {"storeFilePath": "store"}, "security": security}))
            done = subprocess.run([f"{Node.programs}/farlink", "--check", "--config",
                                   str(folder / "node.json")], capture_output=True, text=True,
                                  timeout=LIMIT_S, check=False)
            return done.returncode, done.stdout + done.stderr

        self.assertEqual(check({"keyStore": "copy.key", "default": "drop",
                                "rules": [rule("verifier", ["k1"])]})[0], 0)
        code, text = check({"keyStore": "copy.key", "default": "drop",
                            "rules": [rule("verifier", ["gone"])]})
        self.assertEqual(code, 2)
        self.assertIn("security.rules[0].keys: found no key gone", text)
        code, text = check({"keyStore": "copy.key"})
        self.assertEqual(code, 0)
        self.assertIn("warning: security.rules: no rules", text)
        code, text = check({"keyStore": "copy.key", "rules": [rule("verifier", ["k1"])]})
        self.assertEqual(code, 2)
        self.assertIn("security.default", text)


if __name__ == "__main__":
    main(__doc__)
