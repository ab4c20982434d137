# SPDX-License-Identifier: Apache-2.0
"""A hand-made WebSocket client (RFC 6455) of a node's API."""
import base64
import json
import os
import socket

from api_node import LIMIT_S


class WebSocket:

    TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9

    def __init__(self, node, target, token, receive_buffer=0):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(LIMIT_S)
        self.socket.connect(("127.0.0.1", node.port))
        self.socket.sendall(
            (f"GET {target} HTTP/1.1\r\n"
             f"Host: 127.0.0.1:{node.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n"
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: farlink.v1, "
             f"farlink.token.{token}\r\n\r\n").encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.socket.recv(1)
        self.status = int(answer.split()[1])

    def exactly(self, size):
        octets = b""
        while len(octets) < size:
            octets += self.socket.recv(size - len(octets)) or self.ended()
        return octets

    @staticmethod
    def ended():
        raise ConnectionError("the node has closed the connection")

    def frame(self, kind, octets):
        size = len(octets)
        length = (bytes([0x80 | size]) if size < 126 else
                  b"\xfe" + size.to_bytes(2, "big") if size < 65536 else
                  b"\xff" + size.to_bytes(8, "big"))
        self.socket.sendall(bytes([0x80 | kind]) + length + bytes(4) + octets)

    def read(self):
        """The head and the payload of the next message; the code of a close."""
        while True:
            kind, length = self.exactly(2)
            size = length if length < 126 else int.from_bytes(
                self.exactly(2 if length == 126 else 8), "big")
            octets = self.exactly(size)
            kind &= 15
            if kind == self.CLOSE:
                return {"type": "close", "code": int.from_bytes(octets[:2], "big")}, b""
            if kind == self.TEXT:
                return json.loads(octets), b""
            if kind == self.BINARY:
                end = 4 + int.from_bytes(octets[:4], "big")
                return json.loads(octets[4:end]), octets[end:]
