#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds of the bundle decoders' fuzz targets from the conformance vectors.

Usage: make_corpus.py. A seed has the name of its vector; what fuzzing found has another name and
stays.
"""
import json
import pathlib
import re
import struct

ROOT = pathlib.Path(__file__).resolve().parents[1]
LONGEST = 400  # octets; a small seed is mutated more often


def vectors(name):
    return json.loads((ROOT / "vectors" / name).read_text())


def write(target, name, octets):
    folder = ROOT / "fuzz" / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(octets)


def bundles(name):
    for case in vectors(name)["decode_cases"]:
        octets = bytes.fromhex(case.get("hex") or case.get("base_hex") or "")
        reasons = case["id"].startswith("v7-sr-r")  # status reports that differ in one octet
        if 0 < len(octets) <= LONGEST and case["verdict"] != "invalid" and not reasons:
            yield case["id"], octets, case.get("expect", {})


def security():
    """Bundles with security blocks, and the data of these blocks."""
    for case in vectors("bpsec.json")["cases"]:
        for name in ("hex", "incoming_hex", "outgoing_hex"):
            octets = bytes.fromhex(case.get(name) or "")
            if octets:
                write("bpsec_fuzz", f"{case['id']}-{name.removesuffix('hex')}".rstrip("-_"), octets)
        for block in case.get("expect", {}).get("blocks", []):
            if block["type"] in (11, 12) and not block.get("encrypted"):
                write("bpsec_fuzz", f"{case['id']}-block-{block['number']}",
                      bytes.fromhex(block["data_hex"]))


def main():
    for name, version in (("bpv7_bundles.json", 7), ("bpv6_bundles.json", 6)):
        for case, octets, expect in bundles(name):
            write(f"bundle_v{version}_fuzz", case, octets)
            write("bpinspect_fuzz", case, bytes([version - 6]) + octets)
            if "admin_record" in expect:
                record = bytes.fromhex(expect["payload_hex"])
                write("admin_record_fuzz", case, record)
                write("bpinspect_fuzz", f"{case}-record", bytes([version - 4]) + record)
        for case in vectors(name)["processing_cases"]:
            if "input_hex" in case:
                write(f"bundle_v{version}_fuzz", case["id"], bytes.fromhex(case["input_hex"]))
    # A critical bundle, and one with a flow label: extended class of service blocks.
    for number, block in enumerate(("1301020100", "1301040501822c")):
        primary = "061014" "14010a0100000000" "82e8fbce40" "00" "83dceb9400" "00"
        octets = bytes.fromhex(primary + block + "010803010203")
        write("bundle_v6_fuzz", f"ecos-{number}", octets)
    for case in vectors("bpv7_bundles.json")["eid_cases"]:
        octets = case["uri"].encode() if case.get("text_only") else bytes.fromhex(case["hex"])
        write("eid_fuzz", case["id"], octets)
    for case in vectors("sdnv.json")["decode"] + vectors("sdnv.json")["sequences"]:
        write("sdnv_fuzz", case["id"], bytes.fromhex(case["hex"]))
    for number, item in enumerate(("1b00000000ffffffff", "8301820203", "9f43010203ff", "6161f5")):
        write("cbor_fuzz", f"cbor-{number}", bytes.fromhex(item))
    # Six octets a fragment: sequence, offset, length, total length, filling octet, time.
    for number, item in enumerate(("0100100a1101" "010008101200", "01100820aa00" "010018200100",
                                   "0100000000ff", "01000520bb00" "02000520cc00" "03000520dd00")):
        write("reassembler_fuzz", f"fragments-{number}", bytes.fromhex(item))
    # Likewise; the fifth octet changes the payload, and a step from f0 on kills the node.
    for number, item in enumerate((
            "000013130000" "001427130000",                 # two halves
            "000013270000" "000a1f27c000" "001427270000",  # the second one contradicts the first
            "010013270000" "f00000000000" "011427270000",  # killed in between
            "020000000000" "030009090000" "030009080000",  # one octet; two total lengths
            "00000027ff00" "000000270000" "000127270000" "000313270000")):
        write("gathering_fuzz", f"sets-{number}", bytes.fromhex(item))
    security()
    captures()
    fragmenter()
    tcpclv4()
    tcpclv3()
    ltp()
    framing()
    storage()
    contact_plans()
    history()
    bus_messages()
    aap2_streams()


def captures():
    """A capture of two datagrams, and one of a TCP connection with STCP; the first octet is 4."""
    bundle = bytes.fromhex("9f88070000820282010282028202018202820201820a001864850101000043616263ff")

    def capture(protocol, transports):
        file = struct.pack(">IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 0x40000, 101)
        for transport in transports:
            ip = struct.pack(">BBHIBBHII", 0x45, 0, 20 + len(transport), 0, 64, protocol, 0,
                             0x7F000001, 0x7F000001) + transport
            file += struct.pack(">IIII", 0, 0, len(ip), len(ip)) + ip
        return b"\x04" + file

    datagram = struct.pack(">HHHH", 4556, 4556, 8 + len(bundle), 0) + bundle
    write("bpinspect_fuzz", "capture-udp", capture(17, [datagram, datagram]))
    head = ">HHIIHHHH"
    stream = [struct.pack(head, 40000, 4556, 0, 0, 0x5002, 0, 0, 0),
              struct.pack(head, 40000, 4556, 1, 0, 0x5010, 0, 0, 0)
              + struct.pack(">I", len(bundle)) + bundle]
    write("bpinspect_fuzz", "capture-stcp", capture(6, stream))


def fragmenter():
    """Two octets for the limit, then a bundle of 500 octets of payload."""
    payload = bytes(range(250)) * 2
    primary = bytes.fromhex("9f88070000" "8202821401" "8202820a01" "8202820a00" "820100"
                            "1a000f4240")
    for name, blocks in (("plain", ""), ("age", "8507020000421864"),
                         ("replicated", "85184402010043010203")):
        octets = primary + bytes.fromhex(blocks) + bytes.fromhex("85010100005901f4") + payload
        write("fragmenter_fuzz", f"v7-{name}", b"\x00\xc8" + octets + b"\xff")
    primary = bytes.fromhex("061014" "14010a0100000000" "82e8fbce40" "00" "83dceb9400" "00")
    octets = primary + bytes.fromhex("1301020100") + bytes.fromhex("01088374") + payload
    write("fragmenter_fuzz", "v6-last", b"\x00\xc8" + octets)


def tcpclv4():
    """The dialogues, as one read and in pieces; then answers to bundles that were sent."""
    for case in vectors("tcpcl4.json")["dialogues"]:
        stream = b"".join(bytes.fromhex(step.get("tester_sends", "")) for step in case["steps"])
        active = case["product_role"] == "active"
        write("tcpclv4_fuzz", case["id"], bytes([16 + active, 6]) + stream)
    for number, answers in enumerate((
        "020300000000000000000000000000000014" "020200000000000000010000000000000bb8",
        "03020000000000000001" "020300000000000000020000000000000000" "03010000000000000003",
    )):
        write("tcpclv4_fuzz", f"answers-{number}", bytes([8 + 16, 3]) + bytes.fromhex(answers))


def ltp():
    """Pieces, then segments; the engine is number 10, its block is session 1 with checkpoint 1."""
    for case in vectors("ltp.json")["segments"]:
        write("ltp_fuzz", case["id"], bytes([0]) + bytes.fromhex(case["hex"]))
    for case in vectors("ltp.json")["dialogues"]:
        stream = b"".join(bytes.fromhex(step.get("tester_sends", "")) for step in case["steps"])
        if stream and len(stream) <= LONGEST:
            write("ltp_fuzz", case["id"], bytes([50]) + stream)
    for number, item in enumerate((
        "080a0100050187040001008704",  # all of the red part
        "080a01000501870400020032643250" "080a010006028160000100" "8160",  # gaps, then filled
        "0e0a010004", "0d0a0100",
        "000a050001000541424344" "45" "030a05000105054546474849" "0100",
        "040a06000100054142434445" "070a0600010505" "4142434445",
        "000a0700010a0541424344" "45" "070a070001050541424344" "45",
    )):
        write("ltp_fuzz", f"sessions-{number}", bytes([0]) + bytes.fromhex(item))
    # weather, limits, (what, how much)...
    for number, item in enumerate((
        "0000" "0040" "00ff" "07ff" "8201" "07ff",
        "9f01" "00f0" "01f0" "80f0" "06ff" "8201" "8200" "07ff" "07ff",
        "15f2" "00ff" "00a0" "00a0" "00a0" "00a0" "07ff" "8200" "0300" "0400" "07ff" "0401",
        "2a0c" "01ff" "05ff" "0680" "0500" "07ff" "8202",
    )):
        write("ltp_operations_fuzz", f"operations-{number}", bytes.fromhex(item))


def tcpclv3():
    """The dialogues; streams behind the contact; for both versions operations: weather, limits,
    (what, amount)..."""
    for case in vectors("tcpcl3.json")["dialogues"]:
        stream = b"".join(bytes.fromhex(step.get("tester_sends", "")) for step in case["steps"])
        write("tcpclv3_fuzz", case["id"], bytes([0, 6]) + stream)
    for number, (bits, stream) in enumerate((
        (0x0a, "2014" "209738" "20ad70" "20b658" "209344" "2001" "50"),
        (0x0a, "2014" "32" "32" "209344" "2001"),
        (0x02, "6006" "120301020310030405065004"),
        (0x02, "1303010203" "1203010203" "40" "1103010203" "5302822c"),
        (0x22, "1303010203" "1203010203" "1103010203" "1303010203"),
        (0x12, "13ff7f" + "00" * 300), (0x42, "1303010203" "50"),
    )):
        write("tcpclv3_fuzz", f"stream-{number}", bytes([bits, 3]) + bytes.fromhex(stream))
    for number, item in enumerate((
        "00ff" "05ff" "0010" "05ff" "8100" "05ff" "0701" "05ff",
        "0511" "05ff" "00ff" "80ff" "0520" "8100" "0100" "8301" "00f0" "06ff" "8301" "05ff" "8100",
        "31ff" "05ff" "0020" "0021" "0022" "8201" "0080" "05ff" "8101" "0702" "0040" "05ff",
        "0044" "05ff" "00c0" "0080" "00c1" "8301" "05ff" "8301" "05ff" "8100" "05ff" "8100",
    )):
        for version in (3, 4):
            write(f"tcpclv{version}_operations_fuzz", f"operations-{number}", bytes.fromhex(item))


def framing():
    """0 STCP or 1 MTCP, size of the pieces, frames."""
    for number, item in enumerate((
        "0003" "00000000" "00000003010203" "00000001ff" "0000000501", "0007" "ffffffff00",
        "0105" "40" "43010203" "580101" "59000201ff" "5a0000000142" "5b000000000000000155" "4501",
        "0101" "5f4101ff", "01ff" "5bffffffffffffffff", "0120" "5a00000bb8" + "07" * 3000,
    )):
        write("framing_fuzz", f"frames-{number}", bytes.fromhex(item))


def crc32c(octets):
    crc = 0xffffffff
    for octet in octets:
        crc ^= octet
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def history():
    """Blocks of history files behind an octet of circumstances; a header, a name, totals."""
    begin = 800_000_000_000

    def block(kind, payload, at=begin):
        covered = struct.pack(">IBxxxQQ", len(payload), kind, at, at + 10_000) + payload
        return b"FHBK" + struct.pack(">I", crc32c(covered)) + covered

    event = json.dumps([{"id": 1, "time": "2025-05-08T06:13:20.000Z", "level": "info",
                         "module": "egress", "kind": "link-up", "link": 3, "text": "up"}]).encode()
    names, row = block(2, b"\x05\x00\x02in\x03out"), block(3, b"\x05\x81\x00\x00")
    head = b"farlhist" + struct.pack(">I", 1)
    head += struct.pack(">I", crc32c(head)) + struct.pack(">IQQ", 1, 10, begin)
    head += struct.pack(">I", crc32c(head))
    totals = (f'"since":"2025-05-08T06:13:20.000Z","starts":3,"totals":{{"receivedBundles":5}},'
              '"upSeconds":60,"version":1}')
    check = crc32c(b"{" + totals.encode())
    for number, (bits, octets) in enumerate((
        (0, names + row + row), (1, names + row + row), (0, block(1, event)), (1, block(1, event)),
        (0, names + row[:-2] + block(1, event)), (1, row + names), (0, head),
        (0, b"events-00000042-000800000000000.fhist"), (0, f'{{"crc32c":{check},{totals}'.encode()),
    )):
        write("history_fuzz", f"history-{number}", bytes([bits]) + octets)


def storage():
    """Log files behind an octet of circumstances, and indexes; the targets make checksums right."""
    def record(place, kind, label, payload):
        head = struct.pack(">8sBBBBHHQQQQ16sQII", b"", kind, 1, 0, 0, len(label), 0,
                           (1 << 32) + place, place, 2**64 - 1, 99, bytes([place] * 16),
                           len(payload), 0, 0)
        raw = head + label + payload
        return raw + bytes(-len(raw) % 8)

    label = bytes([2]) + struct.pack(">QQ", 20, 1)
    one, two = record(1, 1, label, b"a bundle"), record(2, 1, label, b"another")
    gone = record(3, 2, b"", struct.pack(">Q", (1 << 32) + 1))
    for number, (bits, octets) in enumerate((
        (1, one + two + gone), (3, one + two + gone + bytes(64)), (1, one + b"torn" * 2 + two),
        (0, one), (1, one + two[:50]), (3, two + bytes(80) + one), (1, bytes(300)),
    )):
        write("log_scan_fuzz", f"log-{number}", bytes([bits]) + octets)

    def header(labels, records, erasures):
        log = b"FARLLOG\n" + struct.pack(">IIQQQ16sI", 1, 0, 10, 1, 5, b"key", 0) + bytes(4)
        return (b"FARLIDX\n" + struct.pack(">II", 1, 0) + log
                + struct.pack(">QIII", 1 << 20, labels, records, erasures) + bytes(28))

    entry = bytes([1, 0]) + bytes(range(16)) + bytes.fromhex("02" "01" "818010" "8f50" "00")
    gap = bytes([0x82, 4]) + bytes(range(16)) + bytes.fromhex("0309" "02" "00" "02" "00" "01")
    names = bytes([len(label)]) + label
    for number, octets in enumerate((
        header(0, 0, 0), header(1, 1, 0) + names + entry,
        header(1, 2, 1) + names + 2 * entry + b"2",
        header(2, 2, 2) + names + b"\1x" + entry + gap + bytes.fromhex("8480808002" "01"),
    )):
        write("log_index_fuzz", f"index-{number}", octets)


def contact_plans():
    """The examples, and what ION's form has beside them."""
    for file in (ROOT.parent / "config" / "contact_plans").iterdir():
        write("contact_plan_fuzz", file.name, file.read_bytes())
    for number, text in enumerate((
        "@ 2026/01/02-03:04:05\na contact +0 +60 1 2 1 0.5\na range +0 +30 1 2 1\n"
        "a range +30 +60 2 1 3\n",
        "^ 1\nd contact * 1 2\na contact +0 +60 1 2 1\nc contact +0 1 2 7\nd contact +0 1 2\n"
        "d range * 1 2\nm horizon +0\n",
        "a contact -1 -1 1 1 0\na contact +0 0 1 2 1\n1 1 ''\n",
        '{"contacts":[{"contact":0,"source":1,"dest":2,"startTime":"2026-01-02T03:04:05.250Z",'
        '"endTime":"2026-01-02T03:04:06Z","rateBitsPerSec":9,"owlt":1.28}]}',
        '{"contacts":[],"$schema":"x"}',
    )):
        write("contact_plan_fuzz", f"plan-{number}", text.encode())


def aap2_streams():
    """What clients of AAP 2.0 send: an octet of piece size, one of options, messages."""
    def varint(value):
        octets = b""
        while value > 0x7f:
            octets += bytes([value & 0x7f | 0x80])
            value >>= 7
        return octets + bytes([value])

    def field(number, content):
        if isinstance(content, int):
            return varint(number << 3) + varint(content)
        return varint(number << 3 | 2) + varint(len(content)) + content

    def message(number, content):
        octets = field(number, content)
        return varint(len(octets)) + octets

    def adu(payload, length=None, to=b"ipn:20.1", more=b""):
        fields = field(2, to) + field(5, len(payload) if length is None else length) + more
        return message(3, fields) + payload

    sender = message(2, field(3, b"s") + field(4, b"ipn:10.42"))
    many = message(2, field(4, b"42") + field(1000, 8))
    receiver = message(2, field(1, 1) + field(4, b"ipn:10.42") + field(5, 5))
    for number, stream in enumerate((
        sender + adu(b"hello") + adu(b"") + message(6, b""),
        many + 3 * adu(bytes(5000)) + adu(b"no", to=b"dtn:none") + adu(b"x", 1 << 60),
        sender + adu(b"a", more=field(7, b"ipn:1.1") + field(1000, 5) + field(1004, 9)),
        sender + adu(b"a", more=field(6, 2)) + adu(b"b", more=field(1003, 1)),
        receiver + b"\x02\x08\x01", receiver + b"\x00", b"\xff\xff\xff\xff\x7f",
        message(4, b"") + sender, sender + sender,
        sender + adu(b"a", more=field(1005, 6)) + adu(bytes(5000), more=field(1005, 6)),
    )):
        write("aap2_fuzz", f"stream-{number}", b"\x02\x01" + stream)


def bus_messages():
    """The golden octets of the bus, then batches, greetings and what is out of order."""
    test = (ROOT / "unit" / "common" / "bus" / "wire" / "wire_test.cpp").read_text()
    for literal in re.findall(r'((?:"464c[0-9a-f ]+"\s*)(?:"[0-9a-f ]+"\s*)*)\);', test):
        octets = bytes.fromhex(re.sub(r'["\s]', "", literal))
        bus_seed(f"message-{octets[3]}", octets)

    def batch(kind, owner, bundles, frames):
        header = struct.pack("<BBIQQQIBBBQQQQQQQQQI", owner, 0, 5, 9, 3, 77, 4, 0, 0, 0,
                             78, 0, 0, 0, 76, 0, 0, 0, 0, len(bundles))
        for slices in bundles:
            size = sum(length for _, _, length in slices)
            header += struct.pack("<QQQQQqIIBBBBI", size, 1, 2, 3, 4, 5, 2, 4, 7, 1, 0, 2, 3)
            header += struct.pack("<I", len(slices))
            header += b"".join(struct.pack("<III", *place) for place in slices)
        bus_seed(f"batch-{kind}", b"FL\0" + bytes([kind]) + header, frames)

    two = [[(0, 0, 10)], [(0, 14, 6)], [(0, 20, 8), (1, 1, 4)]]
    for kind, owner in ((1, 0), (2, 0), (3, 1), (20, 2), (21, 2)):
        batch(kind, owner, two, [bytes(range(28)), bytes(range(128, 156))])
    batch(99, 0, [], [])
    bus_seed("outcomes", bytes.fromhex("464c0004" "00" "0700000000000000" "03000000" "010207"))
    bus_seed("greeting", b"FL\0H" + bytes.fromhex("09" "01" "08" "0302000000000000" "05000000")
             + b"0.1.0" + bytes.fromhex("01000000" "03000000") + b"bus" + bytes(8))
    for number, octets in enumerate(("464d0013", "464c", "464c001302", "464c00130001", "464c00ff")):
        bus_seed(f"wrong-{number}", bytes.fromhex(octets))


def bus_seed(name, header, frames=()):
    """All frames of one input are of one length; the target sets the version."""
    write("wire_fuzz", name,
          bytes([len(frames)]) + struct.pack("<H", len(header)) + header + b"".join(frames))


if __name__ == "__main__":
    main()
