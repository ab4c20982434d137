#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""licklider, an LTP engine (RFC 5326): blocks and bundles both ways over UDP.

licklider send FILE --to ENGINE@HOST:PORT --engine OWN --listen HOST:PORT
                            sends the file as one block of client service 1 and ends when all of it
                            is reported; --red all, none or octets; --impair loss=P,dup=P,seed=N
licklider recv --listen HOST:PORT --engine OWN --peer ENGINE@HOST:PORT --out FILE
                            receives the red part of one block, and ends

It identifies its peers by their port: a link to it has `ltpSenderBoundPort`. It has no rate limit,
and waits four seconds for a report, independent of the light time.

Departures: none seen. Reports have twenty claims at most, so that many gaps take several.
"""

import sys

import support
from support import APPLICATION, LOCALHOST, NODE, PEER, PEERS, SIZES, check, free_port, payload_of

support.enter_python()
from pyd3tn.bundle7 import CRCType, serialize_bundle7  # noqa: E402

LICKLIDER = PEERS / "licklider-cli/bin/licklider"
BITS_PER_SECOND = 200_000_000  # a rate that its receive buffer, the system's default, can hold
LIMIT_S = 60


def bundle_of(size, source, destination):
    return serialize_bundle7(source, destination, payload_of(size),
                             crc_type_canonical=CRCType.NONE)


class Blocks:
    """licklider as sender and receiver, one process per block."""

    def __init__(self, case):
        self.case = case
        self.count = 0

    def _start(self, arguments):
        self.count += 1
        return self.case.start(f"licklider-{self.count}", [LICKLIDER, *arguments])

    def send(self, octets, port, *options):
        """Sends a block to engine NODE, which listens on the port."""
        file = self.case.folder / f"block-{self.count}"
        file.write_bytes(octets)
        sender = self._start(["send", file, "--to", f"{NODE}@{LOCALHOST}:{port}",
                              "--engine", PEER, "--listen", f"{LOCALHOST}:0", *options])
        return sender

    def receive(self, port, from_port):
        """Waits on the port for a block of engine NODE; returns the process and its output."""
        file = self.case.folder / f"received-{self.count}"
        receiver = self._start(["recv", "--listen", f"{LOCALHOST}:{port}", "--engine", PEER,
                                "--peer", f"{NODE}@{LOCALHOST}:{from_port}", "--out", file])
        receiver.wait_said("listening")
        return receiver, file


def completes(sender):
    check(sender.wait(LIMIT_S) == 0, f"licklider could not send:\n{sender.tail()}")


def towards_it(port, from_port):
    """farlink's link to it."""
    return {"url": f"ltp://{LOCALHOST}:{port}", "nextHopNodeId": PEER,
            "ltpSenderBoundPort": from_port, "rateLimitBitsPerSec": BITS_PER_SECOND,
            "reconnectMaxMilliseconds": 200}


def node_before_application(case):
    application = case.application()
    node = case.node([{"url": f"ltp://{LOCALHOST}:0", "maxBundleSizeBytes": 20_000_000}],
                     [application.outduct()])
    return node, application


def sends_bundles(case, *options, sizes=SIZES):
    node, application = node_before_application(case)
    blocks = Blocks(case)
    for size in sizes:
        bundle = bundle_of(size, f"ipn:{PEER}.1", f"ipn:{APPLICATION}.1")
        sender = blocks.send(bundle, node.ports[0], *options)
        check(payload_of(size) in application.next(limit_s=LIMIT_S),
              f"another payload of {size} octets came out")
        completes(sender)
    node.wait_for_delivery(len(sizes))
    node.stop()


def sends_over_a_bad_link(case):
    sends_bundles(case, "--impair", "loss=0.05,dup=0.05,seed=42", sizes=(100_000, 1_000_000))


def sends_green_bundles(case):
    sends_bundles(case, "--red", "none", sizes=(1, 1_000, 60_000))


def sends_half_red_bundles(case):
    sends_bundles(case, "--red", "500", sizes=(1_000, 60_000))


def takes_bundles(case):
    application = case.application()
    port, from_port = free_port(), free_port()
    node = case.node([{"url": f"stcp://{LOCALHOST}:0"}], [towards_it(port, from_port)])
    application.connect(node.ports[0])
    blocks = Blocks(case)
    for size in SIZES:
        receiver, file = blocks.receive(port, from_port)
        application.send(bundle_of(size, f"ipn:{APPLICATION}.1", f"ipn:{PEER}.1"))
        check(receiver.wait(LIMIT_S) == 0, f"licklider took nothing:\n{receiver.tail()}")
        check(payload_of(size) in file.read_bytes(), f"another payload of {size} octets came out")
    node.wait_for_delivery(len(SIZES))
    node.stop()


def sends_blocks(case):
    blocks = Blocks(case)
    for size in SIZES:
        file = case.folder / f"taken-{size}"
        receiver = case.start(f"ltprecv-{size}", [
            case.program("ltprecv"), f"ltp://{LOCALHOST}:0?thisLtpEngineId={NODE}", file])
        receiver.wait_said("listening on ")
        port = receiver.said().split("listening on ", 1)[1].split()[0].rpartition(":")[2]
        completes(blocks.send(payload_of(size), port))
        check(receiver.wait(LIMIT_S) == 0, f"ltprecv took nothing:\n{receiver.tail()}")
        check(file.read_bytes() == payload_of(size), f"another block of {size} octets came out")


def takes_blocks(case):
    blocks = Blocks(case)
    for size in SIZES:
        port, from_port = free_port(), free_port()
        receiver, taken = blocks.receive(port, from_port)
        file = case.folder / f"sent-{size}"
        file.write_bytes(payload_of(size))
        sender = case.start(f"ltpsend-{size}", [
            case.program("ltpsend"), file,
            f"ltp://{LOCALHOST}:{port}?thisLtpEngineId={NODE}&remoteLtpEngineId={PEER}&"
            f"ltpSenderBoundPort={from_port}&rateLimitBitsPerSec={BITS_PER_SECOND}"])
        check(receiver.wait(LIMIT_S) == 0, f"licklider took nothing:\n{receiver.tail()}")
        check(taken.read_bytes() == payload_of(size), f"another block of {size} octets came out")
        check(sender.wait(LIMIT_S) == 0, f"ltpsend was not told:\n{sender.tail()}")


if __name__ == "__main__":
    sys.exit(support.run("licklider-cli", [
        ("sends bundles to farlink, 1 B to 10 MB", sends_bundles),
        ("sends bundles over a link that loses and repeats", sends_over_a_bad_link),
        ("sends green bundles to farlink", sends_green_bundles),
        ("sends bundles that begin red and end green", sends_half_red_bundles),
        ("takes bundles from farlink, 1 B to 10 MB", takes_bundles),
        ("sends blocks to ltprecv, 1 B to 10 MB", sends_blocks),
        ("takes blocks from ltpsend, 1 B to 10 MB", takes_blocks)]))
