#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bpsend and bpreceive with a node: every way in and out, and what fails.

Usage: messages_test.py --build FOLDER [unittest arguments]
"""
import array
import fcntl
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import termios
import threading
import time
import unittest

from api_node import LIMIT_S, Node, main
from program import Program

WAITS = "5042"  # a configured endpoint, whose bundles wait
TO = f"ipn:10.{WAITS}"
OK, FAILED, USAGE, NO_NODE = 0, 1, 2, 3


def until(done, what):
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        found = done()
        if found:
            return found
        threading.Event().wait(0.02)
    raise AssertionError(what)


def unread(pipe):
    """Octets that nobody has read yet."""
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


class Home:
    """A node in a folder of its own, which may be started again."""

    def __init__(self, endpoints=(WAITS,)):
        self.folder = tempfile.TemporaryDirectory(prefix="farlink-messages-")
        self.path = pathlib.Path(self.folder.name)
        self.socket = str(self.path / "app.sock")
        (self.path / "node.json").write_text(json.dumps({
            "myNodeId": 10,
            "inductsConfig": [{"url": "stcp://127.0.0.1:0"}],
            "outductsConfig": [{"url": "stcp://127.0.0.1:1", "nextHopNodeId": 20}],
            "storageConfig": {"storeFilePath": "store"},
            "applications": {
                "socket": "app.sock", "endpoints": [{"endpoint": name} for name in endpoints],
                "access": [{"user": str(os.getuid()), "register": ["ipn:10.*"],
                            "sendTo": ["ipn:10.*", "ipn:20.*"]}]}}))
        (self.path / "secret").write_text("of the test\n")
        self.start()

    def start(self):
        self.program = Program("farlink", [f"{Node.programs}/farlink", "--counters", "--config",
                                           str(self.path / "node.json")])
        self.program.wait_line(self.program.out,
                               lambda line: True if '"ready"' in line else None, LIMIT_S)

    def stop(self):
        code = self.program.end(signal.SIGTERM, LIMIT_S)
        if code != 0:
            raise AssertionError(f"exit code {code}\n" + "".join(self.program.err_kept))

    def end(self):
        if self.program.process.poll() is None:
            self.stop()
        self.folder.cleanup()


class MessagesTest(unittest.TestCase):
    def setUp(self):
        self.node = Home()
        self.addCleanup(self.node.end)
        self.path = self.node.path

    def words(self, name, *words):
        # Receivers that follow one another have one secret, since the node may not have noticed yet
        # that the first is gone.
        secret = ["--secret-file", str(self.path / "secret")] if name == "bpreceive" else []
        return [f"{Node.programs}/{name}", "--node", self.node.socket, *secret, *map(str, words)]

    def run_program(self, words, code=OK, **options):
        """What it printed to standard output and standard error."""
        done = subprocess.run(words, capture_output=True, timeout=3 * LIMIT_S, check=False,
                              **options)
        error = done.stderr.decode()
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{error}")
        return done.stdout, error

    def send(self, *words, code=OK, text=b""):
        return self.run_program(self.words("bpsend", *words), code, input=text)

    def sent_ids(self, *words, text=b""):
        """The ids of accepted messages, in their order."""
        out, _ = self.send(*words, "--json", text=text)
        lines = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([line["type"] for line in lines],
                         ["accepted"] * (len(lines) - 1) + ["summary"], lines)
        self.assertEqual(lines[-1]["accepted"], len(lines) - 1, lines)
        return [line["id"] for line in lines[:-1]]

    def receive(self, *words, code=OK):
        return self.run_program(
            self.words("bpreceive", WAITS, "--timeout", LIMIT_S, *words), code,
            stdin=subprocess.DEVNULL)

    def started(self, name, *words, ready=None, **options):
        """A program that goes on; `ready`: what it prints to standard error first."""
        program = Program(name, self.words(name, *words), **options)
        self.addCleanup(program.end, signal.SIGKILL, LIMIT_S)
        if ready is not None:
            program.wait_line(program.err, lambda line: line if ready in line else None, LIMIT_S)
        return program

    # ---- ways in and out

    def test_an_argument_to_a_line(self):
        out, _ = self.send(TO, "hello")
        self.assertIn(b"1 of 1 message accepted, 5 bytes", out)
        self.assertEqual(self.receive("--lines", "--count", 1)[0], b"hello\n")

    def test_several_arguments_from_a_service(self):
        ids = self.sent_ids("--from", "5050", TO, "one", "", "three")
        self.assertEqual(len(set(ids)), 3)
        lines = [json.loads(line)
                 for line in self.receive("--json", "--count", 3)[0].splitlines()]
        self.assertEqual(sorted(line["id"] for line in lines[:-1]), sorted(ids))
        self.assertEqual({line["source"] for line in lines[:-1]}, {"ipn:10.5050"})
        self.assertEqual({line["payload"] for line in lines[:-1]}, {"b25l", "", "dGhyZWU="})
        self.assertEqual((lines[-1]["type"], lines[-1]["bundles"]), ("summary", 3))

    def test_lines_of_standard_input(self):
        text = b"".join(b"line %d\n" % number for number in range(1000))
        self.assertIn(b"1000 of 1000 messages", self.send(TO, "--lines", text=text)[0])
        out, _ = self.receive("--lines", "--count", 1000)
        self.assertEqual(sorted(out.splitlines()), sorted(text.splitlines()))

    def test_standard_input_as_a_whole(self):
        content = random.Random(1).randbytes(300_000)
        self.send(TO, text=content)
        self.assertEqual(self.receive("--count", 1)[0], content)

    def test_files_by_size_to_a_folder(self):
        content = random.Random(2).randbytes(1_000_000)
        (self.path / "in").write_bytes(content)
        ids = self.sent_ids(TO, "--file", self.path / "in", "--bytes", "30k")
        self.assertEqual(len(ids), 34)
        folder = self.path / "received"
        self.receive("--folder", folder, "--count", len(ids))
        names = [id_.replace("/", ",") for id_ in ids]
        self.assertEqual(sorted(os.listdir(folder)), sorted(names))
        self.assertEqual(b"".join((folder / name).read_bytes() for name in names), content)

    def test_each_bundle_to_a_command(self):
        ids = self.sent_ids("--from", "5050", TO, "first", "second")
        self.receive("--count", 2, "--exec",
                     f'cd {self.path}; cat >> payloads; '
                     'echo "$FARLINK_SOURCE $FARLINK_DESTINATION $FARLINK_ID" >> ids')
        self.assertEqual(sorted((self.path / "ids").read_text().splitlines()),
                         sorted(f"ipn:10.5050 {TO} {id_}" for id_ in ids))
        self.assertIn((self.path / "payloads").read_text(), ("firstsecond", "secondfirst"))

    def test_a_receiver_that_waits(self):
        receiver = self.started("bpreceive", "5001", "--lines", "--count", 3,
                                ready="receiving at ipn:10.5001")
        self.send("ipn:10.5001", "--lines", text=b"a\nb\nc")
        self.assertEqual(receiver.process.wait(LIMIT_S), OK)
        self.assertEqual(sorted(receiver.out.get(timeout=LIMIT_S) for _ in range(3)),
                         ["a", "b", "c"])

    def test_the_socket_of_the_environment(self):
        environment = {**os.environ, "FARLINK_APPLICATIONS": self.node.socket}
        self.run_program([f"{Node.programs}/bpsend", TO, "hello"], env=environment)
        out, _ = self.run_program([f"{Node.programs}/bpreceive", WAITS, "--count", "1"],
                                  env=environment)
        self.assertEqual(out, b"hello")

    # ---- what is not accepted is given again

    def test_a_command_that_fails(self):
        self.send(TO, "again")
        _, error = self.receive("--exec", "exit 7", code=FAILED)
        self.assertIn("exit code 7", error)
        self.assertEqual(self.receive("--count", 1)[0], b"again")

    def test_a_receiver_that_is_killed(self):
        self.send(TO, "again")
        receiver = self.started("bpreceive", WAITS, "--exec",
                                f"cat > {self.path}/seen; echo > {self.path}/taken; exec sleep 600")
        until((self.path / "taken").exists, "no command was run")
        os.killpg(receiver.process.pid, signal.SIGKILL)
        receiver.process.wait(LIMIT_S)
        self.assertEqual((self.path / "seen").read_text(), "again")
        self.assertEqual(self.receive("--count", 1)[0], b"again")

    def test_an_output_that_fails(self):
        self.send(TO, "again")
        words = self.words("bpreceive", WAITS, "--count", 1, "--timeout", LIMIT_S)
        with open("/dev/full", "wb") as full:
            done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, timeout=3 * LIMIT_S,
                                  check=False)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"No space left on device", done.stderr)
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, timeout=3 * LIMIT_S,
                              check=False)
        os.close(writer)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"the reading program has closed it", done.stderr)
        self.assertEqual(self.receive("--count", 1)[0], b"again")

    # ---- ends

    def test_an_interruption_is_an_orderly_end(self):
        receiver = self.started("bpreceive", WAITS, "--json", ready="receiving at " + TO)
        self.send(TO, "one")
        receiver.wait_line(receiver.out, lambda line: True if '"bundle"' in line else None, LIMIT_S)
        self.assertEqual(receiver.end(signal.SIGINT, LIMIT_S), OK)
        summary = json.loads(receiver.out.get(timeout=LIMIT_S))
        self.assertEqual((summary["type"], summary["bundles"]), ("summary", 1))
        sender = self.started("bpsend", TO, "--lines", stdin=subprocess.PIPE)
        sender.process.stdin.write("two\n")
        sender.process.stdin.flush()
        self.assertEqual(self.receive("--count", 1)[0], b"two")
        self.assertEqual(sender.end(signal.SIGTERM, LIMIT_S), FAILED)
        self.assertIn("1 of 1 message accepted", sender.out.get(timeout=LIMIT_S))

    def test_an_interruption_while_the_node_does_not_answer(self):
        sender = self.started("bpsend", TO, "--lines", "--json", "--progress", "--timeout", 0,
                              stdin=subprocess.PIPE)
        written = []

        def write(text):
            sender.process.stdin.write(text + "\n")
            sender.process.stdin.flush()
            written.append(text)

        def all_answered():
            write("one")
            threading.Event().wait(0.2)
            return any(line.startswith(f"{len(written)} messages") for line in sender.err_kept)

        until(all_answered, "no progress")
        self.node.program.process.send_signal(signal.SIGSTOP)
        try:
            write("two")
            until(lambda: unread(sender.process.stdin) == 0, "the input was not read")
            self.assertEqual(sender.end(signal.SIGINT, LIMIT_S), FAILED)
        finally:
            self.node.program.process.send_signal(signal.SIGCONT)
        *_, last, summary = [json.loads(line) for line in sender.out.queue]
        self.assertEqual((last["type"], last["reason"]), ("unknown", "interrupted"))
        self.assertEqual((summary["accepted"], summary["unknown"], summary["error"]),
                         (len(written) - 1, 1, "interrupted"))

    def test_time_without_a_bundle(self):
        words = self.words("bpreceive", WAITS, "--timeout", 0.2)
        self.run_program(words)
        _, error = self.run_program([*words, "--count", "1"], FAILED)
        self.assertIn("no bundle arrived within the time limit", error)

    def test_a_node_that_goes_away(self):
        receiver = self.started("bpreceive", WAITS, "--lines", "--reconnect", 0.2,
                                ready="receiving at")
        sender = self.started("bpsend", TO, "--lines", "--reconnect", 0.2, stdin=subprocess.PIPE)
        sender.process.stdin.write("one\n")
        sender.process.stdin.flush()
        receiver.wait_line(receiver.out, lambda line: line if line == "one" else None, LIMIT_S)
        self.node.stop()
        sender.process.stdin.write("two\n")
        sender.process.stdin.close()
        for program in (receiver, sender):
            self.assertEqual(program.process.wait(LIMIT_S), FAILED, program.name)
            program.wait_line(program.err, lambda line: line if "was lost" in line else None,
                              LIMIT_S)

    def test_a_node_that_comes_back(self):
        sender = self.started("bpsend", TO, "--lines", stdin=subprocess.PIPE)
        sender.process.stdin.write("one\n")
        sender.process.stdin.flush()
        self.assertEqual(self.receive("--count", 1)[0], b"one")
        self.node.stop()
        self.node.start()
        sender.process.stdin.write("two\n")
        sender.process.stdin.close()
        self.assertEqual(sender.process.wait(2 * LIMIT_S), OK, sender.err_kept)
        self.assertIn("2 of 2 messages accepted", sender.out.get(timeout=LIMIT_S))
        self.assertEqual(self.receive("--count", 1)[0], b"two")

    # ---- refusals, and bad usage

    def test_a_destination_that_is_not_allowed(self):
        out, error = self.send("ipn:30.1", "one", "two", code=FAILED)
        self.assertIn(b"0 of 2 messages accepted", out)
        self.assertEqual(error.count("was refused: "), 2, error)
        lines = [json.loads(line) for line in self.send("ipn:30.1", "one", "--json",
                                                        code=FAILED)[0].splitlines()]
        self.assertEqual([line["type"] for line in lines], ["refused", "summary"])
        self.assertTrue(lines[0]["reason"])

    def test_an_endpoint_that_is_not_free(self):
        self.started("bpreceive", WAITS, ready="receiving at")
        _, error = self.run_program([f"{Node.programs}/bpreceive", "--node", self.node.socket,
                                     WAITS], NO_NODE)
        self.assertIn("refuses the endpoint", error)
        _, error = self.send("--from", "2047", TO, "hello", code=NO_NODE)
        self.assertIn("refuses the endpoint", error)

    def test_no_node(self):
        absent = ("--node", self.path / "absent", "--connect-timeout", 0.1)
        for words in (("bpsend", *absent, TO, "hello"), ("bpreceive", *absent, WAITS)):
            _, error = self.run_program([f"{Node.programs}/{words[0]}", *map(str, words[1:])],
                                        NO_NODE)
            self.assertIn("no node is running", error)

    def test_bad_usage(self):
        self.send("nonsense", "hello", code=USAGE)
        self.send(TO, "hello", "--lines", code=USAGE)
        _, error = self.send(TO, "--file", self.path / "absent", code=USAGE)
        self.assertIn("No such file", error)
        self.receive("--folder", "a", "--exec", "b", code=USAGE)


if __name__ == "__main__":
    main(__doc__)
