# SPDX-License-Identifier: Apache-2.0
"""What is at both ends of a tunnel under test: ADUs of a made-up peer, sockets, a server."""
import os
import socket
import struct
import threading

from api_node import LIMIT_S

HELLO, DATAGRAMS, STREAMS = 0, 1, 2
SO_RCVBUFFORCE = 33
OPEN, DATA, END, CREDIT, RESET = 1, 2, 3, 4, 5


def adu(kind, records, number=0, session=1000, to=0):
    """What a tunnel sends (docs/formats/tunnel.md)."""
    return b"FT\x01" + struct.pack(">BQQQ", kind, session, to, number) + records


def datagram(flow, octets):
    return struct.pack(">IH", flow, len(octets)) + octets


def data(stream, offset, octets):
    return struct.pack(">BIQI", DATA, stream, offset, len(octets)) + octets


def opening(stream):
    return struct.pack(">BIQ", OPEN, stream, 1 << 20)


def bound(kind=socket.SOCK_DGRAM):
    made = socket.socket(socket.AF_INET, kind)
    made.settimeout(LIMIT_S)
    if os.getuid() == 0:
        made.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
    made.bind(("127.0.0.1", 0))
    if kind == socket.SOCK_STREAM:
        made.listen()
    return made


def port_of(made):
    return made.getsockname()[1]


def read_all(connection):
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def is_broken(connection):
    """The other side has ended it; not by an orderly end of the stream."""
    try:
        return connection.recv(1) is None
    except ConnectionError:
        return True


class Server:
    """Accepts connections, and serves each in a thread."""

    def __init__(self, serve):
        self.listener = bound(socket.SOCK_STREAM)
        self.port = port_of(self.listener)
        self.serve = serve
        self.connections = []
        self.threads = []
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.listener.settimeout(None)
        self.thread.start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            connection.settimeout(3 * LIMIT_S)
            self.connections.append(connection)
            thread = threading.Thread(target=self.guarded, args=(connection,), daemon=True)
            self.threads.append(thread)
            thread.start()

    def guarded(self, connection):
        try:
            self.serve(connection)
        except OSError:
            pass

    def end(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(LIMIT_S)
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        for thread in self.threads:
            thread.join(LIMIT_S)
        for connection in self.connections:
            connection.close()


def echo(connection):
    while octets := connection.recv(1 << 16):
        connection.sendall(octets)
    connection.shutdown(socket.SHUT_WR)
