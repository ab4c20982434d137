# SPDX-License-Identifier: Apache-2.0
"""Incomplete sets of fragments: their memory, and what they cost other traffic."""

import json
import socket
import struct
import time

from programs import RunFailed
from stores import reserved_port

SETS = 100_000
STORED_LIMIT_S = 120
PAYLOAD = bytes(50)
TOTAL_BYTES = 1_000
IS_FRAGMENT = 1
LIFETIME_MS = 3_600_000
DTN_EPOCH_S = 946_684_800


def cbor_head(major, value):
    if value < 24:
        return bytes([major << 5 | value])
    for code, form in ((24, ">B"), (25, ">H"), (26, ">I"), (27, ">Q")):
        if value < 1 << 8 * struct.calcsize(form):
            return bytes([major << 5 | code]) + struct.pack(form, value)
    raise ValueError(value)


def cbor(value):
    if isinstance(value, int):
        return cbor_head(0, value)
    if isinstance(value, bytes):
        return cbor_head(2, len(value)) + value
    return cbor_head(4, len(value)) + b"".join(cbor(item) for item in value)


def first_fragment(sequence, created_ms):
    """A BPv7 bundle (RFC 9171 section 4.3): the first octets of a data unit to ipn:3.1."""
    def ipn(node, service):
        return [2, [node, service]]
    primary = [7, IS_FRAGMENT, 0, ipn(3, 1), ipn(1, 1), ipn(1, 0), [created_ms, sequence],
               LIFETIME_MS, 0, TOTAL_BYTES]
    payload = [1, 1, 0, 0, PAYLOAD]
    return b"\x9f" + cbor(primary) + cbor(payload) + b"\xff"


def send_sets(port):
    """One fragment of each bundle, by STCP."""
    created_ms = int((time.time() - DTN_EPOCH_S) * 1000)
    with socket.create_connection(("127.0.0.1", port)) as peer:
        for first in range(0, SETS, 1000):
            octets = b""
            for sequence in range(first, first + 1000):
                bundle = first_fragment(sequence, created_ms)
                octets += struct.pack(">I", len(bundle)) + bundle
            peer.sendall(octets)


def wait_for_sets(router, counters_of):
    deadline = time.monotonic() + STORED_LIMIT_S
    while time.monotonic() < deadline:
        counters = router.line("out", counters_of, STORED_LIMIT_S)
        if counters.get("storage_fragment_sets_incomplete", 0) >= SETS:
            return
    raise RunFailed(f"the router does not hold {SETS} sets after {STORED_LIMIT_S} s")


def rate(bench, case, port, sink_port):
    """Bundles a second that arrive at a sink."""
    sink, _ = bench.start_sink(case, sink_port)
    generator = None
    try:
        bench.wait_for_link(case, sink)
        generator = bench.start_generator(case, port)
        generator.expect_success(bench.duration_s + STORED_LIMIT_S)
        sink.wait(STORED_LIMIT_S)
        return sink.line("out", json.loads, STORED_LIMIT_S)["bundles_per_second"]
    finally:
        for program in (generator, sink):
            if program:
                program.kill()


def run_sets(bench, case, counters_of):
    """The rate of other bundles through one router, without the sets and beside them."""
    router = None
    try:
        sink_port = reserved_port()
        router, port = bench.start_router(case, sink_port)
        without = rate(bench, case, port, sink_port)
        before_mb = router.rss_mb()
        send_sets(port)
        wait_for_sets(router, counters_of)
        held_mb = router.rss_mb()
        beside = rate(bench, case, port, sink_port)
        return {"bundles_per_second": beside, "bytes_per_set": (held_mb - before_mb) * 1e6 / SETS,
                "ratio_to_without": beside / without, "ok": True}
    finally:
        if router:
            router.kill()
