# SPDX-License-Identifier: Apache-2.0
"""The client for asyncio."""

from __future__ import annotations

import asyncio
import collections
from types import TracebackType
from typing import (Any, AsyncIterator, Callable, Deque, Iterable, List, Optional, Tuple, Type,
                    Union)

from ._address import Address, parse_address
from ._errors import ConnectionLost, FarlinkError, ProtocolError, Refused, TimedOut
from ._report import Report
from ._session import Incoming, Options, Pending, Receiver, Sender
from ._types import Adu, Buffer, BundleId, Message, Sent

__all__ = ["AsyncEndpoint", "connect_async"]

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0

Messages = Iterable[Union[Message, Tuple[str, Buffer]]]


class _Connection(asyncio.Protocol):
    """One connection: what arrives goes to its session."""

    def __init__(self, session: Incoming, on_data: Callable[[], None],
                 on_ready: Callable[[asyncio.Transport], None]) -> None:
        self.session = session
        self.transport: Optional[asyncio.Transport] = None
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.fault: Optional[FarlinkError] = None
        self._on_data = on_data
        self._on_ready = on_ready
        self._writable = asyncio.Event()
        self._writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        assert self.transport is not None
        try:
            self.session.feed(data)
        except (ProtocolError, Refused) as fault:
            self.fault = fault
            self.transport.abort()
            return
        for octets in self.session.outgoing:
            self.transport.write(octets)
        self.session.outgoing.clear()
        if self.session.ready and not self.ready.done():
            # Nothing may be written between this and what the new connection begins with.
            self.ready.set_result(None)
            self._on_ready(self.transport)
        self._on_data()

    def connection_lost(self, fault: Optional[Exception]) -> None:
        self._writable.set()
        error = self.fault or ConnectionLost(str(fault or "the node has closed the connection"))
        if not self.ready.done():
            self.ready.set_exception(error)
        if not self.lost.done():
            self.lost.set_result(None)

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    async def drained(self) -> None:
        await self._writable.wait()


class _Channel:
    """Keeps one direction connected while it is used."""

    def __init__(self, address: Address, retry: float, open_session: Callable[[], Incoming],
                 on_data: Callable[[], None], on_ready: Callable[[asyncio.Transport], None],
                 on_failure: Callable[[FarlinkError], None]) -> None:
        self._address = address
        self._retry = retry
        self._open_session = open_session
        self._on_data = on_data
        self._on_ready = on_ready
        self._on_failure = on_failure
        self._connection: Optional[_Connection] = None
        self._task: Optional[asyncio.Task[None]] = None

    def start(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        if self._connection is not None and self._connection.transport is not None:
            self._connection.transport.close()
            await self._connection.lost
        self._connection = None

    @property
    def transport(self) -> Optional[asyncio.Transport]:
        """None while there is no connection that is ready."""
        made = self._connection
        if made is None or made.lost.done() or not made.session.ready:
            return None
        return made.transport

    async def drained(self) -> None:
        if self._connection is not None:
            await self._connection.drained()

    async def _run(self) -> None:
        try:
            while True:
                await self._connect()
                assert self._connection is not None
                # A task that is cancelled must not cancel what others wait for.
                await asyncio.shield(self._connection.lost)
                if self._connection.fault is not None:
                    raise self._connection.fault
        except FarlinkError as fault:
            self._on_failure(fault)

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        give_up = loop.time() + self._retry
        pause = FIRST_PAUSE
        while True:
            try:
                return await asyncio.wait_for(self._open(), max(self._retry, 1))
            except (OSError, ConnectionLost, asyncio.TimeoutError) as fault:
                if loop.time() + pause > give_up:
                    raise ConnectionLost(f"{self._address}: {fault}") from fault
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _open(self) -> None:
        loop = asyncio.get_running_loop()
        made = _Connection(self._open_session(), self._on_data, self._on_ready)
        self._connection = made
        address = self._address
        if address.path:
            await loop.create_unix_connection(lambda: made, address.path)
        else:
            await loop.create_connection(lambda: made, address.host, address.port)
        try:
            await made.ready
        except asyncio.CancelledError:
            if made.transport is not None:
                made.transport.abort()
            raise


class AsyncEndpoint:
    """An endpoint of the node, for one application. Made by connect_async(); for one event loop."""

    def __init__(self, options: Options, address: Address, retry: float) -> None:
        self._options = options
        self._sender = Sender(options)
        self._receiver = Receiver(options, self.accept)
        self._room = asyncio.Semaphore(options.window)
        self._reports: Deque[Report] = collections.deque(maxlen=1024)
        self._registered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._wakers: List[asyncio.Future[None]] = []
        self._out = _Channel(address, retry, self._sender.connection, lambda: None,
                             self._send_pending, self._fail_pending)
        self._in = _Channel(address, retry, self._receiver.connection, self._take,
                            lambda _transport: None, self._fail_receivers)

    @property
    def id(self) -> str:
        """The endpoint id, such as `ipn:10.42`."""
        return self._options.endpoint

    async def __aenter__(self) -> AsyncEndpoint:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]],
                        value: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        await self.close()

    async def close(self) -> None:
        """What was received and not accepted is given to another receiver."""
        await self._out.close()
        await self._in.close()
        self._fail_pending(ConnectionLost("the endpoint is closed"))
        self._fail_receivers(ConnectionLost("the endpoint is closed"))

    async def _register(self) -> None:
        self._out.start()
        await self._registered

    # ---- sending

    def _send_pending(self, transport: asyncio.Transport) -> None:
        """A new connection: all that has no answer goes first, with the ids it had."""
        if not self._registered.done():
            self._registered.set_result(None)
        for octets in self._sender.unsent():
            transport.write(octets)

    def _fail_pending(self, fault: FarlinkError) -> None:
        if not self._registered.done():
            self._registered.set_exception(fault)
        while self._sender.pending:
            pending = self._sender.pending.popleft()
            if pending.slot is not None:
                pending.slot(pending, fault)

    def _submit(self, message: Message) -> Tuple[BundleId, asyncio.Future[BundleId]]:
        future: asyncio.Future[BundleId] = asyncio.get_running_loop().create_future()

        def finish(pending: Pending, fault: Optional[FarlinkError] = None) -> None:
            self._room.release()
            error = pending.error or fault
            if future.done():
                return
            if error is None:
                future.set_result(pending.id)
            else:
                future.set_exception(error)

        pending = self._sender.add(message, finish)
        transport = self._out.transport
        if transport is None:
            self._out.start()
        elif len(pending.payload) < 4096:
            transport.write(b"".join((pending.head, pending.payload)))
        else:
            transport.write(pending.head)
            transport.write(pending.payload)
        return pending.id, future

    async def send(self, destination: str, payload: Buffer, *, timeout: Optional[float] = None,
                   **options: Any) -> BundleId:
        """Returns when the node has accepted the ADU. `options` are fields of Message.

        Raises Refused, ConnectionLost or TimedOut; after the latter two it may have been accepted,
        and sending it again with `id=` is harmless.
        """
        sent = (await self.send_many([Message(destination, payload, **options)],
                                     timeout=timeout))[0]
        if sent.error is not None:
            raise sent.error
        return sent.id

    async def send_many(self, messages: Messages, *,
                        timeout: Optional[float] = None) -> List[Sent]:
        """Many ADUs under way at a time; what became of each, in their order.

        A message is a Message, or a destination and a payload. Refused ones do not end the call.
        """
        return await _within(self._send_all(messages), timeout)

    async def _send_all(self, messages: Messages) -> List[Sent]:
        under_way: List[Tuple[BundleId, asyncio.Future[BundleId]]] = []
        for each in messages:
            message = each if isinstance(each, Message) else Message(*each)
            await self._room.acquire()
            try:
                under_way.append(self._submit(message))
            except BaseException:
                self._room.release()
                raise
            await self._out.drained()
        results = []
        for bundle, future in under_way:
            try:
                results.append(Sent(await future))
            except FarlinkError as fault:
                results.append(Sent(bundle, fault))
        return results

    # ---- receiving

    async def receive(self, timeout: Optional[float] = None) -> Adu:
        """The next ADU, which is to be accepted. Raises TimedOut or ConnectionLost."""
        return (await self.receive_many(1, timeout))[0]

    async def receive_many(self, most: int, timeout: Optional[float] = None) -> List[Adu]:
        """What has arrived, at least one and at most `most`; accept_many() takes the list."""
        arrived = self._receiver.arrived
        if not arrived:
            await _within(self._wait(), timeout)
        return [arrived.popleft() for _ in range(min(most, len(arrived)))]

    async def accept(self, adu: Adu) -> None:
        """The node may forget the ADU."""
        await self.accept_many((adu,))

    async def accept_many(self, adus: Iterable[Adu]) -> None:
        for adu in adus:
            self._receiver.accept(adu)
        self._answer()
        await self._in.drained()

    async def messages(self, timeout: Optional[float] = None) -> AsyncIterator[Adu]:
        """For a loop: each ADU is accepted when the loop asks for the next one. Ends when nothing
        comes for `timeout` seconds. What the loop leaves by an exception is given again."""
        while True:
            try:
                adu = await self.receive(timeout)
            except TimedOut:
                return
            yield adu
            await self.accept(adu)

    async def wait_report(self, bundle: BundleId, timeout: Optional[float] = None) -> Report:
        """The next status report about a bundle, which must have been sent with
        `report_to=endpoint.id` and `reports=`. Reports about others are kept for later calls;
        other ADUs stay for receive()."""
        return await _within(self._wait_report(bundle), timeout)

    async def _wait_report(self, bundle: BundleId) -> Report:
        while True:
            self._take_reports()
            for report in self._reports:
                if report.id == bundle:
                    self._reports.remove(report)
                    return report
            await self._wait_for_more()

    def _take_reports(self) -> None:
        reports = [adu for adu in self._receiver.arrived if adu.is_report]
        for adu in reports:
            self._receiver.arrived.remove(adu)
            self._receiver.accept(adu)
            try:
                self._reports.append(adu.report)
            except ValueError:
                pass  # no status report: nobody can use it
        if reports:
            self._answer()

    async def _wait(self) -> None:
        while not self._receiver.arrived:
            await self._wait_for_more()

    async def _wait_for_more(self) -> None:
        """Until something has come, or the connection is given up."""
        self._in.start()
        waker: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._wakers.append(waker)
        try:
            await waker
        finally:
            if waker in self._wakers:
                self._wakers.remove(waker)

    def _take(self) -> None:
        self._answer()  # keepalives, and what is given again though it is accepted
        wakers, self._wakers = self._wakers, []
        for waker in wakers:
            if not waker.done():
                waker.set_result(None)

    def _fail_receivers(self, fault: FarlinkError) -> None:
        wakers, self._wakers = self._wakers, []
        for waker in wakers:
            if not waker.done():
                waker.set_exception(fault)

    def _answer(self) -> None:
        """A connection that is lost needs no answers: what it gave is given again."""
        transport = self._in.transport
        if transport is None:
            return
        answers = self._receiver.answers()
        if answers:
            transport.write(answers)


async def _within(work: Any, timeout: Optional[float]) -> Any:
    try:
        return await asyncio.wait_for(work, timeout)
    except asyncio.TimeoutError:
        raise TimedOut("no data arrived in time") from None


async def connect_async(endpoint: str = "", *, address: Optional[str] = None,
                        secret: Optional[str] = None, window: int = 64, stay: int = 0,
                        retry: float = 30) -> AsyncEndpoint:
    """As connect(), for asyncio: `async with await connect_async("42") as endpoint:`."""
    options = Options(endpoint=endpoint, stay=stay, window=max(1, window))
    if secret is not None:
        options.secret = secret
    made = AsyncEndpoint(options, parse_address(address), retry)
    try:
        await made._register()
    except BaseException:
        await made.close()
        raise
    return made
