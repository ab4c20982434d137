#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dtn7-go, a node in Go: TCPCLv4 and MTCP; dtn node ids only.

dtnd FILE.toml is all of its command line; the file is written below. It retries an unreachable
[[peer]] after ten seconds. Its REST interface, POST to /rest/...:
  register {"endpoint_id": EID} -> {"uuid": ...}     fetch {"uuid": ...} -> {"bundles": [...]}
  build {"uuid": ..., "arguments": {"destination": ..., "payload_block": TEXT, ...}}

Departures:
- an ipn service number 0 is invalid to it wherever it stands (RFC 9758 section 5.5: the node
  itself): SESS_INIT, source, report-to and Previous Node Block need a dtn node id, or it drops the
  bundle and, with MTCP, the connection;
- bundles must be arrays of indefinite length and their last block the payload, block types other
  than its own may occur once;
- XFER_SEGMENT: it writes and expects the length of the extension items in every segment and not
  only in the first (RFC 9174 section 5.2.2), so transfers of several segments cannot be exchanged;
  what comes out of a second one makes it crash. It takes segments of 1 MiB: larger bundles need
  MTCP. What it sends comes in one segment if `segmentMruBytes` allows;
- MTCP: an empty byte string every five seconds and behind each bundle;
- it ends a session on messages that it does not expect: MSG_REJECT, an XFER_ACK behind the last;
- it does without a bundle's remaining time: an XFER_ACK that takes ten seconds fails the transfer.
"""

import base64
import json
import sys
import urllib.request

import support
from support import (APPLICATION, LOCALHOST, PEER, PEERS, SIZES, accepts, check, free_port,
                     payload_of, wait_for)

support.enter_python()
from pyd3tn.bundle7 import Bundle, CRCType, serialize_bundle7  # noqa: E402

OUR_ID, THEIR_ID = "dtn://farlink/", "dtn://go/"
ONE_SEGMENT = {"segmentMruBytes": 16_000_000, "maxSegmentBytes": 1 << 20}  # TCPCLv4


class Dtnd:
    """The daemon with an application at ipn:2.1; it sends other bundles to each of its peers."""

    def __init__(self, case, layer, reaches=None):
        self.web, self.port = free_port(), free_port()
        self.endpoint = f"ipn:{PEER}.1"
        lines = ['[core]', 'store = "dtn7-go-store"', f'node-id = "{THEIR_ID}"',
                 '[logging]', 'level = "debug"', '[routing]', 'algorithm = "epidemic"',
                 '[agents.webserver]', f'address = "{LOCALHOST}:{self.web}"', 'rest = true',
                 '[[listen]]', f'protocol = "{layer}"', f'endpoint = "{LOCALHOST}:{self.port}"']
        if reaches is not None:
            lines += ['[[peer]]', f'node = "{OUR_ID}"', f'protocol = "{layer}"',
                      f'endpoint = "{LOCALHOST}:{reaches}"']
        (case.folder / "dtnd.toml").write_text("\n".join(lines) + "\n")
        self.process = case.start("dtnd", [PEERS / "dtn7-go/bin/dtnd", "dtnd.toml"])
        wait_for("dtnd to listen", lambda: accepts(self.web))
        self.uuid = self.post("register", endpoint_id=self.endpoint)["uuid"]

    def post(self, path, **content):
        with urllib.request.urlopen(f"http://{LOCALHOST}:{self.web}/rest/{path}",
                                    json.dumps(content).encode(), timeout=30) as answer:
            said = json.load(answer)
        check(not said.get("error"), f"dtnd, {path}: {said.get('error')}")
        return said

    def send(self, payload):
        self.post("build", uuid=self.uuid, arguments={
            "destination": f"ipn:{APPLICATION}.1", "source": self.endpoint,
            "creation_timestamp_now": 1, "lifetime": "1h",
            "payload_block": payload.decode()})

    def next(self):
        """The payload of the next bundle at its application."""
        bundles = wait_for("a bundle at dtnd's application",
                           lambda: self.post("fetch", uuid=self.uuid)["bundles"])
        check(len(bundles) == 1, f"{len(bundles)} bundles at once")
        return base64.b64decode(bundles[0]["canonicalBlocks"][-1]["data"])


def exchange(layer, farlink_opens, peer_opens, limit_to=SIZES[-1]):
    def case_function(case):
        application = case.application()
        port = free_port()
        inducts = [{"url": f"stcp://{LOCALHOST}:0"}]
        outducts = [application.outduct()]
        if peer_opens:
            inducts.append({"url": f"{layer}://{LOCALHOST}:{port}"})
            if layer == "tcpclv4":
                inducts[-1].update(ONE_SEGMENT, nodeId=OUR_ID, neighbours=[
                    {"nodeId": PEER, "address": LOCALHOST, "peerNodeId": THEIR_ID}])
        dtnd = None
        if farlink_opens:
            dtnd = Dtnd(case, layer, port if peer_opens else None)
            outducts.append({"url": f"{layer}://{LOCALHOST}:{dtnd.port}", "nextHopNodeId": PEER,
                             "nodeId": OUR_ID, "reconnectMaxMilliseconds": 200})
            if layer == "tcpclv4":
                outducts[-1].update(ONE_SEGMENT, peerNodeId=THEIR_ID)
        node = case.node(inducts, outducts)
        application.connect(node.ports[0])
        dtnd = dtnd or Dtnd(case, layer, port)
        for size in SIZES:
            dtnd.send(payload_of(size))
            bundle = Bundle.parse(application.next(f"{size} octets from dtnd"))
            check(bundle.payload_block.data == payload_of(size), f"other {size} octets came")
            if size > limit_to:
                continue
            application.send(serialize_bundle7(
                f"ipn:{APPLICATION}.1", dtnd.endpoint, payload_of(size), hop_limit=20,
                report_to_eid=f"ipn:{APPLICATION}.1",
                crc_type_canonical=CRCType.CRC32 if size < 10_000 else CRCType.NONE))
            check(dtnd.next() == payload_of(size), f"other {size} octets at dtnd")
        node.wait_for_delivery(len(SIZES) + sum(size <= limit_to for size in SIZES))
        case.note_departures(node)
        node.stop()
    return case_function


if __name__ == "__main__":
    sys.exit(support.run("dtn7-go", [
        ("TCPCLv4, farlink opens, 1 B to 1 MB there, 10 MB back",
         exchange("tcpclv4", True, False, 1_000_000)),
        ("TCPCLv4, dtnd opens", exchange("tcpclv4", False, True, 1_000_000)),
        ("MTCP, each opens, 1 B to 10 MB both ways", exchange("mtcp", True, True))]))
