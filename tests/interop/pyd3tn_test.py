#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pyD3TN: BPv7 and BPv6 codec, TCPCLv3 and MTCP in Python.

It is a library of sockets that send and receive one bundle after the other; used in this process.

Departures:
- TCPCLv3: it accepts a bundle in one DATA_SEGMENT only, no keepalive and no acknowledgement, and
  expects the contact header in one piece and alone; it requests none of these. farlink sends it
  one segment per bundle (`maxSegmentBytes` above the largest bundle);
- SHUTDOWN without flags when it ends, and the connection is closed at once;
- MTCP: it treats an empty byte string (a keepalive) as a bundle without octets;
- BPv7: CRCs are read and not checked; BPv6: made, not read.
"""

import socket
import sys
import time

import support
from support import APPLICATION, LOCALHOST, NODE, PEER, SIZES, check, payload_of

support.enter_python()
from pyd3tn.bundle6 import serialize_bundle6  # noqa: E402
from pyd3tn.bundle7 import Bundle, BundleProcFlag, CRCType, serialize_bundle7  # noqa: E402
from pyd3tn.mtcp import MTCPConnection, MTCPSocket  # noqa: E402
from pyd3tn.tcpcl import (TCPCLConnection, decode_tcpcl_contact_header,  # noqa: E402
                          serialize_tcpcl_contact_header)

HERE, THERE = f"ipn:{APPLICATION}.1", f"ipn:{PEER}.1"
TIMEOUT_S = 30


def bundle7(source, destination, size):
    return serialize_bundle7(
        source, destination, payload_of(size), hop_limit=20,
        crc_type_canonical=CRCType.CRC32 if size < 10_000 else CRCType.NONE)


class AcceptedTcpcl(TCPCLConnection):
    """Its TCPCLv3 as the passive side, which the library supports for whole chunks only."""

    def __init__(self, connection, eid=THERE):
        self.sock, self.timeout = connection, TIMEOUT_S
        self.header = decode_tcpcl_contact_header(connection.recv(1024))
        connection.sendall(serialize_tcpcl_contact_header(eid))


def listen():
    listener = socket.create_server((LOCALHOST, 0))
    listener.settimeout(TIMEOUT_S)
    return listener, listener.getsockname()[1]


def outduct(scheme, port):
    link = {"url": f"{scheme}://{LOCALHOST}:{port}", "nextHopNodeId": PEER,
            "reconnectMaxMilliseconds": 200}
    if scheme == "tcpclv3":
        link.update({"maxSegmentBytes": 2 * SIZES[-1], "keepAliveIntervalSeconds": 0})
    return link


def finish(case, node, bundles):
    node.wait_for_delivery(bundles)
    case.note_departures(node)
    node.stop()


def sends(scheme, connect):
    """pyD3TN connects and sends; the application receives the bundles."""
    def case_function(case):
        application = case.application()
        node = case.node([{"url": f"{scheme}://{LOCALHOST}:0"}], [application.outduct()])
        with connect(node.ports[0]) as connection:
            for size in SIZES:
                connection.send_bundle(bundle7(THERE, HERE, size))
                got = Bundle.parse(application.next(f"{size} octets"))
                check(got.payload_block.data == payload_of(size), f"other {size} octets came")
                connection.send_bundle(serialize_bundle6(THERE, HERE, payload_of(size)))
                check(payload_of(size) in application.next(f"{size} octets of BPv6"),
                      f"other {size} octets of BPv6 came")
        finish(case, node, 2 * len(SIZES))
    return case_function


def receives(scheme, accept):
    """farlink connects; pyD3TN receives the bundles of the application."""
    def case_function(case):
        application = case.application()
        listener, port = listen()
        with listener:
            node = case.node([{"url": f"stcp://{LOCALHOST}:0"}], [outduct(scheme, port)])
            application.connect(node.ports[0])
            connection = accept(listener.accept()[0])
            for size in SIZES:
                application.send(bundle7(HERE, THERE, size))
                got = Bundle.parse(connection.recv_bundle())
                check(got.payload_block.data == payload_of(size), f"other {size} octets came")
                application.send(serialize_bundle6(HERE, THERE, payload_of(size)))
                check(payload_of(size) in connection.recv_bundle(),
                      f"other {size} octets of BPv6 came")
            finish(case, node, 2 * len(SIZES))
            connection.disconnect()
    return case_function


def both_ways(case):
    """One TCPCLv3 session that pyD3TN opens, both directions."""
    application = case.application()
    node = case.node(
        [{"url": f"stcp://{LOCALHOST}:0"},
         {"url": f"tcpclv3://{LOCALHOST}:0", "maxSegmentBytes": 2 * SIZES[-1],
          "neighbours": [{"nodeId": PEER, "address": LOCALHOST}]}], [application.outduct()])
    application.connect(node.ports[0])
    connection = TCPCLConnection(f"ipn:{PEER}.0", LOCALHOST, node.ports[1], TIMEOUT_S)
    header = connection.connect()
    check(header["eid"] == f"ipn:{NODE}.0", f"farlink says {header}")
    for size in SIZES:
        connection.send_bundle(bundle7(THERE, HERE, size))
        got = Bundle.parse(application.next(f"{size} octets"))
        check(got.payload_block.data == payload_of(size), f"other {size} octets came")
        application.send(bundle7(HERE, THERE, size))
        got = Bundle.parse(connection.recv_bundle())
        check(got.payload_block.data == payload_of(size), f"other {size} octets came back")
    connection.disconnect()
    finish(case, node, 2 * len(SIZES))


FRAGMENT_BYTES = 64_000
LARGE = 3_000_000


def sends_fragments(case):
    """pyD3TN sends fragments, the last one first; the application receives the whole bundle."""
    application = case.application()
    node = case.node([{"url": f"mtcp://{LOCALHOST}:0"}], [application.outduct()],
                     routing={"reassembleInTransit": [HERE]})
    payload = payload_of(LARGE)
    created = int(time.time())
    with MTCPConnection(LOCALHOST, node.ports[0], TIMEOUT_S) as connection:
        for offset in reversed(range(0, LARGE, FRAGMENT_BYTES)):
            connection.send_bundle(serialize_bundle7(
                THERE, HERE, payload[offset:offset + FRAGMENT_BYTES],
                creation_timestamp=created, sequence_number=7, flags=BundleProcFlag.IS_FRAGMENT,
                fragment_offset=offset, total_adu_length=LARGE,
                hop_limit=20 if offset == 0 else None))
        got = Bundle.parse(application.next("the whole bundle"))
    check(not got.is_fragmented, "the application got a fragment")
    check(got.payload_block.data == payload, f"other {LARGE} octets came")
    whole = Bundle.parse(serialize_bundle7(THERE, HERE, payload, creation_timestamp=created,
                                           sequence_number=7))
    check(bytes(got.primary_block) == bytes(whole.primary_block), "another primary block")
    finish(case, node, 1)


def receives_fragments(case):
    """farlink cuts; pyD3TN receives fragments, and this test puts them together."""
    application = case.application()
    listener, port = listen()
    with listener:
        node = case.node([{"url": f"stcp://{LOCALHOST}:0"}], [outduct("mtcp", port)],
                         fragmentBundlesLargerThanBytes=FRAGMENT_BYTES)
        application.connect(node.ports[0])
        connection = MTCPSocket(listener.accept()[0], TIMEOUT_S)
        application.send(bundle7(HERE, THERE, LARGE))
        payload = b""
        while len(payload) < LARGE:
            octets = connection.recv_bundle()
            check(len(octets) <= FRAGMENT_BYTES, f"a fragment of {len(octets)} octets")
            got = Bundle.parse(octets)
            check(got.primary_block.fragment_offset == len(payload), "a fragment out of order")
            check(got.primary_block.total_payload_length == LARGE, "another total length")
            payload += got.payload_block.data
        check(payload == payload_of(LARGE), f"other {LARGE} octets came")
        finish(case, node, 1)
        connection.disconnect()


if __name__ == "__main__":
    sys.exit(support.run("pyd3tn", [
        ("TCPCLv3, pyD3TN sends, BPv6 and BPv7, 1 B to 10 MB",
         sends("tcpclv3", lambda port: TCPCLConnection(f"ipn:{PEER}.0", LOCALHOST, port,
                                                       TIMEOUT_S))),
        ("TCPCLv3, pyD3TN receives", receives("tcpclv3", AcceptedTcpcl)),
        ("TCPCLv3, both ways on its connection", both_ways),
        ("MTCP, pyD3TN sends, BPv6 and BPv7, 1 B to 10 MB",
         sends("mtcp", lambda port: MTCPConnection(LOCALHOST, port, TIMEOUT_S))),
        ("MTCP, pyD3TN receives",
         receives("mtcp", lambda connection: MTCPSocket(connection, TIMEOUT_S))),
        ("MTCP, pyD3TN sends 3 MB in fragments, farlink joins them", sends_fragments),
        ("MTCP, farlink cuts 3 MB, pyD3TN receives fragments", receives_fragments)]))
