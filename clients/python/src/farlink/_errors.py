# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as exceptions."""

from __future__ import annotations

__all__ = ["ConnectionLost", "FarlinkError", "InvalidRequest", "NotFound", "ProtocolError",
           "Refused", "TimedOut", "Unauthorized", "refusal"]


class FarlinkError(Exception):
    """The base of all errors of this package."""


class ConnectionLost(FarlinkError):
    """The node cannot be reached, or the connection has ended and was not made again in time.

    An ADU that was under way may have been accepted; sending it again with its id is harmless.
    """


class ProtocolError(FarlinkError):
    """The peer does not speak AAP 2.0."""


class TimedOut(FarlinkError):
    """Nothing came in the time that was given."""


class Refused(FarlinkError):
    """The node refuses a request. `reason` is for people; it may be empty."""

    status = 8

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason or "the node refuses the request")
        self.reason = reason


class InvalidRequest(Refused):
    """The request has no meaning, such as a destination that is no endpoint."""

    status = 10


class NotFound(Refused):
    """There is no such thing."""

    status = 11


class Unauthorized(Refused):
    """This application may not do that."""

    status = 12


class NodeTimeout(Refused):
    """The node itself has waited too long."""

    status = 9


_BY_STATUS = {kind.status: kind for kind in (NodeTimeout, InvalidRequest, NotFound, Unauthorized)}


def refusal(status: int, reason: str) -> Refused:
    """The exception for an answer other than success."""
    return _BY_STATUS.get(status, Refused)(reason)
