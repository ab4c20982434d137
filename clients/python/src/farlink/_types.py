# SPDX-License-Identifier: Apache-2.0
"""What is sent and received."""

from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, Tuple, Union

if TYPE_CHECKING:
    from ._errors import FarlinkError
    from ._report import Report

__all__ = ["Adu", "BundleId", "Buffer", "Message", "Priority", "Reception", "Reports", "Sent"]

Buffer = Union[bytes, bytearray, memoryview]


class Priority(enum.IntEnum):
    BULK = 0
    NORMAL = 1
    EXPEDITED = 2


class Reports(enum.IntFlag):
    """The status reports that a bundle requests."""

    NONE = 0
    FORWARDING = 1
    DELETION = 2
    RECEPTION = 4
    DELIVERY = 8


class BundleId(NamedTuple):
    """The identity of a bundle; as text SOURCE/TIME/SEQUENCE, with /OFFSET+LENGTH of a fragment."""

    source: str
    creation_ms: int  #: DTN time: milliseconds since 2000-01-01 UTC
    sequence: int
    fragment: Optional[Tuple[int, int]] = None  #: offset and length

    def __str__(self) -> str:
        text = f"{self.source}/{self.creation_ms}/{self.sequence}"
        return text if self.fragment is None else f"{text}/{self.fragment[0]}+{self.fragment[1]}"

    @classmethod
    def parse(cls, text: str) -> BundleId:
        """Reads what str() writes. Raises ValueError."""
        fragment = None
        rest, _, last = text.rpartition("/")
        if "+" in last:
            offset, _, length = last.partition("+")
            fragment = (_number(offset), _number(length))
            rest, _, last = rest.rpartition("/")
        source, _, creation = rest.rpartition("/")
        if ":" not in source:
            raise ValueError(f"not the id of a bundle: {text}")
        return cls(source, _number(creation), _number(last), fragment)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"not a number: {text!r}")
    return int(text)


@dataclasses.dataclass
class Message:
    """An ADU to send. What is None is left to the node."""

    destination: str
    payload: Buffer
    source: str = ""  #: the endpoint itself if empty
    report_to: str = ""
    lifetime: Optional[float] = None  #: seconds
    priority: Optional[Priority] = None
    reports: Optional[Reports] = None
    crc_type: Optional[int] = None  #: 0 none, 1 CRC-16, 2 CRC-32C
    hop_limit: Optional[int] = None
    id: Optional[BundleId] = None  #: of a message that may have been sent before


class Sent(NamedTuple):
    """What became of a message."""

    id: BundleId
    error: Optional[FarlinkError] = None  #: None: the node has accepted it


class Reception(NamedTuple):
    """What the node adds to an ADU that it gives."""

    previous_node: int = 0  #: the node number of the neighbour; 0: none
    hop_count: int = 0
    hop_limit: int = 0  #: 0: none
    age_ms: int = 0
    repeated: bool = False  #: it may have been given to a receiver before
    identity: int = 0  #: the same each time it is given
    priority: Optional[Priority] = None


class Adu:
    """An ADU that was received. It is given again, to this receiver or another, unless accepted."""

    __slots__ = ("source", "destination", "creation_ms", "sequence", "payload", "report_to",
                 "flags", "reception", "_accept", "_slot")

    source: str
    destination: str
    creation_ms: int
    sequence: int
    payload: bytes
    report_to: str
    flags: int
    reception: Reception
    _accept: Optional[Callable[[Adu], Any]]
    _slot: Any

    def __init__(self, source: str, destination: str, creation_ms: int, sequence: int,
                 payload: bytes, report_to: str = "", flags: int = 0,
                 reception: Reception = Reception()) -> None:
        self.source = source
        self.destination = destination
        self.creation_ms = creation_ms
        self.sequence = sequence
        self.payload = payload
        self.report_to = report_to
        self.flags = flags
        self.reception = reception
        self._accept = None
        self._slot = None

    @property
    def id(self) -> BundleId:
        return BundleId(self.source, self.creation_ms, self.sequence)

    @property
    def is_report(self) -> bool:
        """It is a status report; `report` is what it reports."""
        return bool(self.flags & 1 << 3)

    @property
    def report(self) -> Report:
        """Raises ValueError where it is no status report."""
        from ._report import decode_report

        return decode_report(self.payload)

    def accept(self) -> Any:
        """The node may forget it. Of an AsyncEndpoint: to be awaited."""
        if self._accept is None:
            raise ValueError("this ADU was not received")
        return self._accept(self)

    def __repr__(self) -> str:
        return f"<Adu {self.id} to {self.destination}, {len(self.payload)} bytes>"
