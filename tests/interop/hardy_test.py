#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hardy, a node in Rust: TCPCLv4 and BPv7 as strict as the standards, TLS, three ipn elements.

Its crates are libraries; hardy_peer/ makes a node with an echo service of them. A reply is a bundle
of its own with the payload of the request.

Departures:
- TLS: as a server it asks for no certificate, as a client it has none, and it never looks for a
  node id in the other side's;
- XFER_ACK that differs in flags or length from what it expects ends the session (farlink's do not);
- one transfer at a time: it waits for the last XFER_ACK before the next bundle.

BPSec: its crate opens what a node and bpgen have signed and encrypted, and a node accepts what it
has sealed.
"""

import subprocess
import sys

import support
from support import (APPLICATION, LOCALHOST, NODE, PEERS, SIZES, accepts, check, free_port,
                     payload_of, wait_for)

support.enter_python()
from pyd3tn.bundle7 import Bundle, CRCType, serialize_bundle7  # noqa: E402

HARDY = PEERS / "hardy/bin/hardy-peer"
ECHO = 2047
PLAIN, LARGE = "ipn:2.0", "ipn:977000.2.0"  # RFC 9758: an allocator before the node number


class Tls:
    """An authority, and a certificate for each side with its node id."""

    def __init__(self, case):
        self.folder = case.folder / "tls"
        done = subprocess.run(
            [case.program("farlinkctl"), "cert", "make", "--dir", self.folder, "--node",
             f"ipn:{NODE}.0", PLAIN, "--dns", "localhost", "--ip", LOCALHOST],
            capture_output=True, check=False, timeout=60)
        check(done.returncode == 0, f"farlinkctl cert make: {done.stderr.decode()}")

    def of_farlink(self, mode):
        name = self.folder / f"ipn-{NODE}"
        return {"tls": mode, "ca": f"{self.folder}/ca.pem", "cert": f"{name}.pem",
                "key": f"{name}.key"}

    def of_hardy(self):
        return ["--ca", self.folder, "--cert", self.folder / "ipn-2.pem", "--key",
                self.folder / "ipn-2.key", "--server-name", "localhost", "--tls", "required"]


def hardy(case, node_id, *options):
    process = case.start("hardy", [HARDY, "--node", node_id, "--via", f"ipn:{NODE}.0", *options])
    process.node_id = node_id
    return process


def echo(application, peer, size):
    """Both ways: hardy replies to the source with the payload that it received."""
    service = f"{peer.node_id.removesuffix('.0')}.{ECHO}"
    application.send(serialize_bundle7(
        f"ipn:{APPLICATION}.1", service, payload_of(size), hop_limit=20,
        crc_type_canonical=CRCType.CRC32 if size < 10_000 else CRCType.NONE))
    bundle = Bundle.parse(application.next(f"the echo of {size} octets"))
    check(bundle.payload_block.data == payload_of(size), f"another payload of {size} octets")
    check(str(bundle.primary_block.source) == service, f"another source: {bundle.primary_block}")


def exchange(case, node, application, peer):
    application.connect(node.ports[0])
    for size in SIZES:
        echo(application, peer, size)
    node.wait_for_delivery(2 * len(SIZES))
    check(not node.departures(), f"departures of a strict peer: {node.departures()}")
    check("Mismatched" not in peer.said(), f"hardy objects:\n{peer.tail()}")
    node.stop()


def number_of(node_id):
    """In the spelling of the configuration."""
    return node_id.removeprefix("ipn:").removesuffix(".0")


def next_hop(node_id):
    parts = [int(part) for part in number_of(node_id).split(".")]
    return parts[0] if len(parts) == 1 else (parts[0] << 32) + parts[1]


def farlink_opens(node_id, tls=None):
    def case_function(case):
        application = case.application()
        port = free_port()
        files = Tls(case) if tls else None
        peer = hardy(case, node_id, "--listen", f"{LOCALHOST}:{port}",
                     *(files.of_hardy() if tls else []))
        wait_for("hardy to listen", lambda: accepts(port))
        node = case.node([{"url": f"stcp://{LOCALHOST}:0"}], [
            application.outduct(),
            {"url": f"tcpclv4://{LOCALHOST}:{port}", "nextHopNodeId": next_hop(node_id),
             "peerNodeId": node_id, "strict": True, "reconnectMaxMilliseconds": 200,
             **(files.of_farlink(tls) if tls else {})}])
        exchange(case, node, application, peer)
    return case_function


def hardy_opens(node_id, tls=None):
    def case_function(case):
        application = case.application()
        port = free_port()
        files = Tls(case) if tls else None
        node = case.node([
            {"url": f"stcp://{LOCALHOST}:0"},
            {"url": f"tcpclv4://{LOCALHOST}:{port}", "strict": True,
             "neighbours": [{"nodeId": next_hop(node_id), "address": LOCALHOST}],
             **(files.of_farlink(tls) if tls else {})}], [application.outduct()])
        peer = hardy(case, node_id, "--connect", f"{LOCALHOST}:{port}",
                     *(files.of_hardy() if tls else []))
        exchange(case, node, application, peer)
    return case_function


def pings(case):
    """bping gets hardy's replies by its own connection, directly and through a node."""
    port = free_port()
    hardy(case, PLAIN, "--listen", f"{LOCALHOST}:{port}")
    wait_for("hardy to listen", lambda: accepts(port))
    node = case.node([{"url": f"tcpclv4://{LOCALHOST}:0", "neighbours": [{"address": LOCALHOST}]}],
                     [{"url": f"tcpclv4://{LOCALHOST}:{port}", "nextHopNodeId": 2}])
    for name, via in (("straight", port), ("through a node", node.ports[0])):
        ping = case.start("bping", [
            case.program("bping"), "--from", "ipn:1.1", "--to", f"ipn:2.{ECHO}", "--via",
            f"tcpclv4://{LOCALHOST}:{via}", "--count", "5", "--interval", "0.05"])
        check(ping.wait() == 0, f"bping {name}:\n{ping.said()}")
    node.stop()


SIGN, SEAL = "5a" * 32, "c3" * 16
SECURITY = (("sign", f"HS256:{SIGN}"), ("encrypt", f"A128GCM:{SEAL}"))
SECURED_SIZES = (1, 100, 60_000)


def key_file(case):
    path = case.folder / "interop.key"
    path.touch(mode=0o600)
    path.write_text(f"[sign]\nalgorithm = hmac-sha256\nkey = {SIGN}\n"
                    f"[seal]\nalgorithm = aes-128-gcm\nkey = {SEAL}\n")
    return path


def crate(verb, octets, operations, *options):
    """What hardy's crate makes of the octets."""
    keys = [word for name, key in SECURITY if name in operations for word in (f"--{name}", key)]
    done = subprocess.run([HARDY, verb, *options, *keys], input=octets, capture_output=True,
                          check=False, timeout=support.LIMIT_S)
    check(done.returncode == 0, f"hardy: {verb} {operations}: {done.stderr.decode()}")
    return done.stdout


def secured(case, application, role, operations, targets):
    """A node with a rule of this role for each operation."""
    contexts = {"sign": "bib-hmac-sha2", "encrypt": "bcb-aes-gcm"}
    keys = {"sign": "sign", "encrypt": "seal"}
    return case.node(
        [{"url": f"stcp://{LOCALHOST}:0"}], [application.outduct()],
        security={"keyStore": str(key_file(case)), "default": "drop", "rules": [
            {"name": f"{role} {name}", "role": role, "context": contexts[name],
             "keys": [keys[name]], "targets": targets[name], "required": True}
            for name in operations]})


def node_seals(operations):
    """hardy opens what a node has added to bundles of others."""
    def case_function(case):
        application = case.application()
        node = secured(case, application, "source", operations,
                       {"sign": ["primary", "payload"], "encrypt": ["payload"]})
        application.connect(node.ports[0])
        for size in SECURED_SIZES:
            application.send(serialize_bundle7("ipn:7.1", f"ipn:{APPLICATION}.1", payload_of(size)))
            sealed = application.next(f"{size} octets, sealed")
            check(crate("open", sealed, operations) == payload_of(size), f"{size} octets differ")
        node.stop()
    return case_function


def bpgen_seals(operations):
    def case_function(case):
        application = case.application()
        keys = key_file(case)
        options = {"sign": ("--sign", f"{keys}:sign"), "encrypt": ("--encrypt", f"{keys}:seal")}
        bpgen = case.start("bpgen", [
            case.program("bpgen"), "--from", "ipn:7.1", "--to", f"ipn:{APPLICATION}.1", "--via",
            f"stcp://{LOCALHOST}:{application.port}", "--bundles", "3", "--bundle-size", "5000",
            *(word for name in operations for word in options[name])])
        check(bpgen.wait() == 0, f"bpgen:\n{bpgen.said()}")
        for _ in range(3):
            opened = crate("open", application.next("a bundle of bpgen"), operations)
            check(len(opened) == 5000, f"a payload of {len(opened)} octets")
    return case_function


def hardy_seals(operations):
    """A node verifies, decrypts and removes what hardy has sealed."""
    def case_function(case):
        application = case.application()
        # hardy does not divide a signature block: with an encryption it signs the payload only.
        signed = ["payload"] if "encrypt" in operations else ["primary", "payload"]
        node = secured(case, application, "acceptor", operations,
                       {"sign": signed, "encrypt": ["payload"]})
        application.connect(node.ports[0])
        for size in SECURED_SIZES:
            application.send(crate("seal", payload_of(size), operations, "--from", "ipn:7.1",
                                   "--to", f"ipn:{APPLICATION}.1"))
            bundle = Bundle.parse(application.next(f"{size} octets of hardy"))
            check(bundle.payload_block.data == payload_of(size), f"{size} octets differ")
        node.stop()
    return case_function


if __name__ == "__main__":
    sys.exit(support.run("hardy", [
        ("TCPCLv4, farlink opens, 1 B to 10 MB there and back", farlink_opens(PLAIN)),
        ("TCPCLv4, hardy opens", hardy_opens(PLAIN)),
        ("TCPCLv4, farlink opens, ipn of three elements", farlink_opens(LARGE)),
        ("TCPCLv4, hardy opens, ipn of three elements", hardy_opens(LARGE)),
        ("TCPCLv4 over TLS, farlink opens", farlink_opens(PLAIN, "required")),
        ("TCPCLv4 over TLS, hardy opens", hardy_opens(PLAIN, "optional")),
        ("bping, directly and through a node", pings),
        *((f"BPSec, {' and '.join(operations)}: {who}", case(operations))
          for operations in (("sign",), ("encrypt",), ("sign", "encrypt"))
          for who, case in (("a node seals", node_seals), ("bpgen seals", bpgen_seals),
                            ("hardy seals", hardy_seals)))]))
