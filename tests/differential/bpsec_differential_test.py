#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares farlink's BPSec with the independent implementation of bpsec_reference.py on random
bundles: both must make the same octets, accept what the other has made, and refuse the same of
what is changed on the way.

    tests/differential/bpsec_differential_test.py DRIVER [--bundles N] [--seed S]
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys

SKIPPED = 77
# ./farlink-dev installs the package there, like the peers of tests/interop.
PEERS = pathlib.Path(os.environ.get("FARLINK_PEERS")
                     or pathlib.Path.home() / ".cache/farlink-peers")
PYTHON = PEERS / "python/bin/python"

try:
    from bpsec_reference import BCB, BIB, PAYLOAD, Asb, Block, Bundle, Refused
except ImportError as missing:
    if PYTHON.exists() and pathlib.Path(sys.executable) != PYTHON:
        os.execv(PYTHON, [str(PYTHON), *sys.argv])
    print(f"skipped: {missing}")
    sys.exit(SKIPPED)

SOURCE = [2, [10, 0]]


class Driver:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def close(self):
        self.process.stdin.close()
        return self.process.wait(timeout=30)


def make_bundle(rng):
    crc = rng.choice((0, 2))
    primary = [7, 4, crc, [2, [rng.getrandbits(20) + 1, 2]], [2, [rng.getrandbits(40) + 1, 1]],
               [2, [10, 0]], [rng.getrandbits(41) + 1, rng.getrandbits(8)], rng.getrandbits(32)]
    blocks = []
    for number in rng.sample(range(2, 300), rng.randrange(4)):
        # Types without a meaning; flags that do not ask for a deletion.
        blocks.append(Block(rng.randrange(200, 250), number, rng.choice((0, 1, 16)),
                            rng.randbytes(rng.choice((0, 1, 23, 24, 40, 300))), crc))
    size = rng.choice((0, 1, 15, 16, 17, 23, 24, 100, 255, 256, 1000))
    blocks.append(Block(PAYLOAD, 1, 0, rng.randbytes(size), crc))
    return Bundle(primary, blocks)


def some(rng, numbers):
    return rng.sample(numbers, rng.randrange(1, len(numbers) + 1))


def count_up(iv):
    """As the driver counts: the last octet."""
    while True:
        yield iv
        iv = iv[:-1] + bytes([(iv[-1] + 1) & 0xFF])


def verdict_of(octets, hmac_key, gcm_key):
    try:
        bundle = Bundle.decoded(octets)
        bundle.accept(hmac_key, gcm_key)
        return bundle.encoded().hex()
    except (Refused, IndexError, TypeError, ValueError):
        return None


class Comparison:
    def __init__(self, driver, rng):
        self.driver, self.rng = driver, rng
        self.tampered = self.noticed = 0

    def same(self, what, ours, theirs):
        if ours != theirs:
            raise AssertionError(f"{what}:\n  farlink   {ours}\n  reference {theirs}")

    def one(self):
        rng = self.rng
        bundle = make_bundle(rng)
        variant = rng.choice((5, 6, 7))
        hmac_key = rng.randbytes(rng.choice((16, 32, 48, 64)))
        gcm_key = rng.randbytes(rng.choice((16, 32)))
        numbers = [block.number for block in bundle.blocks]
        if rng.random() < 0.7:
            self.sign(bundle, some(rng, [0] + numbers), hmac_key, variant)
        if rng.random() < 0.7:
            self.encrypt(bundle, numbers, gcm_key)
        sent = bundle.encoded()
        accepted = verdict_of(sent, hmac_key, gcm_key)
        self.same("accept", self.driver.ask("accept", hmac_key.hex(), gcm_key.hex(), sent.hex()),
                  accepted)
        self.tamper(sent, hmac_key, gcm_key)

    def sign(self, bundle, targets, key, variant):
        flags = self.rng.randrange(8)
        ours = self.driver.ask("sign", variant, flags, key.hex(), ",".join(map(str, targets)),
                               bundle.encoded().hex())
        bundle.sign(targets, SOURCE, key, variant, flags)
        self.same("sign", ours, bundle.encoded().hex())

    def encrypt(self, bundle, numbers, key):
        """With all targets of each BIB, so that none is divided; not where one is the primary."""
        bibs = [Asb.decoded(block.data) for block in bundle.blocks if block.type == BIB]
        targets = some(self.rng, numbers)
        for bib in bibs:
            if set(bib.targets) & set(targets):
                if 0 in bib.targets:
                    return
                targets = list(dict.fromkeys(targets + bib.targets))
        flags, inline, iv = self.rng.randrange(8), self.rng.random() < 0.5, self.rng.randbytes(12)
        ours = self.driver.ask("encrypt", flags, int(inline), key.hex(), iv.hex(),
                               ",".join(map(str, targets)), bundle.encoded().hex())
        bundle.encrypt(targets, SOURCE, key, count_up(iv), flags, inline)
        self.same("encrypt", ours, bundle.encoded().hex())

    def tamper(self, sent, hmac_key, gcm_key):
        """One bit in the data of a block: the same verdict, whatever it is."""
        bundle = Bundle.decoded(sent)
        block = self.rng.choice(bundle.blocks)
        if not block.data or block.type in (BIB, BCB):
            return
        data = bytearray(block.data)
        data[self.rng.randrange(len(data))] ^= 1 << self.rng.randrange(8)
        block.data = bytes(data)
        forged = bundle.encoded()
        theirs = verdict_of(forged, hmac_key, gcm_key)
        ours = self.driver.ask("accept", hmac_key.hex(), gcm_key.hex(), forged.hex())
        self.same("tampered", None if ours.startswith("fault") else ours, theirs)
        self.tampered += 1
        self.noticed += theirs is None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver")
    parser.add_argument("--bundles", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    driver = Driver(arguments.driver)
    comparison = Comparison(driver, random.Random(arguments.seed))
    for number in range(arguments.bundles):
        try:
            comparison.one()
        except AssertionError as difference:
            sys.exit(f"bundle {number} of seed {arguments.seed}: {difference}")
    if driver.close() != 0:
        sys.exit("the driver failed")
    print(f"{arguments.bundles} bundles are equal; {comparison.noticed} of {comparison.tampered} "
          "changes are noticed by both, the others are in no scope")


main()
