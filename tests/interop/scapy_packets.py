#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes and reads BPv6 bundles by scapy, as a program of its own.

Standard input: `make SOURCE DESTINATION SEQUENCE FLAGS PAYLOAD` (ipn numbers as 1.2, payload in
hex) or `read BUNDLE` (hex), a line each. Standard output: the bundle in hex, or a JSON object.
scapy makes addresses without a dictionary (CBHE, RFC 6260).
"""

import json
import sys
import time

from scapy.contrib.bp import BP, BPBLOCK

DTN_EPOCH = 946684800  # 2000-01-01, in Unix time
LIFETIME_S = 3600
LAST_BLOCK = 8


def make(source, destination, sequence, flags, payload):
    (from_node, from_service), (to_node, to_service) = (
        map(int, eid.split(".")) for eid in (source, destination))
    fields = {"ProcFlags": int(flags), "DSO": to_node, "DSSO": to_service, "SSO": from_node,
              "SSSO": from_service, "CT": int(time.time()) - DTN_EPOCH, "CTSN": int(sequence),
              "LT": LIFETIME_S}
    # By default scapy writes the length of the following blocks into BlockLen; RFC 5050 section
    # 4.5.1 requires that of the rest of the primary block, twelve numbers.
    before_rest = len(bytes(BP(ProcFlags=fields["ProcFlags"], BlockLen=0))) - 12
    rest = len(bytes(BP(BlockLen=0, **fields))) - before_rest
    return bytes(BP(BlockLen=rest, **fields) /
                 BPBLOCK(Type=1, ProcFlags=LAST_BLOCK, load=bytes.fromhex(payload)))


def read(octets):
    bundle = BP(bytes.fromhex(octets))
    blocks = []
    block = bundle.payload
    while isinstance(block, BPBLOCK):
        blocks.append({"type": block.Type, "flags": block.ProcFlags, "data": block.load.hex()})
        block = block.payload
    return {"version": bundle.version, "flags": bundle.ProcFlags, "length": bundle.BlockLen,
            "destination": f"{bundle.DSO}.{bundle.DSSO}", "source": f"{bundle.SSO}.{bundle.SSSO}",
            "sequence": bundle.CTSN, "lifetime": bundle.LT, "dictionary": bundle.DL,
            "blocks": blocks}


if __name__ == "__main__":
    for line in sys.stdin:
        verb, *words = line.split()
        print(make(*words).hex() if verb == "make" else json.dumps(read(*words)), flush=True)
