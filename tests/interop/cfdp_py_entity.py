#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A CFDP entity of cfdp-py over UDP, as a process of its own: cfdp_py_entity.py SETTINGS.

SETTINGS is JSON: own and other entity id, own and other port, loss in percent, checksum number,
crc. Each line of standard input is a put request. Prints `received FILE CONDITION STATUS`,
`sent CONDITION STATUS`, and `bad PDU` for each PDU that spacepackets reads differently.
"""

import datetime
import json
import pathlib
import random
import select
import socket
import sys

import cfdppy
from cfdppy.exceptions import (InvalidPduForDestHandler, InvalidPduForSourceHandler,
                               InvalidTransactionSeqNum, NoRemoteEntityConfigFound,
                               PduIgnoredForDest, PduIgnoredForSource)
from cfdppy.handler import DestHandler, PacketDestination, SourceHandler, get_packet_destination
from cfdppy.mib import CheckTimerProvider, DefaultFaultHandlerBase, LocalEntityConfig
from spacepackets.cfdp.defs import ChecksumType, TransmissionMode
from spacepackets.cfdp.pdu.helper import PduFactory
from spacepackets.countdown import Countdown
from spacepackets.seqcount import SeqCountProvider
from spacepackets.util import ByteFieldU8

IGNORED = (InvalidPduForDestHandler, InvalidPduForSourceHandler, InvalidTransactionSeqNum,
           NoRemoteEntityConfigFound, PduIgnoredForDest, PduIgnoredForSource)
STEP_S = 0.005


def say(*words):
    print(*words, flush=True)


class Timers(CheckTimerProvider):
    def provide_check_timer(self, local_entity_id, remote_entity_id, entity_type):
        return Countdown(datetime.timedelta(seconds=1))


class Faults(DefaultFaultHandlerBase):
    def notice_of_suspension_cb(self, transaction_id, cond, progress):
        say("fault", cond.name)

    notice_of_cancellation_cb = abandoned_cb = ignore_cb = notice_of_suspension_cb


class User(cfdppy.CfdpUserBase):
    def __init__(self, own):
        super().__init__()
        self.own = own
        self.name = ""

    def transaction_indication(self, transaction_indication_params):
        pass

    def metadata_recv_indication(self, params):
        self.name = params.dest_file_name

    def transaction_finished_indication(self, params):
        finished = params.finished_params
        words = (finished.condition_code.name, finished.file_status.name)
        if params.transaction_id.source_id.value == self.own:
            say("sent", *words)
        else:
            say("received", self.name, *words)

    def _nothing(self, *_, **__):
        pass

    eof_sent_indication = file_segment_recv_indication = report_indication = _nothing
    suspended_indication = resumed_indication = fault_indication = _nothing
    abandoned_indication = eof_recv_indication = _nothing


class Entity:
    def __init__(self, settings):
        self.settings = settings
        self.random = random.Random(settings["own"])
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.socket.bind(("127.0.0.1", settings["port"]))
        self.remote = ("127.0.0.1", settings["other_port"])
        self.own, self.other = ByteFieldU8(settings["own"]), ByteFieldU8(settings["other"])
        self.table = cfdppy.RemoteEntityConfigTable([cfdppy.RemoteEntityConfig(
            entity_id=self.other, max_file_segment_len=1024, max_packet_len=2048,
            closure_requested=False, crc_on_transmission=settings["crc"],
            default_transmission_mode=TransmissionMode.ACKNOWLEDGED,
            crc_type=ChecksumType(settings["checksum"]),
            positive_ack_timer_interval_seconds=0.3, positive_ack_timer_expiration_limit=50,
            nak_timer_interval_seconds=0.3, nak_timer_expiration_limit=50, check_limit=5)])
        self.local = LocalEntityConfig(self.own, cfdppy.IndicationConfig(), Faults())
        self.numbers = SeqCountProvider(16)
        self.source, self.dest = self.make_source(), self.make_dest()
        self.puts = []
        self.input = b""

    def make_source(self):
        return SourceHandler(self.local, User(self.own.value), self.table, Timers(), self.numbers)

    def make_dest(self):
        return DestHandler(self.local, User(self.own.value), self.table, Timers())

    def lost(self):
        return self.random.randrange(100) < self.settings["loss"]

    def send_all(self, handler):
        while handler.packets_ready:
            pdu = handler.get_next_packet().pdu
            if not self.lost():
                self.socket.sendto(pdu.pack(), self.remote)

    def step(self, handler, packet=None):
        try:
            handler.state_machine(packet)
        except IGNORED:
            pass
        self.send_all(handler)

    def take(self, octets):
        try:
            packet = PduFactory.from_raw(octets)
            same = packet is not None and bytes(packet.pack()) == octets
        except Exception as error:  # pylint: disable=broad-except
            say("bad PDU", octets.hex(), error)
            return
        if not same:
            say("bad PDU", octets.hex(), "is packed differently")
        if self.lost():
            return
        if get_packet_destination(packet) == PacketDestination.SOURCE_HANDLER:
            self.step(self.source, packet)
        else:
            self.step(self.dest, packet)

    def begin_put(self):
        put = self.puts.pop(0)
        self.source = self.make_source()
        self.source.put_request(cfdppy.PutRequest(
            destination_id=self.other, source_file=pathlib.Path(put["source"]),
            dest_file=pathlib.Path(put["destination"]), closure_requested=put["closure"],
            trans_mode=TransmissionMode.ACKNOWLEDGED if put["class"] == 2
            else TransmissionMode.UNACKNOWLEDGED))

    def read_requests(self):
        more = sys.stdin.buffer.raw.read(65536)
        if not more:
            return False
        lines = (self.input + more).split(b"\n")
        self.input = lines.pop()
        self.puts += [json.loads(line) for line in lines]
        return True

    def run(self):
        say("ready")
        readers = [self.socket, sys.stdin.buffer.raw]
        while True:
            busy = self.source.state != cfdppy.CfdpState.IDLE
            readable, _, _ = select.select(readers, [], [], STEP_S)
            if sys.stdin.buffer.raw in readable and not self.read_requests():
                return
            if self.socket in readable:
                self.take(self.socket.recv(65536))
            if self.puts and not busy:
                self.begin_put()
            self.step(self.source)
            self.step(self.dest)


if __name__ == "__main__":
    Entity(json.loads(sys.argv[1])).run()
