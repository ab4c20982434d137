#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dtn7 (dtn7-rs), a node in Rust: TCPCLv4, MTCP and UDP; ipn and dtn node ids.

dtnd -n 2 (or a name: dtn://NAME/) -w WEB -4 -i 0 -C LAYER:port=PORT:bind=ADDRESS
     -s LAYER://ADDRESS:PORT/NODE   a peer; NODE is `10` for ipn:10.0, a name for dtn://NAME/
     -r static -R static.routes=FILE   lines of `number source destination next-hop`, with globs
     -j 1s   how often it tries again what it could not send
The layer `tcp` is TCPCLv4; it connects when it has something to send. HTTP at WEB:
  GET /register?EID  GET /endpoint?EID (a bundle or "Nothing to receive")
  POST /send?dst=EID (the payload, up to 2 MB)  GET /status/peers

Departures:
- no CRC in any block of the bundles that it makes (RFC 9171 section 4.3.1: in the primary block);
- XFER_ACK has no flags (RFC 9174 section 5.2.3: those of the segment);
- it announces transfers of at most 64,000 octets, and accepts any: farlink respects the limit;
- MTCP: a bundle must end in 0xff (an array of indefinite length), so an empty keepalive, or a
  bundle in an array of definite length, ends its connection;
- no bundle of fewer than 10 octets, no endpoint of three ipn elements.
"""

import sys
import urllib.error
import urllib.request

import support
from support import (APPLICATION, LOCALHOST, NODE, PEER, PEERS, SIZES, check, free_port, payload_of,
                     wait_for)

support.enter_python()
from pyd3tn.bundle7 import Bundle, CRCType, serialize_bundle7  # noqa: E402
from pyd3tn.mtcp import MTCPConnection  # noqa: E402

LARGEST_BY_HTTP = 2_000_000


LAYERS = {"tcp": "tcpclv4", "mtcp": "mtcp", "udp": "udp"}  # its name, ours


class Dtnd:
    """The daemon with an application at ipn:2.1 and a route to node 1 through farlink. `reaches`:
    the port at which it reaches farlink by itself."""

    def __init__(self, case, layer, node_id, reaches=None):
        self.web, self.mtcp, self.port = free_port(), free_port(), free_port()
        self.endpoint = f"ipn:{PEER}.1"
        routes = case.folder / "routes"
        routes.write_text(f"1 ** ipn:{APPLICATION}.* ipn:{NODE}.0\n")
        arguments = ["-n", node_id, "-w", self.web, "-4", "-i", "0", "-j", "1s", "-p", "1h",
                     "-r", "static", "-R", f"static.routes={routes}", "-W", case.folder,
                     "-C", f"mtcp:port={self.mtcp}:bind={LOCALHOST}"]
        if layer == "mtcp":
            self.port = self.mtcp
        else:
            arguments += ["-C", f"{layer}:port={self.port}:bind={LOCALHOST}"]
        if reaches is not None:
            arguments += ["-s", f"{layer}://{LOCALHOST}:{reaches}/{NODE}"]
        self.process = case.start("dtnd", [PEERS / "dtn7/bin/dtnd", *arguments])
        wait_for("dtnd to answer", lambda: self.get("/status/nodeid"))
        self.get(f"/register?{self.endpoint}")

    def get(self, path, data=None):
        try:
            with urllib.request.urlopen(f"http://{LOCALHOST}:{self.web}{path}", data,
                                        timeout=20) as answer:
                return answer.read()
        except (urllib.error.URLError, OSError):
            return None

    def knows_farlink(self):
        return (self.get("/status/peers") or b"{}").strip() != b"{}"

    def send(self, payload):
        """A bundle to node 1: its own, or one that it forwards when that is too large for HTTP."""
        if len(payload) <= LARGEST_BY_HTTP:
            check(self.get(f"/send?dst=ipn:{APPLICATION}.1", payload), "dtnd accepted no payload")
            return
        with MTCPConnection(LOCALHOST, self.mtcp) as connection:
            connection.send_bundle(serialize_bundle7(
                "ipn:3.1", f"ipn:{APPLICATION}.1", payload, crc_type_canonical=CRCType.NONE))

    def next(self):
        """The next bundle at its application."""
        def fetch():
            got = self.get(f"/endpoint?{self.endpoint}")
            return got if got and got != b"Nothing to receive" else None
        return wait_for("a bundle at dtnd's application", fetch)


def to_peer(application, dtnd, size):
    application.send(serialize_bundle7(
        f"ipn:{APPLICATION}.1", dtnd.endpoint, payload_of(size), hop_limit=20,
        crc_type_canonical=CRCType.CRC32 if size < 10_000 else CRCType.NONE))
    bundle = Bundle.parse(dtnd.next())
    check(bundle.payload_block.data == payload_of(size), f"another payload of {size} octets")


def from_peer(application, dtnd, size):
    dtnd.send(payload_of(size))
    bundle = Bundle.parse(application.next(f"{size} octets from dtnd"))
    check(bundle.payload_block.data == payload_of(size), f"another payload of {size} octets")


def exchange(layer, node_id, farlink_opens, peer_opens, limit_to, limit_from=SIZES[-1]):
    """Bundles of all sizes up to the limits, both ways. A TCPCLv4 session carries both directions;
    otherwise each side opens its own."""
    def case_function(case):
        application = case.application()
        port = free_port()
        dtnd = Dtnd(case, layer, node_id, port if peer_opens else None)
        inducts = [{"url": f"stcp://{LOCALHOST}:0"}]
        outducts = [application.outduct()]
        neighbour = {"nodeId": PEER, "address": LOCALHOST}
        if node_id != str(PEER):
            neighbour["peerNodeId"] = f"dtn://{node_id}/"
        if peer_opens:
            inducts.append({"url": f"{LAYERS[layer]}://{LOCALHOST}:{port}"})
            if layer == "tcp":
                inducts[-1]["neighbours"] = [neighbour]
        if farlink_opens:
            outducts.append({"url": f"{LAYERS[layer]}://{LOCALHOST}:{dtnd.port}",
                             "nextHopNodeId": PEER, "reconnectMaxMilliseconds": 200})
            if layer == "tcp" and "peerNodeId" in neighbour:
                outducts[-1]["peerNodeId"] = neighbour["peerNodeId"]
        node = case.node(inducts, outducts)
        application.connect(node.ports[0])
        if not peer_opens:
            wait_for("farlink among dtnd's peers", dtnd.knows_farlink)
        bundles = 0
        for size in SIZES:
            if size <= limit_from:
                from_peer(application, dtnd, size)
            if size <= limit_to:
                to_peer(application, dtnd, size)
            bundles += (size <= limit_from) + (size <= limit_to)
        node.wait_for_delivery(bundles)
        case.note_departures(node)
        if layer == "tcp":
            wait_for("its XFER_ACKs to be counted", lambda: "ack_flags_differ" in node.departures())
        node.stop()
    return case_function


if __name__ == "__main__":
    large, transfer, datagram = SIZES[-1], 60_000, 60_000
    sys.exit(support.run("dtn7", [
        ("TCPCLv4, farlink opens, ipn node id, 1 B to 60 kB there, 10 MB back",
         exchange("tcp", "2", True, False, transfer)),
        ("TCPCLv4, farlink opens, dtn node id",
         exchange("tcp", "seven", True, False, transfer)),
        ("TCPCLv4, dtnd opens, ipn node id",
         exchange("tcp", "2", False, True, transfer)),
        ("TCPCLv4, dtnd opens, dtn node id",
         exchange("tcp", "seven", False, True, transfer)),
        ("MTCP, 1 B to 10 MB", exchange("mtcp", "2", True, True, large)),
        ("MTCP, dtn node id", exchange("mtcp", "seven", True, True, large)),
        ("UDP, 1 B to 60 kB", exchange("udp", "2", True, True, datagram, datagram))]))
