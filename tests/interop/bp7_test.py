#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bp7, a BPv7 codec: checks bundles that farlink forwarded, and makes bundles for farlink.

bp7 decode - [-p]           reads one bundle (raw octets), prints it or its payload; exit code 1:
                            not valid, or a CRC is wrong; 101: cannot be decoded
bp7 encode MANIFEST - [-x]  makes a bundle of the payload read; MANIFEST has lines such as
                            `destination=ipn:1.1`, with source, report_to, lifetime, flags

Departures: `encode` never adds a CRC, not even to the primary block (RFC 9171 section 4.3.1).
"""

import subprocess
import sys

import support
from support import APPLICATION, PEERS, SIZES, check, payload_of

support.enter_python()
from pyd3tn.bundle7 import BundleProcFlag, CRCType, serialize_bundle7  # noqa: E402

BP7 = PEERS / "bp7/bin/bp7"
DESTINATION = f"ipn:{APPLICATION}.1"


def bp7(arguments, octets):
    done = subprocess.run([BP7, *arguments], input=octets, capture_output=True, timeout=60,
                          check=False)
    check(done.returncode == 0, f"bp7 {arguments[0]}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def through_node(case):
    """A node between the application and itself; returns a function that sends a bundle through the
    node and returns it."""
    application = case.application()
    node = case.node([{"url": "stcp://127.0.0.1:0"}], [application.outduct()])
    application.connect(node.ports[0])

    def pass_on(bundle):
        application.send(bundle)
        return application.next()
    return node, pass_on


def judges_what_was_passed_on(case):
    node, pass_on = through_node(case)
    kinds = [{"crc_type_primary": CRCType.CRC16, "crc_type_canonical": CRCType.CRC32},
             {"crc_type_primary": CRCType.CRC32, "crc_type_canonical": CRCType.CRC16},
             {"hop_limit": 30, "hop_count": 2, "bundle_age": 1},
             {"previous_node_eid": "ipn:7.0", "crc_type_canonical": CRCType.NONE},
             {"report_to_eid": "dtn://reports/here",
              "flags": BundleProcFlag.MUST_NOT_BE_FRAGMENTED},
             {"creation_timestamp": 0, "bundle_age": 5, "lifetime": 600}]
    for size in SIZES:
        # pyD3TN computes 100 kB of CRC per second: bpgen makes the large bundles.
        for kind in kinds if size < 10_000 else [{"crc_type_canonical": CRCType.NONE}]:
            for source in ("ipn:7.3", "dtn://source/service"):
                bundle = pass_on(serialize_bundle7(source, DESTINATION, payload_of(size), **kind))
                check(bp7(["decode", "-", "-p"], bundle) == payload_of(size),
                      f"another payload of {size} octets came out: {kind}")
        if size > 100_000:
            continue  # a text of tens of megabytes
        shown = bp7(["decode", "-"], bundle).decode()
        check("PreviousNode" in shown, f"no previous node:\n{shown[:2000]}")
    node.stop()


def judges_bpgen(case):
    application = case.application()
    node = case.node([{"url": "stcp://127.0.0.1:0"}], [application.outduct()])
    for size in (48, 1_000, 100_000, 10_000_000):
        generator = case.start("bpgen", [
            case.program("bpgen"), "--from", "ipn:7.1", "--to", DESTINATION, "--via",
            f"stcp://127.0.0.1:{node.ports[0]}", "--bundle-size", size, "--bundles", 3])
        for _ in range(3):
            payload = bp7(["decode", "-", "-p"], application.next())
            check(len(payload) == size, f"{len(payload)} octets of {size}")
        check(generator.wait() == 0, "bpgen failed")
    node.stop()


def makes_bundles(case):
    node, pass_on = through_node(case)
    manifest = case.folder / "manifest"
    for source in ("ipn:7.3", "dtn://source/service"):
        manifest.write_text(f"destination={DESTINATION}\nsource={source}\nreport_to={source}\n"
                            "lifetime=1h\n")
        for size in SIZES:
            made = bp7(["encode", manifest, "-"], payload_of(size))
            passed = pass_on(made)
            check(bp7(["decode", "-", "-p"], passed) == payload_of(size),
                  f"another payload of {size} octets came out")
    node.stop()


# Shows that bp7 does report faults: without this, silence would count as agreement.
def sees_a_wrong_crc(_):
    bundle = bytearray(serialize_bundle7("ipn:7.3", DESTINATION, b"payload"))
    bundle[-2] ^= 1  # in the payload block's CRC
    done = subprocess.run([BP7, "decode", "-"], input=bundle, capture_output=True, timeout=60,
                          check=False)
    check(done.returncode != 0, "bp7 accepted a wrong CRC")


if __name__ == "__main__":
    sys.exit(support.run("bp7", [
        ("accepts BPv7 bundles that farlink forwarded, 1 B to 10 MB", judges_what_was_passed_on),
        ("accepts bpgen's bundles behind farlink, 48 B to 10 MB", judges_bpgen),
        ("makes BPv7 bundles for farlink, 1 B to 10 MB", makes_bundles),
        ("rejects a wrong CRC", sees_a_wrong_crc)]))
