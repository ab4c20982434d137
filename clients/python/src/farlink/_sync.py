# SPDX-License-Identifier: Apache-2.0
"""The synchronous client."""

from __future__ import annotations

import collections
import socket
import threading
import time
from types import TracebackType
from typing import Any, Callable, Deque, Iterable, Iterator, List, Optional, Tuple, Type, Union

from ._address import Address, parse_address
from ._errors import ConnectionLost, ProtocolError, Refused, TimedOut
from ._report import Report
from ._session import Incoming, Options, Pending, Receiver, Sender
from ._types import Adu, Buffer, BundleId, Message, Sent

__all__ = ["Endpoint", "connect"]

READ_BYTES = 1 << 18
#: Octets that are joined for one call of the kernel.
JOINED_BYTES = 1 << 17
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0

Messages = Iterable[Union[Message, Tuple[str, Buffer]]]


def _deadline(timeout: Optional[float]) -> Optional[float]:
    return None if timeout is None else time.monotonic() + timeout


def _left(deadline: Optional[float]) -> Optional[float]:
    """Seconds; raises TimedOut where there are none."""
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimedOut("no data arrived in time")
    return left


class _Channel:
    """One connection that is made again when it is lost. One thread at a time but for answer();
    `lock` guards what the session changes."""

    def __init__(self, address: Address, retry: float, open_session: Callable[[], Incoming],
                 unsent: Callable[[], Iterable[Buffer]]) -> None:
        self.lock = threading.RLock()
        self._address = address
        self._retry = retry
        self._open_session = open_session
        self._unsent = unsent
        self._socket: Optional[socket.socket] = None
        self._session: Optional[Incoming] = None

    def close(self) -> None:
        made, self._socket, self._session = self._socket, None, None
        if made is not None:
            made.close()

    def connect(self, deadline: Optional[float]) -> bool:
        """Connected and registered, with all sent that was under way. True: now, and octets may
        have come already."""
        if self._socket is not None:
            return False
        give_up = time.monotonic() + self._retry
        pause = FIRST_PAUSE
        while self._socket is None:
            try:
                self._open(deadline)
            except (OSError, ConnectionLost) as fault:
                self.close()
                now = time.monotonic()
                if now + pause > give_up:
                    raise ConnectionLost(f"{self._address}: {fault}") from fault
                left = _left(deadline)
                time.sleep(pause if left is None else min(pause, left))
                pause = min(2 * pause, LONGEST_PAUSE)
            except BaseException:
                self.close()
                raise
        return True

    def _open(self, deadline: Optional[float]) -> None:
        made = self._address.open(_left(deadline))
        with self.lock:
            self._socket, self._session = made, self._open_session()
            while not self._session.ready:
                self._receive(deadline)
                for octets in self._session.outgoing:
                    made.sendall(octets)
                self._session.outgoing.clear()
            for octets in self._unsent():
                self._send(octets, deadline)

    def send(self, octets: Buffer, deadline: Optional[float]) -> bool:
        """False: the connection was lost, and is made again with all that is under way."""
        try:
            self._send(octets, deadline)
            return True
        except OSError:
            self._again(deadline)
            return False

    def answer(self, octets: bytes) -> None:
        """Of a receiver, by any thread. A connection that is lost needs no answers: what it gave is
        given again."""
        made = self._socket
        if not octets or made is None:
            return
        try:
            made.settimeout(None)
            made.sendall(octets)
        except OSError:
            pass  # the receiving thread finds out

    def receive(self, deadline: Optional[float]) -> None:
        """Waits for octets, and takes them."""
        try:
            self._receive(deadline)
        except (OSError, ConnectionLost):
            self._again(deadline)

    def _again(self, deadline: Optional[float]) -> None:
        self.close()
        self.connect(deadline)

    def _send(self, octets: Buffer, deadline: Optional[float]) -> None:
        assert self._socket is not None
        self._socket.settimeout(_left(deadline))
        try:
            self._socket.sendall(octets)
        except socket.timeout:
            # A part of a message may be sent: the connection cannot go on.
            self.close()
            raise TimedOut("the node does not take it in time") from None

    def _receive(self, deadline: Optional[float]) -> None:
        assert self._socket is not None and self._session is not None
        self._socket.settimeout(_left(deadline))
        try:
            octets = self._socket.recv(READ_BYTES)
        except socket.timeout:
            raise TimedOut("no data arrived in time") from None
        if not octets:
            raise ConnectionLost("the node has closed the connection")
        try:
            with self.lock:
                self._session.feed(octets)
        except (ProtocolError, Refused):
            self.close()
            raise


class Endpoint:
    """An endpoint of the node, for one application. Made by connect(). Threads may share it."""

    def __init__(self, options: Options, address: Address, retry: float) -> None:
        self._options = options
        self._send_lock, self._receive_lock = threading.Lock(), threading.Lock()
        self._sender = Sender(options)
        self._receiver = Receiver(options, self.accept)
        self._out = _Channel(address, retry, self._sender.connection, self._sender.unsent)
        self._in = _Channel(address, retry, self._receiver.connection, lambda: ())
        self._reports: Deque[Report] = collections.deque(maxlen=1024)

    @property
    def id(self) -> str:
        """The endpoint id, such as `ipn:10.42`."""
        return self._options.endpoint

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def close(self) -> None:
        """What was received and not accepted is given to another receiver."""
        self._out.close()
        self._in.close()

    # ---- sending

    def send(self, destination: str, payload: Buffer, *, timeout: Optional[float] = None,
             **options: Any) -> BundleId:
        """Returns when the node has accepted the ADU. `options` are fields of Message.

        Raises Refused, ConnectionLost or TimedOut; after the latter two it may have been accepted,
        and sending it again with `id=` is harmless.
        """
        sent = self.send_many([Message(destination, payload, **options)], timeout=timeout)[0]
        if sent.error is not None:
            raise sent.error
        return sent.id

    def send_many(self, messages: Messages, *, timeout: Optional[float] = None) -> List[Sent]:
        """Many ADUs under way at a time; what became of each, in their order.

        A message is a Message, or a destination and a payload. Refused ones do not end the call.
        """
        deadline = _deadline(timeout)
        results: List[Pending] = []
        batch: List[Buffer] = []
        with self._send_lock:
            self._out.connect(deadline)
            try:
                self._send_all(messages, results, batch, deadline)
            finally:
                # What is not sent yet goes first on the next connection.
                if batch:
                    self._out.close()
            while results and not results[-1].done:
                if not self._out.connect(deadline):
                    self._out.receive(deadline)
        return [Sent(each.id, each.error) for each in results]

    def _send_all(self, messages: Messages, results: List[Pending], batch: List[Buffer],
                  deadline: Optional[float]) -> None:
        size = 0
        for each in messages:
            message = each if isinstance(each, Message) else Message(*each)
            pending = self._sender.add(message)
            results.append(pending)
            batch += (pending.head, pending.payload)
            size += len(pending.head) + len(pending.payload)
            full = len(self._sender.pending) >= self._options.window
            if full or size >= JOINED_BYTES:
                self._flush(batch, deadline)
                size = 0
            if full:
                self._wait_for_room(self._options.window // 2, deadline)
        self._flush(batch, deadline)

    def _flush(self, batch: List[Buffer], deadline: Optional[float]) -> None:
        """Sends and clears the batch. A connection that is made again sends it by itself."""
        pieces = list(batch)
        batch.clear()
        if not pieces:
            return
        if len(pieces) == 2 and len(pieces[1]) >= JOINED_BYTES:
            _ = self._out.send(pieces[0], deadline) and self._out.send(pieces[1], deadline)
        else:
            self._out.send(b"".join(pieces), deadline)

    def _wait_for_room(self, most: int, deadline: Optional[float]) -> None:
        while len(self._sender.pending) > most:
            if not self._out.connect(deadline):
                self._out.receive(deadline)

    # ---- receiving

    def receive(self, timeout: Optional[float] = None) -> Adu:
        """The next ADU, which is to be accepted. Raises TimedOut or ConnectionLost."""
        deadline = _deadline(timeout)
        with self._receive_lock:
            self._fill(deadline)
            return self._receiver.arrived.popleft()

    def receive_many(self, most: int, timeout: Optional[float] = None) -> List[Adu]:
        """What has arrived, at least one and at most `most`; accept_many() takes the list."""
        deadline = _deadline(timeout)
        with self._receive_lock:
            self._fill(deadline)
            arrived = self._receiver.arrived
            return [arrived.popleft() for _ in range(min(most, len(arrived)))]

    def accept(self, adu: Adu) -> None:
        """The node may forget the ADU."""
        self.accept_many((adu,))

    def accept_many(self, adus: Iterable[Adu]) -> None:
        with self._in.lock:
            for adu in adus:
                self._receiver.accept(adu)
            self._in.answer(self._receiver.answers())

    def messages(self, timeout: Optional[float] = None) -> Iterator[Adu]:
        """For a loop: each ADU is accepted when the loop asks for the next one. Ends when nothing
        comes for `timeout` seconds. What the loop leaves by an exception is given again."""
        while True:
            try:
                adu = self.receive(timeout)
            except TimedOut:
                return
            yield adu
            self.accept(adu)

    def wait_report(self, bundle: BundleId, timeout: Optional[float] = None) -> Report:
        """The next status report about a bundle, which must have been sent with
        `report_to=endpoint.id` and `reports=`. Reports about others are kept for later calls;
        other ADUs stay for receive()."""
        deadline = _deadline(timeout)
        with self._receive_lock:
            while True:
                self._take_reports()
                for report in self._reports:
                    if report.id == bundle:
                        self._reports.remove(report)
                        return report
                self._read(deadline)

    def _take_reports(self) -> None:
        reports = [adu for adu in self._receiver.arrived if adu.is_report]
        for adu in reports:
            self._receiver.arrived.remove(adu)
            try:
                self._reports.append(adu.report)
            except ValueError:
                pass  # no status report: nobody can use it
        if reports:
            self.accept_many(reports)

    def _fill(self, deadline: Optional[float]) -> None:
        while not self._receiver.arrived:
            self._read(deadline)

    def _read(self, deadline: Optional[float]) -> None:
        if not self._in.connect(deadline):
            self._in.receive(deadline)
        with self._in.lock:  # keepalives, and what is given again though it is accepted
            self._in.answer(self._receiver.answers())


def connect(endpoint: str = "", *, address: Optional[str] = None, secret: Optional[str] = None,
            window: int = 64, stay: int = 0, retry: float = 30) -> Endpoint:
    """An endpoint of the node at `address` (see parse_address()).

    `endpoint`: `ipn:10.42`, `dtn://node/name`, a service of the node ("42", "name"), or empty for
    a random one. `window`: ADUs under way at a time. `stay`: seconds that a dynamic endpoint stays
    after its connections. `retry`: seconds for which a lost connection is tried again.
    Raises ConnectionLost or Refused.
    """
    options = Options(endpoint=endpoint, stay=stay, window=max(1, window))
    if secret is not None:
        options.secret = secret
    made = Endpoint(options, parse_address(address), retry)
    made._out.connect(_deadline(retry if retry > 0 else None))
    return made
