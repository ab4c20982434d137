#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The synchronous and the asyncio client against a small server: sending, receiving, acceptance,
refusals, timeouts, and connections that are lost at the worst moments."""

import asyncio
import contextlib
import io
import os
import pathlib
import re
import sys
import tempfile
import threading
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
if "--installed" in sys.argv:  # not the tree's package
    sys.argv.remove("--installed")
else:
    sys.path.insert(0, str(HERE.parent / "src"))

import farlink  # noqa: E402
from aap2_server import Given, Server  # noqa: E402

LONG = 8  # seconds; no test waits so long unless it fails


class WithServer(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = f"{self.folder.name}/aap2"
        self.server = Server(self.path)
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(self.server.close)

    def connect(self, endpoint="", **more):
        made = farlink.connect(endpoint, address=self.path, **{"retry": LONG, **more})
        self.addCleanup(made.close)
        return made

    def wait_delivered(self, count):
        with self.server.changed:
            done = self.server.changed.wait_for(lambda: len(self.server.delivered) >= count, LONG)
        self.assertTrue(done, f"{len(self.server.delivered)} of {count} accepted")


class SyncTest(WithServer):
    def test_a_message_there_and_back(self):
        with self.connect("42") as near, self.connect("ipn:10.43") as far:
            self.assertEqual(near.id, "ipn:10.42")
            sent = near.send(far.id, b"hello", timeout=LONG)
            adu = far.receive(LONG)
            self.assertEqual((adu.payload, adu.source), (b"hello", near.id))
            self.assertEqual(adu.destination, far.id)
            self.assertEqual(adu.id, sent)
            self.assertFalse(adu.reception.repeated)
            adu.accept()
            self.wait_delivered(1)
            far.send(adu.source, b"", timeout=LONG)
            self.assertEqual(near.receive(LONG).payload, b"")

    def test_a_random_service(self):
        first, second = self.connect(), self.connect()
        self.assertTrue(first.id.startswith("ipn:10."))
        self.assertNotEqual(first.id, second.id)

    def test_a_dtn_node(self):
        self.server.node_id = "dtn://node/"
        self.assertEqual(self.connect("camera").id, "dtn://node/camera")

    def test_payloads_of_all_sizes(self):
        near, far = self.connect("1"), self.connect("2")
        for size in (0, 1, 127, 128, 70_000, 3_000_000):
            payload = bytes(range(256)) * (size // 256) + bytes(size % 256)
            worker = threading.Thread(target=near.send, args=(far.id, memoryview(payload)))
            worker.start()
            adu = far.receive(LONG)
            worker.join(LONG)
            self.assertEqual(adu.payload, payload)
            adu.accept()

    def test_many_under_way(self):
        self.server.window = 50
        near, far = self.connect("1", window=100), self.connect("2", window=100)
        messages = [(far.id, str(number).encode()) for number in range(5000)]
        results = []
        worker = threading.Thread(target=lambda: results.extend(near.send_many(messages)))
        worker.start()
        got = []
        while len(got) < len(messages):
            adus = far.receive_many(64, LONG)
            got += [adu.payload for adu in adus]
            far.accept_many(adus)
        worker.join(LONG)
        self.assertEqual(got, [payload for _, payload in messages])
        self.assertEqual(len({sent.id for sent in results}), len(messages))
        self.assertTrue(all(sent.error is None for sent in results))
        self.wait_delivered(len(messages))

    def test_acceptance_in_any_order(self):
        near, far = self.connect("1"), self.connect("2")
        near.send_many([(far.id, bytes([number])) for number in range(5)])
        adus = []
        while len(adus) < 5:
            adus += far.receive_many(5, LONG)
        for place in (3, 1, 4, 0):
            adus[place].accept()
        self.wait_delivered(2)  # those in front of the one that is not accepted
        self.assertEqual(len(self.server.delivered), 2)
        adus[2].accept()
        self.wait_delivered(5)

    def test_one_at_a_time_as_stock_servers_have_it(self):
        near, far = self.connect("1", window=1), self.connect("2", window=1)
        for number in range(20):
            near.send(far.id, bytes([number]), timeout=LONG)
        for number in range(20):
            adu = far.receive(LONG)
            self.assertEqual(adu.payload, bytes([number]))
            adu.accept()
        self.wait_delivered(20)

    def test_a_loop_accepts_what_it_has_finished(self):
        near, far = self.connect("1"), self.connect("2")
        near.send_many([(far.id, bytes([number])) for number in range(3)])
        with self.assertRaises(KeyError):
            for adu in far.messages(LONG):
                if adu.payload == b"\x01":
                    raise KeyError
        self.wait_delivered(1)
        far.close()
        again = self.connect("2", secret=far._options.secret)
        self.assertEqual([adu.payload for adu in again.messages(0.3)], [b"\x01", b"\x02"])

    def test_refusals(self):
        self.server.refuse["ipn:9.9"] = (12, "not there")
        near = self.connect("1")
        with self.assertRaises(farlink.Unauthorized) as caught:
            near.send("ipn:9.9", b"x", timeout=LONG)
        self.assertEqual(caught.exception.reason, "not there")
        sent = near.send_many([("ipn:10.2", b"a"), ("ipn:9.9", b"b"), ("ipn:10.2", b"c")])
        self.assertEqual([one.error is None for one in sent], [True, False, True])
        with self.assertRaises(farlink.Unauthorized):
            self.connect("1", secret="another")

    def test_timeouts(self):
        near = self.connect("1")
        with self.assertRaises(farlink.TimedOut):
            near.receive(0.05)
        self.assertEqual(list(near.messages(0.05)), [])
        near.send(near.id, b"later", timeout=LONG)
        self.assertEqual(near.receive(LONG).payload, b"later")

    def test_no_node(self):
        for address in (f"{self.folder.name}/absent", "tcp://127.0.0.1:1"):
            with self.assertRaises(farlink.ConnectionLost):
                farlink.connect("1", address=address, retry=0)

    def test_a_lost_answer_repeats_nothing(self):
        near, far = self.connect("1"), self.connect("2")
        self.server.drop_before_answers = 3
        sent = near.send_many([(far.id, bytes([number])) for number in range(10)], timeout=LONG)
        self.assertTrue(all(one.error is None for one in sent))
        self.assertEqual(len(self.server.accepted), 10)
        self.assertEqual([far.receive(LONG).payload for _ in range(10)],
                         [bytes([number]) for number in range(10)])

    def test_what_is_given_again_is_seen_once(self):
        near, far = self.connect("1"), self.connect("2", window=4)
        self.server.drop_after_gifts = 6
        near.send_many([(far.id, bytes([number])) for number in range(20)], timeout=LONG)
        got = []
        for _ in range(20):
            adu = far.receive(LONG)
            got.append(adu.payload)
            adu.accept()
        self.assertEqual(got, [bytes([number]) for number in range(20)])
        # The last answers may have been lost with their connections.
        with self.assertRaises(farlink.TimedOut):
            far.receive(0.2)
        self.wait_delivered(20)

    def test_acceptance_after_the_connection_was_lost(self):
        near, far = self.connect("1"), self.connect("2")
        near.send(far.id, b"one", timeout=LONG)
        held = far.receive(LONG)
        self.server.drop_all()
        near.send(far.id, b"two", timeout=LONG)
        second = far.receive(LONG)  # "one" is given again and is held already
        self.assertEqual(second.payload, b"two")
        second.accept()
        held.accept()
        self.wait_delivered(2)

    def test_accepting_while_another_thread_waits(self):
        near, far = self.connect("1"), self.connect("2", window=1)
        near.send(far.id, b"one", timeout=LONG)
        first = far.receive(LONG)
        got = []
        waiter = threading.Thread(target=lambda: got.append(far.receive(LONG).payload))
        waiter.start()
        near.send(far.id, b"two", timeout=LONG)
        first.accept()  # only then the second is given
        waiter.join(LONG)
        self.assertEqual(got, [b"two"])

    def test_a_failing_source_of_messages(self):
        near, far = self.connect("1"), self.connect("2")

        def messages():
            yield far.id, b"first"
            raise KeyError

        with self.assertRaises(KeyError):
            near.send_many(messages())
        near.send(far.id, b"second", timeout=LONG)
        self.assertEqual([far.receive(LONG).payload for _ in range(2)], [b"first", b"second"])

    def test_options_reach_the_node(self):
        seen = []
        self.server.report = lambda known: seen.append(known) or Given([(1, "ipn:10.0")], b"")
        near = self.connect("1")
        near.send("ipn:20.1", b"x", lifetime=2.5, priority=farlink.Priority.EXPEDITED,
                  reports=farlink.Reports.DELIVERY | farlink.Reports.DELETION, hop_limit=9,
                  crc_type=1, report_to=near.id, timeout=LONG)
        known = seen[0]
        self.assertEqual([known[number] for number in range(1000, 1005)], [2500, 2, 10, 1, 9])

    def test_waiting_for_a_report(self):
        def report(known):
            creation, sequence = known[3], known[4]
            octets = (bytes.fromhex("820184" "84" "81f4" "81f4" "82f51903e8" "81f4" "00"
                                    "820282" "0a" "01" "82")
                      + b"\x1b" + creation.to_bytes(8, "big")
                      + b"\x1b" + sequence.to_bytes(8, "big"))
            return Given([(1, "ipn:20.0"), (2, "ipn:10.1"), (3, 7), (4, sequence),
                          (5, len(octets)), (6, 3)], octets)

        self.server.report = report
        near = self.connect("1")
        options = {"report_to": near.id, "reports": farlink.Reports.DELIVERY, "timeout": LONG}
        first = near.send("ipn:20.1", b"x", **options)
        second = near.send("ipn:20.1", b"y", **options)
        found = near.wait_report(second, LONG)
        self.assertTrue(found.delivered.asserted)
        self.assertEqual(found.delivered.time_ms, 1000)
        self.assertEqual(found.reason_text, "no additional information")
        self.assertEqual(near.wait_report(first, LONG).id, first)
        with self.assertRaises(farlink.TimedOut):
            near.wait_report(first, 0.05)


class ReadmeTest(WithServer):
    def test_its_examples_run(self):
        blocks = re.findall(r"```python\n(.*?)```", (HERE.parent / "README.md").read_text(), re.S)
        self.assertGreater(len(blocks), 4)
        for block in blocks:
            with unittest.mock.patch.dict(os.environ, FARLINK_APPLICATIONS=self.path), \
                    contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block, "README.md", "exec"), {})  # pylint: disable=exec-used
                self.server.forget()


class AsyncTest(WithServer):
    def run_async(self, work):
        return asyncio.run(asyncio.wait_for(work, LONG))

    async def connect_async(self, endpoint, **more):
        return await farlink.connect_async(endpoint, address=self.path, **{"retry": LONG, **more})

    def test_a_message_there_and_back(self):
        async def work():
            async with await self.connect_async("1") as near, \
                    await self.connect_async("2") as far:
                sent = await near.send(far.id, b"hello")
                adu = await far.receive()
                self.assertEqual((adu.id, adu.payload), (sent, b"hello"))
                await adu.accept()
                with self.assertRaises(farlink.TimedOut):
                    await far.receive(0.05)
        self.run_async(work())
        self.wait_delivered(1)

    def test_many_at_a_time(self):
        async def work():
            async with await self.connect_async("1") as near, \
                    await self.connect_async("2") as far:
                async def receive():
                    got = []
                    while len(got) < 3000:
                        adus = await far.receive_many(100)
                        got += [int(adu.payload) for adu in adus]
                        await far.accept_many(adus)
                    return got

                def part(first):
                    return near.send_many([(far.id, str(first + number).encode())
                                           for number in range(1000)])
                got, *sent = await asyncio.gather(receive(), part(0), part(1000), part(2000))
                self.assertEqual(sorted(got), list(range(3000)))
                self.assertTrue(all(one.error is None for part in sent for one in part))
        self.server.window = 30
        self.run_async(work())
        self.wait_delivered(3000)

    def test_refusals(self):
        self.server.refuse["ipn:9.9"] = (10, "no such place")

        async def work():
            async with await self.connect_async("1") as near:
                with self.assertRaises(farlink.InvalidRequest):
                    await near.send("ipn:9.9", b"x")
                with self.assertRaises(farlink.Unauthorized):
                    await self.connect_async("1", secret="another")
        self.run_async(work())

    def test_lost_connections(self):
        async def work():
            async with await self.connect_async("1") as near, \
                    await self.connect_async("2", window=4) as far:
                self.server.drop_before_answers = 3
                self.server.drop_after_gifts = 5
                await near.send_many([(far.id, bytes([number])) for number in range(30)])
                got = []
                for _ in range(30):
                    adu = await far.receive()
                    got.append(adu.payload)
                    await adu.accept()
                self.assertEqual(got, [bytes([number]) for number in range(30)])
                with self.assertRaises(farlink.TimedOut):
                    await far.receive(0.2)
        self.run_async(work())
        self.assertEqual(len(self.server.accepted), 30)
        self.wait_delivered(30)

    def test_no_node(self):
        async def work():
            with self.assertRaises(farlink.ConnectionLost):
                await farlink.connect_async("1", address=f"{self.folder.name}/absent", retry=0)
        self.run_async(work())

    def test_a_loop(self):
        async def work():
            async with await self.connect_async("1") as near:
                await near.send_many([(near.id, bytes([number])) for number in range(3)])
                return [adu.payload async for adu in near.messages(0.2)]
        self.assertEqual(self.run_async(work()), [b"\x00", b"\x01", b"\x02"])


if __name__ == "__main__":
    unittest.main()
