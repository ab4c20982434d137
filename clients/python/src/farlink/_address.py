# SPDX-License-Identifier: Apache-2.0
"""Where the node listens for applications."""

from __future__ import annotations

import dataclasses
import os
import socket
from typing import Optional

__all__ = ["Address", "DEFAULT_ADDRESS", "parse_address"]

DEFAULT_ADDRESS = "/run/farlink/applications.sock"
VARIABLE = "FARLINK_APPLICATIONS"


@dataclasses.dataclass(frozen=True)
class Address:
    """A Unix socket (`path`), or a host and a port."""

    path: str = ""
    host: str = ""
    port: int = 0

    def __str__(self) -> str:
        return self.path or f"tcp://{self.host}:{self.port}"

    def open(self, timeout: Optional[float]) -> socket.socket:
        """A connected socket. Raises OSError."""
        if not self.path:
            made = socket.create_connection((self.host, self.port), timeout)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return made
        made = socket.socket(socket.AF_UNIX)
        try:
            made.settimeout(timeout)
            made.connect(self.path)
        except BaseException:
            made.close()
            raise
        return made


def parse_address(text: Optional[str] = None) -> Address:
    """`/path`, `unix:/path` or `tcp://host:port`; by default that of the variable
    FARLINK_APPLICATIONS, or the usual path."""
    text = text or os.environ.get(VARIABLE) or DEFAULT_ADDRESS
    if text.startswith("tcp:"):
        host, _, port = text[4:].lstrip("/").rpartition(":")
        if not host or not port.isdigit():
            raise ValueError(f"not an address: {text}")
        return Address(host=host.strip("[]"), port=int(port))
    return Address(path=text[5:] if text.startswith("unix:") else text)
