# SPDX-License-Identifier: Apache-2.0
"""Ports for programs whose port must be known before they start."""
import pathlib
import random
import socket

LOCALHOST = "127.0.0.1"
#: A name for each port that was given, as long as this process runs.
_names = {}


def _below_ephemeral():
    """Ports that the system never chooses by itself."""
    first, last = map(int, pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range")
                      .read_text(encoding="ascii").split())
    return max(range(10000, first), range(last + 1, 65536), key=len) or range(10000, 65536)


def free_port():
    """A port that nothing uses, for TCP and UDP on the loopback address.

    Neither another process that asks here nor the system gives it away before this process ends.
    """
    while True:
        port = random.choice(_below_ephemeral())
        name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with name, socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
            tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                name.bind(f"\0farlink-port-{port}")
                tcp.bind((LOCALHOST, port))
                udp.bind((LOCALHOST, port))
            except OSError:
                continue
            _names[port] = name.dup()
            return port


def free_ports(count):
    """As many ports as `count`."""
    return [free_port() for _ in range(count)]
