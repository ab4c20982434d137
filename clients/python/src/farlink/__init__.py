# SPDX-License-Identifier: Apache-2.0
"""Sends and receives bundles through a DTN node by AAP 2.0.

    import farlink

    with farlink.connect("42") as endpoint:
        endpoint.send("ipn:20.42", b"hello")
        adu = endpoint.receive(timeout=10)
        print(adu.source, adu.payload)
        adu.accept()

`farlink.connect_async()` is the same for asyncio.
"""

from ._address import DEFAULT_ADDRESS, Address, parse_address
from ._aio import AsyncEndpoint, connect_async
from ._errors import (ConnectionLost, FarlinkError, InvalidRequest, NotFound, ProtocolError,
                      Refused, TimedOut, Unauthorized)
from ._report import Report, Status
from ._sync import Endpoint, connect
from ._types import Adu, BundleId, Message, Priority, Reception, Reports, Sent

__all__ = [
    "Address", "Adu", "AsyncEndpoint", "BundleId", "ConnectionLost", "DEFAULT_ADDRESS", "Endpoint",
    "FarlinkError", "InvalidRequest", "Message", "NotFound", "Priority", "ProtocolError",
    "Reception", "Refused", "Report", "Reports", "Sent", "Status", "TimedOut", "Unauthorized",
    "connect", "connect_async", "parse_address",
]
__version__ = "0.1.0"
