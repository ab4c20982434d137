# SPDX-License-Identifier: Apache-2.0
"""The messages of AAP 2.0 as octets (Protocol Buffers, each behind its length).

A codec of its own: it is short, needs no package, and takes a tenth of the time of a general one
for the one message that counts. Fields from 1000 on are farlink's own; other servers skip them.
"""

from __future__ import annotations

from typing import Dict, Iterator, NamedTuple, Optional, Tuple, Union

from ._errors import ProtocolError
from ._types import Adu, BundleId, Message, Priority, Reception

__all__ = ["ACK", "ADU", "AduDecoder", "CONFIG", "GREETING", "KEEPALIVE", "LONGEST_MESSAGE",
           "Response", "SUCCESS", "WELCOME", "adu_fixed", "adu_head", "adu_options", "config",
           "decode_response", "decode_server_message", "decode_welcome", "fields", "read_varint",
           "response", "varint"]

GREETING = 0x2F
#: Values of ResponseStatus.
SUCCESS, ACK = 1, 2
#: A longer message is no AAP 2.0.
LONGEST_MESSAGE = 1 << 20

WELCOME, CONFIG, ADU, KEEPALIVE = 1, 2, 3, 6


def varint(value: int) -> bytes:
    if value < 0x80:
        return bytes((value,))
    if value < 1 << 14:
        return bytes((value & 0x7F | 0x80, value >> 7))
    if 1 << 28 <= value < 1 << 35:
        return bytes((value & 0x7F | 0x80, value >> 7 & 0x7F | 0x80, value >> 14 & 0x7F | 0x80,
                      value >> 21 & 0x7F | 0x80, value >> 28))
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(octets: Union[bytes, bytearray, memoryview], at: int) -> Tuple[int, int]:
    """The value and the place behind it. Raises IndexError where the octets end before."""
    octet = octets[at]
    at += 1
    if octet < 0x80:
        return octet, at
    value, shift = octet & 0x7F, 7
    while True:
        octet = octets[at]
        at += 1
        value |= (octet & 0x7F) << shift
        if octet < 0x80:
            if value >> 64:
                raise ProtocolError("a number above 64 bits")
            return value, at
        shift += 7
        if shift > 63:
            raise ProtocolError("a number that is too long")


def _number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value) if value else b""


def _text(field: int, text: str) -> bytes:
    octets = text.encode("utf-8")
    return varint(field << 3 | 2) + varint(len(octets)) + octets if octets else b""


def _delimited(field: int, content: bytes) -> bytes:
    """An AAPMessage of that field, behind its length."""
    size = len(content)
    if size < 126:
        return bytes((size + 2, field << 3 | 2, size)) + content
    message = varint(field << 3 | 2) + varint(size) + content
    return varint(len(message)) + message


def fields(octets: bytes) -> Iterator[Tuple[int, Union[int, bytes]]]:
    """The number and value of each field; fields of a fixed size are skipped."""
    at, end = 0, len(octets)
    try:
        while at < end:
            tag, at = read_varint(octets, at)
            kind = tag & 7
            if kind == 0:
                value, at = read_varint(octets, at)
                yield tag >> 3, value
            elif kind == 2:
                size, at = read_varint(octets, at)
                if size > end - at:
                    raise ProtocolError("a field that exceeds its message")
                yield tag >> 3, octets[at:at + size]
                at += size
            elif kind in (1, 5):
                at += 8 if kind == 1 else 4
            else:
                raise ProtocolError("a field of an unknown kind")
    except IndexError:
        raise ProtocolError("a message that ends inside of a field") from None
    if at != end:
        raise ProtocolError("a message that ends inside of a field")


def config(endpoint: str, secret: str, subscribes: bool, window: int, *, stay: int = 0,
           keepalive: int = 0) -> bytes:
    content = (_number(1, int(subscribes)) + _text(3, secret) + _text(4, endpoint) +
               _number(5, keepalive) + _number(1000, window if window > 1 else 0) +
               _number(1001, stay) + _number(1003, int(subscribes)))
    return _delimited(CONFIG, content)


def adu_options(message: Message) -> bytes:
    """The fields behind the payload's length."""
    if message.report_to == "" and (message.lifetime is message.priority is message.reports is
                                    message.crc_type is message.hop_limit is None):
        return b""
    out = _text(7, message.report_to)
    if message.lifetime is not None:
        out += _number(1000, max(1, round(message.lifetime * 1000)))
    if message.priority is not None:
        out += varint(1001 << 3) + varint(message.priority)
    if message.reports is not None:
        out += varint(1002 << 3) + varint(message.reports)
    if message.crc_type is not None:
        out += varint(1003 << 3) + varint(message.crc_type)
    if message.hop_limit is not None:
        out += varint(1004 << 3) + varint(message.hop_limit)
    return out


def adu_head(fixed: bytes, sequence: int, payload_bytes: int, options: bytes) -> bytes:
    """What precedes the payload. `fixed`: the addresses and the creation time."""
    return _delimited(ADU, fixed + b"\x20" + varint(sequence) + b"\x28" + varint(payload_bytes) +
                      options)


def adu_fixed(message: Message, bundle: BundleId) -> bytes:
    """The fields that many messages have in common."""
    return (_text(1, bundle.source) + _text(2, message.destination) + b"\x18" +
            varint(bundle.creation_ms))


def response(status: int, count: int = 1) -> bytes:
    content = b"\x08" + varint(status) + (_number(1000, count) if count != 1 else b"")
    return varint(len(content)) + content


class Response(NamedTuple):
    status: int = 0
    count: int = 1
    reason: str = ""


_ACCEPTED = Response(SUCCESS)


def decode_response(octets: bytes) -> Response:
    if octets == b"\x08\x01":
        return _ACCEPTED
    status, count, reason = 0, 1, ""
    for number, value in fields(octets):
        if number == 1 and isinstance(value, int):
            status = value
        elif number == 1000 and isinstance(value, int):
            count = value
        elif number == 1001 and isinstance(value, bytes):
            reason = value.decode("utf-8", "replace")
    return Response(status, count, reason)


def decode_server_message(octets: bytes) -> Tuple[int, bytes]:
    """The number of the message's content, and that content."""
    found = (0, b"")
    for number, value in fields(octets):
        if number <= KEEPALIVE and isinstance(value, bytes):
            found = (number, value)
    return found


def decode_welcome(content: bytes) -> str:
    for number, value in fields(content):
        if number == 1 and isinstance(value, bytes):
            return value.decode("utf-8", "replace")
    return ""


class AduDecoder:
    """Reads BundleADU messages. Most have the endpoints of the one before: those are kept."""

    def __init__(self) -> None:
        self._prefix: Optional[bytes] = None
        self._source = self._destination = ""

    def decode(self, content: bytes) -> Tuple[Adu, int]:
        """The ADU without its payload, and the octets of that."""
        prefix = self._prefix
        if prefix is not None and content.startswith(prefix):
            at = len(prefix)
        else:
            at = self._take_endpoints(content)
        numbers: Dict[int, int] = {}
        flags, report_to = 0, ""
        end = len(content)
        try:
            while at < end:
                # As fields(), spelled out: this is done for each ADU.
                tag = content[at]
                at += 1
                if tag > 0x7F:
                    tag, at = read_varint(content, at - 1)
                value = content[at]
                at += 1
                if value > 0x7F:
                    value, at = read_varint(content, at - 1)
                kind = tag & 7
                if kind == 0 and tag != 0x30:
                    numbers[tag >> 3] = value
                elif kind == 0:
                    flags |= _flag_bits(value)
                elif kind == 2 and value <= end - at:
                    text = content[at:at + value]
                    at += value
                    if tag == 0x32:
                        flags |= _flag_bits(text)
                    elif tag == 0x3A:
                        report_to = text.decode("utf-8", "replace")
                else:
                    raise ProtocolError("a field that exceeds its message, or of an unknown kind")
        except IndexError:
            raise ProtocolError("a message that ends inside of a field") from None
        get = numbers.get
        adu = Adu(self._source, self._destination, get(3, 0), get(4, 0), b"", report_to, flags,
                  _PLAIN if len(numbers) < 4 else _reception(numbers))
        return adu, get(5, 0)

    def _take_endpoints(self, content: bytes) -> int:
        """Reads the fields 1 and 2, which every encoder writes first; the place behind them."""
        texts = {1: "", 2: ""}
        at = 0
        while at < len(content) and content[at] in (0x0A, 0x12):
            number = content[at] >> 3
            try:
                size, begin = read_varint(content, at + 1)
            except IndexError:
                raise ProtocolError("a message that ends inside of a field") from None
            if begin + size > len(content):
                raise ProtocolError("a field that exceeds its message")
            texts[number] = content[begin:begin + size].decode("utf-8", "replace")
            at = begin + size
        self._source, self._destination = texts[1], texts[2]
        self._prefix = content[:at] if at else None
        return at


_PRIORITIES = (None, Priority.BULK, Priority.NORMAL, Priority.EXPEDITED)
_PLAIN = Reception()


def _reception(numbers: Dict[int, int]) -> Reception:
    get = numbers.get
    priority = get(1016, 0)
    return Reception(get(1010, 0), get(1011, 0), get(1012, 0), get(1013, 0), get(1014, 0) != 0,
                     get(1015, 0), _PRIORITIES[priority] if priority < 4 else None)


def _flag_bits(value: Union[int, bytes]) -> int:
    """`repeated` enums are packed, or one field each."""
    if isinstance(value, int):
        return 1 << value if value < 32 else 0
    bits, at = 0, 0
    while at < len(value):
        try:
            flag, at = read_varint(value, at)
        except IndexError:
            raise ProtocolError("a message that ends inside of a field") from None
        bits |= 1 << flag if flag < 32 else 0
    return bits
