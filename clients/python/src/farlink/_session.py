# SPDX-License-Identifier: Apache-2.0
"""AAP 2.0 without sockets: octets in, events and octets out.

A connection either sends or receives. `Sender` and `Receiver` outlive their connections: what a
lost one has not answered is sent again with its id, and what is given again is recognised.
"""

from __future__ import annotations

import collections
import dataclasses
import secrets
import time
from typing import Any, Callable, Deque, Dict, Iterable, List, Optional, Set, Tuple

from . import _protobuf as wire
from ._errors import ProtocolError, Refused, refusal
from ._types import Adu, Buffer, BundleId, Message

__all__ = ["Incoming", "Options", "Pending", "Receiver", "Sender", "own_endpoint"]

#: Seconds from 1970-01-01 to 2000-01-01, the epoch of DTN time.
DTN_EPOCH = 946_684_800
#: Ids of accepted ADUs that are remembered, for those that are given again.
MOST_RECENT = 65_536


@dataclasses.dataclass
class Options:
    """How an endpoint is registered."""

    endpoint: str = ""
    secret: str = dataclasses.field(default_factory=lambda: secrets.token_hex(16))
    stay: int = 0
    window: int = 64


def own_endpoint(node_id: str, wanted: str) -> str:
    """The full endpoint id; a service alone is under the node id of the Welcome."""
    if ":" in wanted:
        return wanted
    if node_id.startswith("ipn:"):
        service = wanted or str(secrets.randbelow(1 << 30) + (1 << 30))
        return f"{node_id.rpartition('.')[0]}.{service}"
    return f"{node_id.rstrip('/')}/{wanted or secrets.token_hex(8)}"


class Incoming:
    """Splits what a server sends on one connection, from its first octet on."""

    def __init__(self, options: Options, subscribes: bool,
                 on_message: Callable[[bytes], int],
                 on_payload: Callable[[bytes], None]) -> None:
        self.ready = False
        self.outgoing: List[bytes] = []
        self._options = options
        self._subscribes = subscribes
        self._on_message = on_message
        self._on_payload = on_payload
        self._buffer = bytearray()
        self._greeted = self._welcomed = False
        self._payload = -1  # octets of the payload that is arriving

    def feed(self, data: Buffer) -> None:
        """Raises ProtocolError; Refused where the node does not register the endpoint."""
        buffer = self._buffer
        buffer += data
        at = 0
        view = memoryview(buffer)
        try:
            if not self._greeted and buffer:
                if buffer[0] != wire.GREETING:
                    raise ProtocolError("the server does not use AAP 2.0")
                self._greeted, at = True, 1
            while at < len(buffer):
                behind = self._take(view, at)
                if behind < 0:
                    break
                at = behind
        finally:
            view.release()
        del buffer[:at]

    def _take(self, view: memoryview, at: int) -> int:
        """The place behind the next message or payload; -1: it is not whole yet."""
        if self._payload >= 0:
            end = at + self._payload
            if end > len(view):
                return -1
            self._payload = -1
            self._on_payload(bytes(view[at:end]))
            return end
        try:
            size, begin = wire.read_varint(view, at)
        except IndexError:
            return -1
        if size > wire.LONGEST_MESSAGE:
            raise ProtocolError("a message that is too long")
        end = begin + size
        if end > len(view):
            return -1
        self._message(bytes(view[begin:end]))
        return end

    def _message(self, octets: bytes) -> None:
        if self.ready:
            payload = self._on_message(octets)
            if payload == 0:
                self._on_payload(b"")
            elif payload > 0:
                self._payload = payload
        elif not self._welcomed:
            self._welcome(octets)
        else:
            answer = wire.decode_response(octets)
            if answer.status != wire.SUCCESS:
                raise refusal(answer.status, answer.reason)
            self.ready = True

    def _welcome(self, octets: bytes) -> None:
        kind, content = wire.decode_server_message(octets)
        if kind != wire.WELCOME:
            raise ProtocolError("the first message of the server is not a Welcome")
        self._welcomed = True
        options = self._options
        # Kept for all further connections, so that a random service stays the same.
        options.endpoint = own_endpoint(wire.decode_welcome(content), options.endpoint)
        self.outgoing.append(wire.config(options.endpoint, options.secret, self._subscribes,
                                         options.window, stay=options.stay))


class Pending:
    """A message that has no answer yet."""

    __slots__ = ("id", "head", "payload", "slot", "done", "error")

    def __init__(self, bundle: BundleId, head: bytes, payload: Buffer, slot: Any = None) -> None:
        self.id = bundle
        self.head = head
        self.payload = payload
        self.slot = slot  #: of the caller
        self.done = False
        self.error: Optional[Refused] = None


class Sender:
    """The messages under way, in their order."""

    def __init__(self, options: Options) -> None:
        self.pending: Deque[Pending] = collections.deque()
        self._options = options
        self._last_ms = 0
        self._sequence = secrets.randbelow(1 << 31) + (1 << 28)
        self._fixed_for: Tuple[str, str, int] = ("", "", 0)
        self._fixed = b""

    def connection(self) -> Incoming:
        """Of a new connection; when it is ready, all of `pending` is to be sent on it."""
        return Incoming(self._options, False, self._answer, _no_payload)

    def add(self, message: Message, slot: Any = None) -> Pending:
        """To be sent: head and payload. The endpoint must be known, from a connection."""
        bundle = message.id or self._next_id(message.source or self._options.endpoint)
        fixed_for = (bundle.source, message.destination, bundle.creation_ms)
        if fixed_for != self._fixed_for:
            self._fixed = wire.adu_fixed(message, bundle)
            self._fixed_for = fixed_for
        payload = message.payload
        size = payload.nbytes if isinstance(payload, memoryview) else len(payload)
        head = wire.adu_head(self._fixed, bundle.sequence, size, wire.adu_options(message))
        pending = Pending(bundle, head, payload, slot)
        self.pending.append(pending)
        return pending

    def unsent(self) -> Iterable[Buffer]:
        """The octets of all that is pending, for a new connection."""
        for each in self.pending:
            yield each.head
            yield each.payload

    def _next_id(self, source: str) -> BundleId:
        # A time of its own makes a repeat recognisable; the numbers differ between processes.
        self._last_ms = max(int((time.time() - DTN_EPOCH) * 1000), self._last_ms)
        self._sequence += 1
        return BundleId(source, self._last_ms, self._sequence)

    def _answer(self, octets: bytes) -> int:
        answer = wire.decode_response(octets)
        if answer.count < 1 or answer.count > len(self.pending):
            raise ProtocolError("an answer to nothing")
        for _ in range(answer.count):
            pending = self.pending.popleft()
            pending.done = True
            if answer.status != wire.SUCCESS:
                pending.error = refusal(answer.status, answer.reason)
            if pending.slot is not None:
                pending.slot(pending)
        return -1


def _no_payload(_payload: bytes) -> None:
    raise ProtocolError("a payload for a sender")


class _Slot:
    """An ADU or a keepalive that a connection has given, until it is answered."""

    __slots__ = ("accepted", "keepalive", "connection")

    def __init__(self, connection: object, keepalive: bool = False) -> None:
        self.connection = connection
        self.keepalive = self.accepted = keepalive


_Key = Tuple[str, int, int]


class Receiver:
    """What was given and is not accepted, and what was accepted recently."""

    def __init__(self, options: Options, accept: Callable[[Adu], Any]) -> None:
        self.arrived: Deque[Adu] = collections.deque()
        self._options = options
        self._accept = accept
        self._decoder = wire.AduDecoder()
        self._arriving: Optional[Adu] = None
        self._given: Deque[_Slot] = collections.deque()
        self._connection: object = None
        self._held: Dict[_Key, Adu] = {}
        self._recent: Set[_Key] = set()
        self._recent_order: Deque[_Key] = collections.deque()

    def connection(self) -> Incoming:
        """Of a new connection; what the one before has given is given again."""
        self._given.clear()
        self._arriving = None
        made = Incoming(self._options, True, self._message, self._payload)
        self._connection = made
        return made

    def accept(self, adu: Adu) -> None:
        """Its node may forget it; answers() is then to be sent."""
        key = (adu.source, adu.creation_ms, adu.sequence)
        if _has_identity(key):
            self._held.pop(key, None)
            self._remember(key)
        slot = adu._slot
        # Of an earlier connection: when it is given again, it is accepted at once.
        if slot is not None and slot.connection is self._connection:
            slot.accepted = True
        adu._slot = None

    def answers(self) -> bytes:
        """What is accepted in front of all that is not: answers are in the order of the ADUs."""
        given = self._given
        out = b""
        count = 0
        while given and given[0].accepted:
            if given.popleft().keepalive:
                out += _success(count) + wire.response(wire.ACK)
                count = 0
            elif self._options.window == 1:
                out += wire.response(wire.SUCCESS)
            else:
                count += 1
        return out + _success(count)

    def _remember(self, key: _Key) -> None:
        if key in self._recent:
            return
        self._recent.add(key)
        self._recent_order.append(key)
        if len(self._recent_order) > MOST_RECENT:
            self._recent.discard(self._recent_order.popleft())

    def _message(self, octets: bytes) -> int:
        # An AAPMessage with an ADU: the tag, and the length up to its end.
        if octets[:1] == b"\x1a" and len(octets) > 1:
            begin = 2 if octets[1] < 0x80 else wire.read_varint(octets, 1)[1]
            self._arriving, size = self._decoder.decode(octets[begin:])
            return size
        kind, _ = wire.decode_server_message(octets)
        if kind == wire.KEEPALIVE:
            self._given.append(_Slot(self._connection, keepalive=True))
        return -1

    def _payload(self, payload: bytes) -> None:
        adu = self._arriving
        if adu is None:
            raise ProtocolError("a payload without an ADU")
        self._arriving = None
        slot = _Slot(self._connection)
        self._given.append(slot)
        key = (adu.source, adu.creation_ms, adu.sequence)
        if _has_identity(key):
            if key in self._recent:
                slot.accepted = True
                return
            held = self._held.get(key)
            if held is not None:
                held._slot = slot
                return
            self._held[key] = adu
        adu.payload = payload
        adu._slot = slot
        adu._accept = self._accept
        self.arrived.append(adu)


def _has_identity(key: _Key) -> bool:
    return key[0] not in ("", "dtn:none")


def _success(count: int) -> bytes:
    return wire.response(wire.SUCCESS, count) if count else b""
