# SPDX-License-Identifier: Apache-2.0
"""Bundle status reports of BPv7 (RFC 9171 section 6.1.1)."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Tuple

from ._types import BundleId

__all__ = ["Report", "Status", "decode_report"]

REASONS = ("no additional information", "lifetime expired",
           "forwarded over a unidirectional link", "transmission canceled", "depleted storage",
           "destination endpoint id unavailable", "no known route to the destination",
           "no timely contact with the next node", "block unintelligible", "hop limit exceeded",
           "traffic pared", "block unsupported")


class Status(NamedTuple):
    """One of the four assertions of a report."""

    asserted: bool
    time_ms: Optional[int] = None  #: DTN time


class Report(NamedTuple):
    """What a node reports about a bundle."""

    id: BundleId
    received: Status
    forwarded: Status
    delivered: Status
    deleted: Status
    reason: int

    @property
    def reason_text(self) -> str:
        known = self.reason < len(REASONS)
        return REASONS[self.reason] if known else f"reason {self.reason}"


class _Cbor:
    """Reads the items that occur in reports; any fault is a ValueError."""

    def __init__(self, octets: bytes) -> None:
        self._octets = octets
        self._at = 0

    def _take(self, size: int) -> bytes:
        part = self._octets[self._at:self._at + size]
        if len(part) != size:
            raise ValueError("a truncated administrative record")
        self._at += size
        return part

    def item(self, depth: int = 0) -> Any:
        initial = self._take(1)[0]
        major, argument = initial >> 5, initial & 31
        if argument == 31 and major == 4:
            return self._until_break(depth)
        if argument > 27 or depth > 8:
            raise ValueError("not an administrative record")
        if argument > 23:
            argument = int.from_bytes(self._take(1 << (argument - 24)), "big")
        if major == 0:
            return argument
        if major == 2:
            return self._take(argument)
        if major == 3:
            return self._take(argument).decode("utf-8")
        if major == 4:
            return [self.item(depth + 1) for _ in range(argument)]
        if major == 7 and argument in (20, 21):
            return argument == 21
        raise ValueError("not an administrative record")

    def _until_break(self, depth: int) -> List[Any]:
        items = []
        while self._octets[self._at:self._at + 1] != b"\xff":
            items.append(self.item(depth + 1))
        self._at += 1
        return items


def _endpoint(item: Any) -> str:
    scheme, rest = item
    if scheme == 1:
        return "dtn:none" if rest == 0 else f"dtn:{rest}"
    if scheme != 2:
        raise ValueError("an endpoint of an unknown scheme")
    node, service = (rest[0], rest[1]) if len(rest) == 2 else (rest[0] << 32 | rest[1], rest[2])
    if node == service == 0:
        return "dtn:none"
    if node == 0xFFFFFFFF:
        return f"ipn:!.{service}"
    head = f"{node >> 32}.{node & 0xFFFFFFFF}" if node >> 32 else str(node)
    return f"ipn:{head}.{service}"


def _status(item: Any) -> Status:
    return Status(bool(item[0]), item[1] if len(item) > 1 else None)


def decode_report(payload: bytes) -> Report:
    """Raises ValueError."""
    try:
        kind, content = _Cbor(payload).item()
        if kind != 1:
            raise ValueError(f"an administrative record of type {kind}")
        statuses, reason, source, (creation_ms, sequence), *fragment = content
        extent: Optional[Tuple[int, int]] = None
        if fragment:
            extent = (fragment[0], fragment[1])
        subject = BundleId(_endpoint(source), creation_ms, sequence, extent)
        received, forwarded, delivered, deleted = (_status(item) for item in statuses[:4])
        return Report(subject, received, forwarded, delivered, deleted, reason)
    except (TypeError, IndexError, UnicodeDecodeError) as fault:
        raise ValueError("not a status report") from fault
