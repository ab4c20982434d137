#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bptunnel with a node: datagrams and streams both ways, and what goes wrong.

Usage: tunnel_test.py --build FOLDER [unittest arguments]
"""
import json
import os
import random
import signal
import socket
import struct
import subprocess
import threading
import unittest

from api_node import LIMIT_S, Node, main
from messages_test import Home, until
from program import Program
from tunnel_peers import (DATAGRAMS, END, STREAMS, Server, adu, bound, data, datagram, echo,
                          is_broken, opening, port_of, read_all)

NEAR, FAR = "6001", "6002"


class TunnelTest(unittest.TestCase):
    def setUp(self):
        # Bundles for them wait while an end restarts.
        self.node = Home((NEAR, FAR))
        self.addCleanup(self.node.end)

    # ---- programs

    def tunnel(self, endpoint, peer, *words):
        program = Program("bptunnel", [
            f"{Node.programs}/bptunnel", "--node", self.node.socket, "--secret-file",
            str(self.node.path / "secret"), "--json", endpoint, peer, *map(str, words)])
        self.addCleanup(program.end, signal.SIGKILL, LIMIT_S)
        program.start = program.wait_line(program.out, json.loads, LIMIT_S)
        self.assertEqual(program.start["type"], "tunnel")
        return program

    def ends(self, scheme, port, near=(), far=()):
        """The listening end and the other one, which sends to the port."""
        return (self.tunnel(NEAR, f"ipn:10.{FAR}", "--listen", f"{scheme}://127.0.0.1:0", *near),
                self.tunnel(FAR, f"ipn:10.{NEAR}", "--to", f"{scheme}://127.0.0.1:{port}", *far))

    def summary(self, program):
        self.assertEqual(program.end(signal.SIGTERM, LIMIT_S), 0, program.err_kept)
        lines = []
        while not program.out.empty():
            lines.append(json.loads(program.out.get()))
        self.assertEqual(lines[-1]["type"], "summary")
        return lines[-1]

    def send_adus(self, source, target, *adus):
        """As a peer that is made up."""
        for number, octets in enumerate(adus):
            (self.node.path / f"adu{number}").write_bytes(octets)
        subprocess.run([f"{Node.programs}/bpsend", "--node", self.node.socket, "--secret-file",
                        str(self.node.path / "secret"), "--from", source,
                        f"ipn:10.{target}", "--file",
                        *(str(self.node.path / f"adu{number}") for number in range(len(adus)))],
                       check=True, capture_output=True, timeout=3 * LIMIT_S)

    def connect(self, tunnel):
        connection = socket.create_connection(("127.0.0.1", tunnel.start["port"]), LIMIT_S)
        connection.settimeout(3 * LIMIT_S)
        self.addCleanup(connection.close)
        return connection

    def served(self, serve=echo):
        server = Server(serve)
        self.addCleanup(server.end)
        return server

    def socket(self):
        made = bound()
        self.addCleanup(made.close)
        return made

    # ---- datagrams

    def test_datagrams_both_ways(self):
        target = self.socket()
        near, far = self.ends("udp", port_of(target))
        entry = ("127.0.0.1", near.start["port"])
        clients = [self.socket() for _ in range(3)]
        sizes = (0, 1, 1200, 9000, 20_000)
        for number, client in enumerate(clients):
            for size in sizes:
                client.sendto(bytes([number]) * size, entry)
        came = {}
        for _ in range(len(clients) * len(sizes)):
            octets, source = target.recvfrom(1 << 16)
            came.setdefault(source, []).append(octets)
            target.sendto(b"to " + octets, source)
        self.assertEqual(sorted(came.values()),
                         [[bytes([number]) * size for size in sizes] for number in range(3)])
        for number, client in enumerate(clients):
            self.assertEqual([client.recv(1 << 16) for _ in sizes],
                             [b"to " + bytes([number]) * size for size in sizes])
        found = self.summary(near)
        self.assertEqual((found["datagramsIn"], found["datagramsOut"], found["flows"]), (15, 15, 3))
        self.assertEqual(self.summary(far)["faults"], 0)

    def test_many_datagrams_in_their_order(self):
        target = self.socket()
        near, _ = self.ends("udp", port_of(target))
        client = self.socket()
        came = []
        count = 20_000

        def receive():
            while len(came) < count:
                came.append(struct.unpack(">I", target.recv(2000)[:4])[0])

        reader = threading.Thread(target=receive)
        reader.start()
        for number in range(count):
            client.sendto(struct.pack(">I", number) + bytes(1196), ("127.0.0.1",
                                                                   near.start["port"]))
            # No more than the buffers of a small machine hold.
            if number - len(came) > 100:
                until(lambda: number - len(came) < 50 or not reader.is_alive(), "nothing comes")
        reader.join(3 * LIMIT_S)
        self.assertEqual(came, list(range(count)))
        found = self.summary(near)
        self.assertEqual((found["dropped"], found["datagramsIn"]), (0, count))
        self.assertLess(found["sentAdus"], count)

    def test_the_order_of_adus_does_not_matter(self):
        target = self.socket()
        far = self.tunnel(FAR, "ipn:10.7777", "--to", f"udp://127.0.0.1:{port_of(target)}",
                          "--wait-milliseconds", 20_000)
        self.send_adus("7777", FAR, *(adu(DATAGRAMS, datagram(0, b"%d" % number), number)
                                      for number in (3, 1, 2, 1, 0)))
        self.assertEqual([target.recv(100) for _ in range(4)], [b"0", b"1", b"2", b"3"])
        self.assertEqual(self.summary(far)["repeatedAdus"], 1)

    def test_what_is_missing_is_not_waited_for_without_end(self):
        target = self.socket()
        far = self.tunnel(FAR, "ipn:10.7777", "--to", f"udp://127.0.0.1:{port_of(target)}",
                          "--wait-milliseconds", 50)
        self.send_adus("7777", FAR, *(adu(DATAGRAMS, datagram(0, b"%d" % number), number)
                                      for number in (0, 2)))
        self.assertEqual([target.recv(100) for _ in range(2)], [b"0", b"2"])
        self.send_adus("7777", FAR, adu(DATAGRAMS, datagram(0, b"1"), 1))
        self.assertEqual(target.recv(100), b"1")
        found = self.summary(far)
        self.assertEqual((found["missingAdus"], found["lateAdus"]), (1, 1))

    def test_a_target_that_is_not_there(self):
        target = self.socket()
        port = port_of(target)
        target.close()
        near, far = self.ends("udp", port)
        client = self.socket()
        client.sendto(b"lost", ("127.0.0.1", near.start["port"]))
        self.assertIsNone(far.process.poll())
        target = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(target.close)
        target.settimeout(0.2)
        target.bind(("127.0.0.1", port))

        def arrives():
            client.sendto(b"again", ("127.0.0.1", near.start["port"]))
            try:
                return target.recv(100) in (b"again", b"lost")
            except TimeoutError:
                return False

        until(arrives, "no datagram after the target has come")

    # ---- streams

    def test_streams_both_ways(self):
        server = self.served()
        near, far = self.ends("tcp", server.port)
        content = random.Random(1).randbytes(5_000_000)
        connection = self.connect(near)
        writer = threading.Thread(target=lambda: (connection.sendall(content),
                                                  connection.shutdown(socket.SHUT_WR)))
        writer.start()
        self.assertEqual(read_all(connection), content)
        writer.join(LIMIT_S)
        found = self.summary(near)
        self.assertEqual((found["bytesIn"], found["bytesOut"], found["streams"],
                          found["openStreams"], found["resetStreams"]),
                         (len(content), len(content), 1, 0, 0))
        self.assertEqual(self.summary(far)["faults"], 0)

    def test_a_half_that_is_closed(self):
        def answer(connection):
            connection.sendall(b"%d octets" % len(read_all(connection)))
            connection.shutdown(socket.SHUT_WR)

        near, _ = self.ends("tcp", self.served(answer).port)
        connection = self.connect(near)
        connection.sendall(bytes(300_000))
        connection.shutdown(socket.SHUT_WR)
        self.assertEqual(read_all(connection), b"300000 octets")

    def test_many_streams(self):
        near, far = self.ends("tcp", self.served().port, far=("--streams", 64))
        contents = [random.Random(number).randbytes(20_000) for number in range(50)]
        connections = [self.connect(near) for _ in contents]
        for connection, content in zip(connections, contents):
            connection.sendall(content)
            connection.shutdown(socket.SHUT_WR)
        for connection, content in zip(connections, contents):
            self.assertEqual(read_all(connection), content)
        self.assertEqual(self.summary(far)["streams"], 50)

    def test_streams_that_are_too_many(self):
        near, far = self.ends("tcp", self.served().port, near=("--streams", 3),
                              far=("--streams", 2))
        connections = [self.connect(near) for _ in range(3)]
        connections[0].sendall(b"one")
        self.assertEqual(connections[0].recv(10), b"one")
        self.assertTrue(is_broken(connections[2]))
        connections[0].close()
        connections[1].close()

        def has_place():
            waiting = self.connect(near)
            try:
                waiting.sendall(b"two")
                return waiting.recv(10) == b"two"
            except ConnectionError:
                return False

        until(has_place, "no place for a stream")
        self.assertGreaterEqual(self.summary(far)["refusedStreams"], 1)

    def test_a_reader_that_stops(self):
        go = threading.Event()

        def wait(connection):
            if connection.recv(1) == b"w":
                go.wait(3 * LIMIT_S)
            read_all(connection)
            connection.sendall(b"done")
            connection.shutdown(socket.SHUT_WR)

        self.addCleanup(go.set)
        near, _ = self.ends("tcp", self.served(wait).port)
        held = self.connect(near)
        held.setblocking(False)
        taken = 0

        def blocks():
            nonlocal taken
            try:
                taken += held.send(b"w" * (1 << 20))
                return False
            except BlockingIOError:
                return True

        until(blocks, "the tunnel takes octets without end")
        other = self.connect(near)
        other.sendall(b"o" * 100_000)
        other.shutdown(socket.SHUT_WR)
        self.assertEqual(read_all(other), b"done")
        go.set()
        held.settimeout(3 * LIMIT_S)
        held.shutdown(socket.SHUT_WR)
        self.assertEqual(read_all(held), b"done")

    def test_no_server(self):
        listener = bound(socket.SOCK_STREAM)
        port = port_of(listener)
        listener.close()
        near, _ = self.ends("tcp", port)
        connection = self.connect(near)
        self.assertTrue(is_broken(connection))

    def test_a_connection_that_is_cut(self):
        near, far = self.ends("tcp", self.served().port)
        connection = self.connect(near)
        connection.sendall(b"hello")
        self.assertEqual(connection.recv(10), b"hello")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        far_connection = self.connect(near)
        far_connection.sendall(b"again")
        self.assertEqual(far_connection.recv(10), b"again")
        far_connection.close()
        self.assertEqual(self.summary(near)["faults"], 0)
        self.assertGreaterEqual(self.summary(far)["resetStreams"], 1)

    def test_the_order_of_messages_does_not_matter(self):
        came = []
        done = threading.Event()

        def keep(connection):
            came.append(read_all(connection))
            done.set()

        far = self.tunnel(FAR, "ipn:10.7777", "--to", f"tcp://127.0.0.1:{self.served(keep).port}")
        end = struct.pack(">BIQ", END, 0, 9)
        self.send_adus("7777", FAR, *(adu(STREAMS, records, number) for number, records in (
            (3, end), (2, data(0, 6, b"ghi")), (2, data(0, 6, b"ghi")), (1, data(0, 3, b"def")),
            (4, data(0, 2, b"cde")), (0, opening(0) + data(0, 0, b"abc")))))
        self.assertTrue(done.wait(LIMIT_S))
        self.assertEqual(came, [b"abcdefghi"])
        self.assertEqual(self.summary(far)["repeatedAdus"], 1)

    # ---- restarts

    def test_an_end_that_is_killed(self):
        server = self.served()
        near, far = self.ends("tcp", server.port)
        connection = self.connect(near)
        connection.sendall(b"one")
        self.assertEqual(connection.recv(10), b"one")
        # The end at the server: the client's connection is reset, a new one goes on.
        far.process.kill()
        far.process.wait(LIMIT_S)
        far = self.tunnel(FAR, f"ipn:10.{NEAR}", "--to", f"tcp://127.0.0.1:{server.port}")
        self.assertTrue(is_broken(connection))
        connection = self.connect(near)
        connection.sendall(b"two")
        self.assertEqual(connection.recv(10), b"two")
        # The end at the client: the server's connection is reset.
        near.process.kill()
        near.process.wait(LIMIT_S)
        near = self.tunnel(NEAR, f"ipn:10.{FAR}", "--listen", "tcp://127.0.0.1:0")
        until(lambda: not server.threads[-1].is_alive(), "the server's connection stays")
        connection = self.connect(near)
        connection.sendall(b"three")
        self.assertEqual(connection.recv(10), b"three")
        self.assertEqual(self.summary(near)["streams"], 1)

    def test_a_node_that_comes_back(self):
        server = self.served()
        near, _ = self.ends("tcp", server.port)
        connection = self.connect(near)
        connection.sendall(b"one")
        self.assertEqual(connection.recv(10), b"one")
        self.node.stop()
        connection.sendall(b"two")
        self.node.start()
        self.assertEqual(connection.recv(10), b"two")

    def test_a_node_that_is_gone(self):
        near = self.tunnel(NEAR, f"ipn:10.{FAR}", "--listen", "udp://127.0.0.1:0", "--reconnect",
                           0.2)
        self.node.stop()
        self.assertEqual(near.process.wait(LIMIT_S), 1)
        near.wait_line(near.err, lambda line: line if "was lost" in line else None, LIMIT_S)

    # ---- hostile peers

    def test_what_is_not_of_a_tunnel_is_ignored(self):
        target = self.socket()
        far = self.tunnel(FAR, "ipn:10.7777", "--to", f"udp://127.0.0.1:{port_of(target)}")
        self.send_adus("7778", FAR, adu(DATAGRAMS, datagram(0, b"stranger")))
        self.send_adus("7777", FAR, b"", b"nonsense", adu(STREAMS, opening(0)),
                       adu(DATAGRAMS, datagram(0, b"cut")[:-1]),
                       adu(DATAGRAMS, datagram(0, b"good"), 1))
        self.assertEqual(target.recv(100), b"good")
        found = self.summary(far)
        self.assertEqual((found["unknownAdus"], found["faults"]), (4, 1))

    def test_messages_that_are_not_allowed(self):
        server = self.served()
        far = self.tunnel(FAR, "any", "--to", f"tcp://127.0.0.1:{server.port}")
        rng = random.Random(5)
        self.send_adus("7777", FAR, adu(STREAMS, opening(0) + data(0, 1 << 40, b"far"), 0),
                       adu(STREAMS, data(0, (1 << 64) - 1, b"over"), 1),
                       adu(STREAMS, b"\xff" * 100, 2), adu(STREAMS, opening(1)[:-1], 3),
                       *(adu(STREAMS, rng.randbytes(rng.randrange(100)), number)
                         for number in range(4, 60)))
        self.send_adus("7778", FAR, adu(STREAMS, opening(0) + data(0, 0, b"good"), 0))
        until(lambda: server.connections, "no connection")
        found = self.summary(far)
        self.assertGreaterEqual(found["faults"], 3)
        self.assertEqual(found["error"], "")

    # ---- bad usage

    def run_tunnel(self, code, *words):
        done = subprocess.run([f"{Node.programs}/bptunnel", *map(str, words)], capture_output=True,
                              text=True, timeout=3 * LIMIT_S, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_bad_usage(self):
        node = ("--node", self.node.socket)
        peer = f"ipn:10.{FAR}"
        self.run_tunnel(2, *node, NEAR, peer)
        self.run_tunnel(2, *node, NEAR, peer, "--listen", "udp://127.0.0.1:0", "--to",
                        "udp://127.0.0.1:1")
        for url in ("127.0.0.1:5", "udp://127.0.0.1", "udp://::1:5", "tcp://a:b", "tcp://a:99999"):
            self.assertIn("--listen", self.run_tunnel(2, *node, NEAR, peer, "--listen", url))
        self.run_tunnel(2, *node, NEAR, peer, "--to", "udp://127.0.0.1:0")
        self.run_tunnel(2, *node, NEAR, "any", "--listen", "udp://127.0.0.1:0")
        self.run_tunnel(2, *node, NEAR, "nonsense", "--to", "udp://127.0.0.1:5")
        self.run_tunnel(3, *node, "2047", peer, "--to", "udp://127.0.0.1:5")
        self.assertIn("no node is running", self.run_tunnel(
            3, "--node", self.node.path / "absent", "--connect-timeout", 0.1, NEAR, peer, "--to",
            "udp://127.0.0.1:5"))
        taken = bound(socket.SOCK_STREAM)
        self.addCleanup(taken.close)
        self.run_tunnel(1, *node, NEAR, peer, "--listen", f"tcp://127.0.0.1:{port_of(taken)}")

    def test_a_peer_that_is_not_allowed(self):
        self.assertIn("lost", self.run_tunnel(1, "--node", self.node.socket, NEAR, "ipn:30.1",
                                              "--to", "udp://127.0.0.1:5"))


if __name__ == "__main__":
    os.environ.pop("FARLINK_APPLICATIONS", None)
    main(__doc__)
