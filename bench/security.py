# SPDX-License-Identifier: Apache-2.0
"""Rules and keys of BPSec for the cases that have some, a flood of signatures that fail, and keys
that change under load."""

import json
import os
import socket
import struct
import threading
import time

from fragments import DTN_EPOCH_S, LIFETIME_MS, cbor, rate
from programs import END_LIMIT_S, Program, RunFailed
from stores import reserved_port

KEYS = {"sign-1": "hmac-sha256", "sign-2": "hmac-sha256", "seal-1": "aes-128-gcm"}
RULES = 1000  # that match nothing
FLOOD_BUNDLES = 1000  # of one write
ROTATION_S = 0.2
RELOAD_LIMIT_S = 20
DRAIN_LIMIT_S = 60

INTEGRITY_BLOCK = 11
HMAC_SHA2 = 1
HAS_PARAMETERS = 1
SHA_VARIANT, SCOPE_FLAGS = 1, 3
HMAC_256, WHOLE_SCOPE = 5, 7


def rule(role, keys, context="bib-hmac-sha2", targets=("primary", "payload"), **more):
    return {"name": f"{role} {context}", "role": role, "context": context, "keys": list(keys),
            "targets": list(targets), "required": True, **more}


VERIFIER = (rule("verifier", ["sign-1"], destination="ipn:2.*"),)
DECRYPTS = (rule("acceptor", ["seal-1"], "bcb-aes-gcm", ["payload"], destination="ipn:2.*"),)
SIGNS = (rule("source", ["sign-1"], destination="ipn:2.*"),)
NO_MATCH = tuple(rule("verifier", ["sign-1"], name=f"rule {number}",
                      destination=f"ipn:{1000 + number}.*") for number in range(RULES))


def key_file(bench):
    """The keys of all cases, made once."""
    path = os.path.join(bench.folder, "bench.key")
    if not os.path.exists(path):
        for key, algorithm in KEYS.items():
            make = Program(bench.program("farlinkctl"), "security", "keys", "make", path, key,
                           "--algorithm", algorithm)
            make.expect_success(END_LIMIT_S)
    return path


def section(bench, rules):
    """The section `security` of the router."""
    return {"keyStore": key_file(bench), "default": "pass", "rules": list(rules)}


def key_options(bench, options):
    """Options of a tool, with the file of the keys: {"--sign": "sign-1"}."""
    return [word for option, key in options.items()
            for word in (option, f"{key_file(bench)}:{key}" if key else key_file(bench))]


def unsigned_flood():
    """BPv7 bundles to ipn:2.1 with integrity values that no key gives, framed for STCP."""
    def ipn(node, service):
        return [2, [node, service]]
    created_ms = int((time.time() - DTN_EPOCH_S) * 1000)
    octets = b""
    for sequence in range(FLOOD_BUNDLES):
        primary = [7, 0, 0, ipn(2, 1), ipn(3, 1), ipn(3, 0), [created_ms, sequence], LIFETIME_MS]
        parameters = [[SHA_VARIANT, HMAC_256], [SCOPE_FLAGS, WHOLE_SCOPE]]
        value = [[1, os.urandom(32)]]
        block = b"".join(cbor(item) for item in ([0, 1], HMAC_SHA2, HAS_PARAMETERS, ipn(3, 0),
                                                 parameters, [value, value]))
        bundle = (b"\x9f" + cbor(primary) + cbor([INTEGRITY_BLOCK, 2, 0, 0, block])
                  + cbor([1, 1, 0, 0, bytes(100)]) + b"\xff")
        octets += struct.pack(">I", len(bundle)) + bundle
    return octets


class Flood:
    """Sends as much as the router takes, from another thread."""

    def __init__(self, port):
        self.sent = 0
        self.ended = threading.Event()
        self.peer = socket.create_connection(("127.0.0.1", port))
        self.peer.settimeout(0.1)
        self.thread = threading.Thread(target=self.send, daemon=True)
        self.thread.start()

    def send(self):
        octets = memoryview(unsigned_flood())
        at = 0
        while not self.ended.is_set():
            try:
                at += self.peer.send(octets[at:])
            except TimeoutError:
                continue
            except OSError:
                return
            if at == len(octets):
                at = 0
                self.sent += FLOOD_BUNDLES

    def end(self):
        self.ended.set()
        self.thread.join(END_LIMIT_S)
        self.peer.close()


def run_flood(bench, case):
    """The rate of a good link through a verifier, alone and beside a flood of another sender."""
    router = flood = None
    try:
        sink_port = reserved_port()
        router, port = bench.start_router(case, sink_port)
        without = rate(bench, case, port, sink_port)
        flood = Flood(port)
        began = time.monotonic()
        beside = rate(bench, case, port, sink_port)
        flooded = flood.sent / (time.monotonic() - began)
        flood.end()
        flood = None
        if flooded == 0:
            raise router.failure("takes nothing of the flood")
        return {"bundles_per_second": beside, "flood_per_second": flooded,
                "ratio_to_without": beside / without, "ok": True}
    finally:
        if flood:
            flood.end()
        if router:
            router.kill()


class Rotation:
    """Exchanges the key of the source's rule by reloads, until it ends."""

    def __init__(self, folder):
        self.control = os.path.join(folder, "control")
        self.path = os.path.join(folder, "node.json")
        self.reloads = 0
        self.failure = None
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.rotate, daemon=True)
        self.thread.start()

    def rotate(self):
        with open(self.path, encoding="ascii") as file:
            config = json.load(file)
        while not self.ended.wait(ROTATION_S) and not self.failure:
            key = "sign-2" if self.reloads % 2 == 0 else "sign-1"
            for each in config["security"]["rules"]:
                each["keys"] = [key]
            with open(self.path + ".new", "w", encoding="ascii") as file:
                json.dump(config, file)
            os.replace(self.path + ".new", self.path)
            reply = self.reload()
            if not reply["ok"]:
                self.failure = json.dumps(reply)
            self.reloads += reply["ok"]

    def reload(self):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(RELOAD_LIMIT_S)
            client.connect(self.control)
            client.sendall(b'{"command": "reload"}\n')
            with client.makefile("rb") as reply:
                return json.loads(reply.readline())

    def end(self):
        self.ended.set()
        self.thread.join(RELOAD_LIMIT_S + END_LIMIT_S)
        if self.failure:
            raise RunFailed(f"reload: {self.failure}")


def run_rotation(bench, case):
    """A source signs with keys that change; each bundle has to be signed by one of them."""
    folder = bench.run_folder()
    sink = router = generator = rotation = None
    try:
        sink, sink_port = bench.start_sink(case)
        router, port = bench.start_router(case, sink_port, folder)
        bench.wait_for_link(case, sink)
        generator = bench.start_generator(case, port)
        rotation = Rotation(folder)
        generator.expect_success(bench.duration_s + DRAIN_LIMIT_S)
        rotation.end()
        sink.wait(DRAIN_LIMIT_S)
        result = sink.line("out", json.loads, END_LIMIT_S)
        security = result["security"]
        result["reloads"] = rotation.reloads
        result["unverified"] = result["received"] - security["verified"]
        result["ok"] = result["ok"] and rotation.reloads > 0
        return result
    finally:
        if rotation:
            rotation.ended.set()
        for program in (generator, router, sink):
            if program:
                program.kill()
