# SPDX-License-Identifier: Apache-2.0
"""BPSec (RFC 9172, RFC 9173) written for tests from the RFCs alone, on the package `cryptography`.

It shares neither code nor vectors with the product. A bundle is a list of blocks; CBOR is written
in deterministic encoding, and read as far as such bundles need.
"""
import dataclasses
import struct

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

BIB, BCB, PAYLOAD = 11, 12, 1
HASHES = {5: hashes.SHA256, 6: hashes.SHA384, 7: hashes.SHA512}


class Refused(Exception):
    """Not accepted, for whatever reason."""


def head(major, value):
    for limit, size, code in ((24, 0, None), (1 << 8, 1, 24), (1 << 16, 2, 25), (1 << 32, 4, 26)):
        if value < limit:
            if code is None:
                return bytes([major << 5 | value])
            return bytes([major << 5 | code]) + value.to_bytes(size, "big")
    return bytes([major << 5 | 27]) + value.to_bytes(8, "big")


def encode(item):
    if isinstance(item, int):
        return head(0, item)
    if isinstance(item, bytes):
        return head(2, len(item)) + item
    return head(4, len(item)) + b"".join(encode(each) for each in item)


def decode(octets, at):
    """One item, and where it ends."""
    try:
        major, value = octets[at] >> 5, octets[at] & 31
        at += 1
        if value in (24, 25, 26, 27):
            size = 1 << (value - 24)
            if at + size > len(octets):
                raise Refused("truncated")
            value = int.from_bytes(octets[at:at + size], "big")
            at += size
        elif value == 31 and major == 4:
            items = []
            while octets[at] != 0xFF:
                item, at = decode(octets, at)
                items.append(item)
            return items, at + 1
        elif value > 27:
            raise Refused("not CBOR of a bundle")
        if major == 0:
            return value, at
        if major == 2:
            if at + value > len(octets):
                raise Refused("truncated")
            return bytes(octets[at:at + value]), at + value
        if major == 4:
            items = []
            for _ in range(value):
                item, at = decode(octets, at)
                items.append(item)
            return items, at
    except IndexError:
        raise Refused("truncated") from None
    raise Refused("not CBOR of a bundle")


def crc32c(octets):
    crc = 0xFFFFFFFF
    for octet in octets:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return struct.pack(">I", crc ^ 0xFFFFFFFF)


def with_crc(fields, place):
    """The fields of a block with CRC type 2 at `place`, and the CRC behind them."""
    fields = fields[:place] + [2] + fields[place + 1:]
    return fields + [crc32c(encode(fields + [bytes(4)]))]


@dataclasses.dataclass
class Block:
    type: int
    number: int
    flags: int
    data: bytes
    crc: int = 0

    def encoded(self):
        fields = [self.type, self.number, self.flags, 0, self.data]
        return encode(with_crc(fields, 3) if self.crc else fields)

    def header(self):
        return encode(self.type) + encode(self.number) + encode(self.flags & 0x17)


@dataclasses.dataclass
class Asb:
    """An abstract security block (RFC 9172 section 3.6)."""
    targets: list
    context: int
    source: list
    parameters: list
    results: list

    def encoded(self):
        parts = [self.targets, self.context, 1 if self.parameters else 0, self.source]
        parts += [self.parameters] if self.parameters else []
        return b"".join(encode(part) for part in parts + [self.results])

    @staticmethod
    def decoded(octets):
        items, at = [], 0
        while at < len(octets):
            item, at = decode(octets, at)
            items.append(item)
        try:
            targets, context, flags, source = items[:4]
            parameters = items[4] if flags & 1 else []
            rest = items[5:] if flags & 1 else items[4:]
            if len(rest) != 1 or len(rest[0]) != len(targets) or not targets:
                raise Refused("no security block")
            if len(set(targets)) != len(targets):
                raise Refused("a target twice")
            return Asb(targets, context, source, parameters, rest[0])
        except (TypeError, ValueError):
            raise Refused("no security block") from None


class Bundle:
    def __init__(self, primary, blocks):
        self.primary = primary  # its fields without a CRC; field 2 is the CRC type
        self.blocks = blocks

    @staticmethod
    def decoded(octets):
        items, at = decode(octets, 0)
        if octets[0] != 0x9F or at != len(octets):
            raise Refused("not a bundle")
        primary = items[0][:8]
        blocks = [Block(*fields[:3], fields[4], fields[3]) for fields in items[1:]]
        return Bundle(primary, blocks)

    def primary_octets(self):
        return encode(with_crc(self.primary, 2) if self.primary[2] else self.primary)

    def encoded(self):
        return (b"\x9f" + self.primary_octets() + b"".join(b.encoded() for b in self.blocks) +
                b"\xff")

    def find(self, number):
        for block in self.blocks:
            if block.number == number:
                return block
        raise Refused("no such block")

    def lowest_free(self):
        used = {block.number for block in self.blocks} | {0, 1}
        return next(number for number in range(2, 1000) if number not in used)

    def remove_crc(self, target):
        if target == 0:
            self.primary = self.primary[:2] + [0] + self.primary[3:]
        else:
            self.find(target).crc = 0

    def scope(self, flags, target, security):
        """The octets in front of the target (RFC 9173 sections 3.7 and 4.7.2)."""
        flags &= 7
        octets = encode(flags)
        if flags & 1 and target != 0:
            octets += self.primary_octets()
        if flags & 2 and target != 0:
            octets += self.find(target).header()
        if flags & 4:
            octets += security.header()
        return octets

    def ippt(self, flags, target, security):
        data = self.primary_octets() if target == 0 else self.find(target).data
        return self.scope(flags, target, security) + encode(data)

    # Sources.

    def sign(self, targets, source, key, variant, flags):
        for target in targets:
            self.remove_crc(target)
        block = Block(BIB, self.lowest_free(), 0, b"")
        results = []
        for target in targets:
            mac = hmac.HMAC(key, HASHES[variant]())
            mac.update(self.ippt(flags, target, block))
            results.append([[1, mac.finalize()]])
        block.data = Asb(targets, 1, source, [[1, variant], [3, flags]], results).encoded()
        self.blocks.insert(0, block)

    def encrypt(self, targets, source, key, ivs, flags, inline):
        """A BCB for each target, and one for each BIB all of whose targets these are."""
        targets = list(targets)
        for block in self.blocks:
            if block.type == BIB and set(Asb.decoded(block.data).targets) & set(targets):
                targets.append(block.number)
        for target in targets:
            self.encrypt_one(target, source, key, next(ivs), flags, inline)

    def encrypt_one(self, target, source, key, iv, flags, inline):
        self.remove_crc(target)
        block = Block(BCB, self.lowest_free(), 1 if target == PAYLOAD else 0, b"")
        victim = self.find(target)
        sealed = AESGCM(key).encrypt(iv, victim.data, self.scope(flags, target, block))
        victim.data = sealed if inline else sealed[:-16]
        variant = {16: 1, 32: 3}[len(key)]
        block.data = Asb([target], 2, source, [[1, iv], [2, variant], [4, flags]],
                         [[] if inline else [[1, sealed[-16:]]]]).encoded()
        self.blocks.insert(0, block)

    # The acceptor at the destination.

    def accept(self, hmac_key, gcm_key):
        for kind in (BCB, BIB):
            for block in [each for each in self.blocks if each.type == kind]:
                asb = Asb.decoded(block.data)
                for target, results in zip(asb.targets, asb.results):
                    if kind == BCB:
                        self.decrypt(block, asb, target, results, gcm_key)
                    else:
                        self.verify(block, asb, target, results, hmac_key)
            self.blocks = [each for each in self.blocks if each.type != kind]

    def verify(self, block, asb, target, results, key):
        parameters = dict(asb.parameters)
        variant = parameters.get(1, 6)
        if asb.context != 1 or variant not in HASHES or len(results) != 1:
            raise Refused("not this context")
        mac = hmac.HMAC(key, HASHES[variant]())
        mac.update(self.ippt(parameters.get(3, 7), target, block))
        try:
            mac.verify(results[0][1])
        except (InvalidSignature, TypeError):
            raise Refused("mismatch") from None

    def decrypt(self, block, asb, target, results, key):
        parameters = dict(asb.parameters)
        variant = parameters.get(2, 3)
        if asb.context != 2 or {1: 16, 3: 32}.get(variant) != len(key) or 1 not in parameters:
            raise Refused("not this context")
        victim = self.find(target)
        sealed = victim.data + (results[0][1] if results else b"")
        try:
            victim.data = AESGCM(key).decrypt(parameters[1], sealed,
                                              self.scope(parameters.get(4, 7), target, block))
        except (InvalidTag, ValueError, TypeError):
            raise Refused("mismatch") from None


