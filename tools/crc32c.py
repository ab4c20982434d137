# SPDX-License-Identifier: Apache-2.0
"""CRC-32C of the store's files, for tests that change them."""


def crc32c(octets):
    crc = 0xFFFFFFFF
    for octet in octets:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF
