# SPDX-License-Identifier: Apache-2.0
"""A small AAP 2.0 server for tests: it passes ADUs between the endpoints of one node.

It has a codec of its own, so that a fault of the package's codec is not met by the same one here.
Tests make it drop connections at chosen places.
"""

import collections
import os
import socket
import threading


def encode_varint(value):
    out = b""
    while value > 127:
        out += bytes([value % 128 + 128])
        value //= 128
    return out + bytes([value])


def encode_field(number, value):
    if isinstance(value, int):
        return encode_varint(number * 8) + encode_varint(value)
    value = value.encode() if isinstance(value, str) else value
    return encode_varint(number * 8 + 2) + encode_varint(len(value)) + value


def encode(fields):
    return b"".join(encode_field(number, value) for number, value in fields)


def delimited(octets):
    return encode_varint(len(octets)) + octets


def decode(octets):
    """A list of (number, value)."""
    found, place = [], 0

    def varint():
        nonlocal place
        value = shift = 0
        while True:
            octet = octets[place]
            place += 1
            value += (octet % 128) << shift
            shift += 7
            if octet < 128:
                return value

    while place < len(octets):
        tag = varint()
        value = varint()
        if tag % 8 == 2:
            value, place = octets[place:place + value], place + value
        found.append((tag // 8, value))
    return found


class Given:
    """An ADU for an endpoint; `given` counts how often it was given."""

    def __init__(self, fields, payload):
        self.fields, self.payload, self.given = fields, payload, 0


class Mailbox:
    def __init__(self):
        self.waiting = collections.deque()
        self.secret = None


class Server:
    """Listens at `path`. Set its attributes before a client connects."""

    def __init__(self, path, node_id="ipn:10.0"):
        self.path, self.node_id = path, node_id
        self.changed = threading.Condition()
        self.mailboxes = collections.defaultdict(Mailbox)
        self.accepted = []  # (creation, sequence) of each ADU, in the order of acceptance
        self.refuse = {}  # destination: (status, reason)
        self.window = 1  # answers in one response
        self.drop_before_answers = 0  # connections that end when an ADU is stored, unanswered
        self.drop_after_gifts = 0  # connections that end when an ADU was given
        self.delivered = []  # ADUs that receivers have accepted
        self.report = None  # an ADU that is put into the mailbox of report_to
        self.connections = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        self.threads = [threading.Thread(target=self.accept, daemon=True)]
        self.threads[0].start()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        with self.changed:
            for each in self.connections:
                shut(each)
            self.changed.notify_all()
        for thread in self.threads:
            thread.join(10)
        os.unlink(self.path)

    def drop_all(self):
        with self.changed:
            for each in self.connections:
                shut(each)

    def forget(self):
        """Endpoints end with their connections."""
        with self.changed:
            self.mailboxes.clear()

    def accept(self):
        while True:
            try:
                made, _ = self.listener.accept()
            except OSError:
                return
            with self.changed:
                self.connections.append(made)
            thread = threading.Thread(target=self.serve, args=(made,), daemon=True)
            self.threads.append(thread)
            thread.start()

    def serve(self, made):
        reader = made.makefile("rb")
        try:
            made.sendall(b"\x2f" + delimited(encode([(1, encode([(1, self.node_id)]))])))
            message = dict(decode(read_message(reader)))
            config = dict(decode(message[2]))
            endpoint = config[4].decode()
            with self.changed:
                mailbox = self.mailboxes[endpoint]
                right = mailbox.secret in (None, config.get(3))
                mailbox.secret = config.get(3)
            status = 1 if right else 12
            made.sendall(delimited(encode([(1, status)] + ([] if right else [(1001, "no")]))))
            if right and config.get(1):
                self.give(made, reader, endpoint, config.get(1000, 1))
            elif right:
                self.take(made, reader)
        except (OSError, EOFError):
            pass
        finally:
            shut(made)
            reader.close()
            made.close()

    def take(self, made, reader):
        """From a sender. Answers are held back while more ADUs are there, up to the window."""
        owed = 0
        while True:
            message = dict(decode(read_message(reader)))
            if 6 in message:
                made.sendall(delimited(encode([(1, 2)])))
                continue
            fields = decode(message[3])
            known = dict(fields)
            payload = read_exactly(reader, known.get(5, 0))
            destination = known[2].decode()
            if destination in self.refuse:
                status, reason = self.refuse[destination]
                owed = self.answer(made, owed)
                made.sendall(delimited(encode([(1, status), (1001, reason)])))
                continue
            self.store(destination, fields, payload)
            if self.drop_before_answers:
                self.drop_before_answers -= 1
                return
            owed += 1
            if owed >= self.window or not reader.peek(1):
                owed = self.answer(made, owed)

    def answer(self, made, owed):
        if owed:
            count = [(1000, owed)] if owed > 1 else []
            made.sendall(delimited(encode([(1, 1)] + count)))
        return 0

    def store(self, destination, fields, payload):
        known = dict(fields)
        key = (known[1], known.get(3, 0), known.get(4, 0))
        with self.changed:
            if key in self.accepted:  # a repeat is the same bundle
                return
            self.accepted.append(key)
            self.mailboxes[destination].waiting.append(Given(fields, payload))
            if self.report and 7 in known:
                report = self.report(known)
                self.mailboxes[known[7].decode()].waiting.append(report)
            self.changed.notify_all()

    def give(self, made, reader, endpoint, window):
        """To a receiver; what it has not accepted goes back to the front."""
        mailbox = self.mailboxes[endpoint]
        given = collections.deque()
        ended = threading.Event()

        def answers():
            try:
                while True:
                    response = dict(decode(read_message(reader)))
                    with self.changed:
                        for _ in range(response.get(1000, 1)):
                            if response[1] == 2:
                                continue
                            self.delivered.append(given.popleft())
                        self.changed.notify_all()
            except (OSError, EOFError, IndexError):
                ended.set()
                with self.changed:
                    self.changed.notify_all()

        thread = threading.Thread(target=answers, daemon=True)
        thread.start()
        try:
            while not ended.is_set():
                with self.changed:
                    while not ended.is_set() and (not mailbox.waiting or len(given) >= window):
                        self.changed.wait(10)
                    if ended.is_set():
                        break
                    adu = mailbox.waiting.popleft()
                    given.append(adu)
                    adu.given += 1
                fields = [each for each in adu.fields if each[0] < 1000]
                if adu.given > 1:
                    fields.append((1014, 1))
                made.sendall(delimited(encode([(3, encode(fields))])) + adu.payload)
                if self.drop_after_gifts:
                    self.drop_after_gifts -= 1
                    break
        finally:
            shut(made)
            thread.join(10)
            with self.changed:
                mailbox.waiting.extendleft(reversed(given))
                self.changed.notify_all()


def shut(made):
    try:
        made.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def read_exactly(reader, size):
    octets = reader.read(size)
    if len(octets) < size:
        raise EOFError
    return octets


def read_message(reader):
    size = shift = 0
    while True:
        octet = read_exactly(reader, 1)[0]
        size += (octet % 128) << shift
        shift += 7
        if octet < 128:
            return read_exactly(reader, size)
