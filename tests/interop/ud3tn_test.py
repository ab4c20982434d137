#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ud3tn-utils: the clients of AAP 2.0, the application agent protocol of uD3TN.

Its programs and its Python classes connect to farlink as to their own node. What they do not do,
such as stopping in the middle of a message, is done here with a socket.
"""

import asyncio
import os
import signal
import socket
import struct
import subprocess
import sys

import support
from support import LOCALHOST, NODE, PYTHON, Failure, check, payload_of, wait_for

support.enter_python()
from google.protobuf.internal.encoder import _VarintBytes  # noqa: E402
from ud3tn_utils.aap2 import (AAP2AsyncUnixClient, AAP2TCPClient, AAP2UnixClient,  # noqa: E402
                              AAPMessage, AAPResponse, BundleADU, ConnectionConfig,
                              ResponseStatus)

SUCCESS = ResponseStatus.RESPONSE_STATUS_SUCCESS
WAITS = 142  # a configured service
ECHO = 2047
SIZES = (0, 1, 100, 60_000, 1_000_000)
LIMIT_S = 30


def node_of(case, *, listen=None, restart=False, **settings):
    """A node with a Unix socket for applications; the configured endpoint is this user's."""
    applications = {"socket": "app.sock", "endpoints": [{"endpoint": str(WAITS)}],
                    "access": [{"user": str(os.getuid()), "register": [f"ipn:{NODE}.*"]}]}
    if listen is not None:
        applications["listen"] = f"{LOCALHOST}:{listen}"
        applications["access"].append({"loopback": True})
    node = case.node([{"url": f"stcp://{LOCALHOST}:0"}], [], applications=applications, **settings)
    node.socket_path = str(case.folder / "app.sock")
    return node


def program(name):
    return PYTHON.parent / name


def client_of(node, service, receives=False, secret="secret", **options):
    client = AAP2UnixClient(address=node.socket_path)
    client.connect()
    # Not settimeout(): on a socket that does not block the class leaves out what send() does.
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", LIMIT_S, 0))
    client.configure(str(service), subscribe=receives, secret=secret, **options)
    return client


def send(client, destination, payload, **fields):
    client.send_adu(BundleADU(dst_eid=destination, payload_length=len(payload), **fields), payload)
    return client.receive_response().response_status


def receive(client, status=SUCCESS):
    """The ADU and its payload, which the library reads with one recv()."""
    message = client.receive_msg()
    while message.WhichOneof("msg") == "keepalive":
        client.send_response_status(ResponseStatus.RESPONSE_STATUS_ACK)
        message = client.receive_msg()
    payload = client._receive_all(message.adu.payload_length)
    if status is not None:
        client.send_response_status(status)
    return message.adu, payload


# ---- the good way

def programs_exchange_messages(case):
    node = node_of(case)
    receiver = case.start("receive", [
        program("aap2-receive"), "--socket", node.socket_path, "-a", "5001", "-c", "2",
        "--newline", "-o", case.folder / "received", "-vv"])
    receiver.wait_said("Waiting for bundles")
    for text in ("first", "second"):
        subprocess.run([program("aap2-send"), "--socket", node.socket_path, "-a", "5002",
                        f"ipn:{NODE}.5001", text], check=True, timeout=LIMIT_S)
    check(receiver.wait() == 0, receiver.tail())
    check((case.folder / "received").read_text() == "first\nsecond\n", "other messages came")
    node.stop()
    check(node.value("applications_delivered") == 2, f"{node.counters}")


def ping_by_tcp_and_unix_socket(case):
    port = support.free_port()
    node = node_of(case, listen=port)
    for where in (["--socket", node.socket_path], ["--tcp", LOCALHOST, str(port)]):
        subprocess.run([program("aap2-ping"), *where, "-c", "3", "-i", "0.05",
                        f"ipn:{NODE}.{ECHO}"], check=True, timeout=LIMIT_S)
    node.stop()


def classes_send_and_receive_all_sizes(case):
    node = node_of(case)
    receiver = client_of(node, 5001, receives=True)
    sender = client_of(node, 5002)
    for size in SIZES:
        check(send(sender, f"ipn:{NODE}.5001", payload_of(size)) == SUCCESS, f"{size} octets")
        adu, payload = receive(receiver)
        check(payload == payload_of(size), f"other {size} octets came")
        check(adu.src_eid == f"ipn:{NODE}.5002", adu.src_eid)
        check(adu.dst_eid == f"ipn:{NODE}.5001", adu.dst_eid)
        check(adu.creation_timestamp_ms > 0, "no creation time")
    receiver.disconnect()
    sender.disconnect()
    node.stop()


def asynchronous_classes(case):
    node = node_of(case)

    async def exchange():
        async with AAP2AsyncUnixClient(node.socket_path) as receiver, \
                AAP2AsyncUnixClient(node.socket_path) as sender:
            secret = await receiver.configure("5001", subscribe=True)
            await sender.configure("5001", subscribe=False, secret=secret)
            for size in SIZES:
                payload = payload_of(size)
                sent = asyncio.create_task(sender.send_adu_rpc(
                    BundleADU(dst_eid=f"ipn:{NODE}.5001", payload_length=size), payload))
                _, came = await receiver.receive_adu()
                await receiver.send_response_status(SUCCESS)
                check(came == payload, f"other {size} octets came")
                check((await sent).response_status == SUCCESS, "not accepted")

    asyncio.run(asyncio.wait_for(exchange(), LIMIT_S))
    node.stop()


def from_and_to_a_neighbour(case):
    from pyd3tn.bundle7 import Bundle, serialize_bundle7
    application = case.application()
    node = node_of(case)
    node.stop()
    node = case.node([{"url": f"stcp://{LOCALHOST}:0"}], [application.outduct()],
                     applications={"socket": "app.sock"})
    node.socket_path = str(case.folder / "app.sock")
    application.connect(node.ports[0])
    receiver = client_of(node, 5001, receives=True)
    sender = client_of(node, 5002)
    application.send(serialize_bundle7("ipn:1.1", f"ipn:{NODE}.5001", b"from afar"))
    adu, payload = receive(receiver)
    check((adu.src_eid, payload) == ("ipn:1.1", b"from afar"), f"{adu} {payload}")
    check(send(sender, "ipn:1.1", b"to afar") == SUCCESS, "not accepted")
    bundle = Bundle.parse(application.next())
    check(bundle.payload_block.data == b"to afar", "another payload")
    check(str(bundle.primary_block.source) == f"ipn:{NODE}.5002", "another source")
    receiver.disconnect()
    sender.disconnect()
    node.stop()


# ---- storage, and receivers that go away

def a_configured_endpoint_waits(case):
    node = node_of(case)
    sender = client_of(node, 5002)
    for number in range(20):
        check(send(sender, f"ipn:{NODE}.{WAITS}", b"%d" % number) == SUCCESS, "not accepted")
    wait_for("20 stored bundles", lambda: node.value("storage_stored_now") == 20)
    sender.disconnect()
    node.stop()
    node = node_of(case)
    receiver = client_of(node, WAITS, receives=True)
    came = [receive(receiver)[1] for _ in range(20)]
    check(came == [b"%d" % number for number in range(20)], f"{came}")
    receiver.disconnect()
    node.stop()


def a_receiver_that_dies_before_it_accepts(case):
    node = node_of(case)
    sender = client_of(node, 5002)
    check(send(sender, f"ipn:{NODE}.{WAITS}", b"again") == SUCCESS, "not accepted")
    for _ in range(3):
        receiver = client_of(node, WAITS, receives=True)
        _, payload = receive(receiver, status=None)
        check(payload == b"again", f"{payload}")
        receiver.disconnect()
    receiver = client_of(node, WAITS, receives=True)
    check(receive(receiver)[1] == b"again", "another message")
    wait_for("nothing stored", lambda: node.value("storage_stored_now") == 0)
    receiver.disconnect()
    sender.disconnect()
    node.stop()


def several_receivers_share(case):
    node = node_of(case)
    receivers = [client_of(node, WAITS, receives=True) for _ in range(3)]
    sender = client_of(node, 5002)
    for number in range(3):
        sender.send_adu(BundleADU(dst_eid=f"ipn:{NODE}.{WAITS}", payload_length=1), b"%d" % number)
    came = sorted(receive(receiver)[1] for receiver in receivers)
    check(came == [b"0", b"1", b"2"], f"{came}")
    for _ in range(3):
        check(sender.receive_response().response_status == SUCCESS, "not accepted")
    other = AAP2UnixClient(address=node.socket_path)
    other.connect()
    try:
        other.configure(str(WAITS), subscribe=True, secret="another")
        raise Failure("another secret was taken")
    except RuntimeError:
        pass
    for client in (*receivers, sender, other):
        client.disconnect()
    node.stop()


# ---- parts of the node that die

class Stream:
    """A sender that goes on after each loss, and knows what was accepted."""

    def __init__(self, node):
        self.node, self.accepted, self.next = node, set(), 0
        self.client = None

    def send_some(self, count):
        for _ in range(count):
            try:
                self.client = self.client or client_of(self.node, 5002)
                if send(self.client, f"ipn:{NODE}.{WAITS}", b"%d" % self.next) == SUCCESS:
                    self.accepted.add(self.next)
            except (OSError, RuntimeError):
                self.client = None
            self.next += 1


def collect(node, wanted):
    """Receives until everything that was accepted is here."""
    came, client = set(), None

    def next_one():
        nonlocal client
        try:
            client = client or client_of(node, WAITS, receives=True)
            came.add(int(receive(client)[1]))
        except (OSError, RuntimeError):
            client = None
        return wanted <= came

    wait_for("all that was accepted", next_one)
    client.disconnect()


def killed_node(case):
    node = node_of(case)
    stream = Stream(node)
    for _ in range(3):
        stream.send_some(50)
        node.end(signal.SIGKILL)
        stream.send_some(2)
        node = node_of(case)
        stream.node, stream.client = node, None
    stream.send_some(10)
    check(len(stream.accepted) >= 100, f"{len(stream.accepted)} of {stream.next} accepted")
    collect(node, stream.accepted)
    stream.client.disconnect()
    node.stop()


def isolated(case):
    path = case.folder / "farlink.json"
    node = node_of(case)
    node.stop()
    process = case.start("isolated", [case.program("farlink"), "--config", path, "--isolate"])
    process.wait_said("ready: node")
    process.socket_path = node.socket_path
    return process


def child_of(process, module):
    own = process._process.pid
    with open(f"/proc/{own}/task/{own}/children", encoding="ascii") as children:
        for child in children.read().split():
            with open(f"/proc/{child}/cmdline", "rb") as line:
                words = line.read().split(b"\0")
            if words[words.index(b"--modules") + 1] == module.encode():
                return int(child)
    raise Failure(f"no process of {module}")


def killed_module(module):
    def case_function(case):
        node = isolated(case)
        stream = Stream(node)
        for _ in range(2):
            stream.send_some(50)
            os.kill(child_of(node, module), signal.SIGKILL)
            wait_for("an ADU that is accepted again", lambda before=len(stream.accepted): (
                stream.send_some(1), len(stream.accepted) > before)[1])
        stream.send_some(20)
        check(len(stream.accepted) >= 100, f"{len(stream.accepted)} of {stream.next} accepted")
        collect(node, stream.accepted)
        check(node.end() in (0, 1), node.tail())
    return case_function


# ---- bad input

def raw(node):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(LIMIT_S)
    client.connect(node.socket_path)
    return client


def message(**content):
    octets = AAPMessage(**content).SerializeToString()
    return _VarintBytes(len(octets)) + octets


def ends(client):
    """The server ends the connection; what it sent before is dropped."""
    try:
        while client.recv(65536):
            pass
    except ConnectionResetError:
        pass
    client.close()
    return True


def still_serves(node):
    receiver = client_of(node, 5001, receives=True)
    sender = client_of(node, 5002)
    check(send(sender, f"ipn:{NODE}.5001", b"well") == SUCCESS, "not accepted")
    check(receive(receiver)[1] == b"well", "another message")
    receiver.disconnect()
    sender.disconnect()


def cut_messages(case):
    node = node_of(case)
    whole = message(config=ConnectionConfig(endpoint_id=f"ipn:{NODE}.5003", secret="x")) + \
        message(adu=BundleADU(dst_eid=f"ipn:{NODE}.5001", payload_length=10)) + b"0123456789"
    for size in range(len(whole)):
        with raw(node) as client:
            client.sendall(whole[:size])
    still_serves(node)
    node.stop()


def lying_lengths(case):
    node = node_of(case)
    config = message(config=ConnectionConfig(endpoint_id=f"ipn:{NODE}.5003", secret="x"))
    for wrong in (b"\xff" * 12, b"\xff\xff\xff\xff\x0f", b"\x05\x08\x01\x08\x01\x08", b"\x00",
                  config + b"\xff" * 12,
                  config + message(adu=BundleADU(dst_eid="ipn:1.1", payload_length=1 << 62))):
        client = raw(node)
        client.sendall(wrong)
        ends(client)
    still_serves(node)
    node.stop()


def clients_that_stop_reading(case):
    node = node_of(case)
    config = ConnectionConfig(endpoint_id=f"ipn:{NODE}.{WAITS}", secret="x", is_subscriber=True)
    stopped = raw(node)
    stopped.sendall(message(config=config))
    sender = client_of(node, 5002)
    for _ in range(10):
        check(send(sender, f"ipn:{NODE}.{WAITS}", payload_of(500_000)) == SUCCESS, "not accepted")
    still_serves(node)
    stopped.close()
    receiver = client_of(node, WAITS, receives=True, secret="x")
    for _ in range(10):
        check(receive(receiver)[1] == payload_of(500_000), "another payload")
    flood = raw(node)
    flood.settimeout(0.5)
    flood.sendall(message(config=ConnectionConfig(endpoint_id=f"ipn:{NODE}.5003", secret="x")))
    refused = message(adu=BundleADU(dst_eid="dtn:none", payload_length=0))
    try:
        for _ in range(10_000):
            flood.sendall(refused * 100)
        raise Failure("a sender that does not read its answers is read for ever")
    except TimeoutError:
        pass
    still_serves(node)
    flood.close()
    receiver.disconnect()
    sender.disconnect()
    node.stop()


def many_connections(case):
    node = node_of(case)
    clients = []
    for _ in range(600):
        try:
            client = raw(node)
            client.sendall(message(config=ConnectionConfig(
                endpoint_id=f"ipn:{NODE}.{6000 + len(clients)}", secret="x")))
            clients.append(client)
        except OSError:
            break
    wait_for("connections that are refused",
             lambda: node.value("applications_connections_refused") > 0)
    for client in clients:
        client.close()
    wait_for("free places", lambda: node.value("applications_connections_open") == 0)
    still_serves(node)
    node.stop()


def not_allowed(case):
    node = node_of(case)
    for service in ("0", str(ECHO)):
        client = AAP2UnixClient(address=node.socket_path)
        client.connect()
        try:
            client.configure(service, secret="x")
            raise Failure(f"service {service} was given away")
        except RuntimeError:
            pass
        client.disconnect()
    sender = client_of(node, 5002)
    for adu, status in (
            (BundleADU(dst_eid="nonsense"), ResponseStatus.RESPONSE_STATUS_INVALID_REQUEST),
            (BundleADU(dst_eid="ipn:1.1", src_eid="ipn:9.9"),
             ResponseStatus.RESPONSE_STATUS_UNAUTHORIZED)):
        sender.send_adu(adu, b"")
        got = sender.receive_response().response_status
        check(got == status, f"{adu}: {got}")
    check(AAPResponse is not None, "")
    sender.disconnect()
    node.stop()


if __name__ == "__main__":
    sys.exit(support.run("ud3tn-utils", [
        ("aap2-send and aap2-receive", programs_exchange_messages),
        ("aap2-ping over Unix socket and TCP", ping_by_tcp_and_unix_socket),
        ("synchronous classes, 0 B to 1 MB", classes_send_and_receive_all_sizes),
        ("asynchronous classes, 0 B to 1 MB", asynchronous_classes),
        ("from and to a neighbour", from_and_to_a_neighbour),
        ("a configured endpoint waits over a restart", a_configured_endpoint_waits),
        ("a receiver that dies before it accepts", a_receiver_that_dies_before_it_accepts),
        ("several receivers share, another secret is refused", several_receivers_share),
        ("the node is killed", killed_node),
        ("the module of applications is killed", killed_module("applications")),
        ("ingress is killed", killed_module("ingress")),
        ("storage is killed", killed_module("storage")),
        ("messages cut at every octet", cut_messages),
        ("lying lengths", lying_lengths),
        ("clients that stop reading", clients_that_stop_reading),
        ("many connections", many_connections),
        ("what is not allowed", not_allowed)]))
