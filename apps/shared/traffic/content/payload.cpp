// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/content/payload.hpp"

#include <algorithm>

#include "common/base/random.hpp"

namespace farlink::traffic {

void PayloadHeader::write(std::uint8_t *to) const {
    store_be(to, is_ping ? kPingMagic : kMagic);
    store_be(to + 4, length_bytes);
    store_be(to + 8, run);
    store_be(to + 16, sequence);
    store_be(to + 24, sent_unix_ns);
    store_be(to + 32, total);
    store_be(to + 40, seed);
}

std::optional<PayloadHeader> PayloadHeader::read(ByteView front, std::uint64_t payload_bytes) {
    if (payload_bytes < kBytes || front.size() < kBytes) return {};
    const auto magic = load_be<std::uint32_t>(front.data());
    if (magic != kMagic && magic != kPingMagic) return {};
    PayloadHeader header;
    header.is_ping = magic == kPingMagic;
    header.length_bytes = load_be<std::uint32_t>(front.data() + 4);
    if (header.length_bytes != static_cast<std::uint32_t>(payload_bytes)) return {};
    header.run = load_be<std::uint64_t>(front.data() + 8);
    header.sequence = load_be<std::uint64_t>(front.data() + 16);
    header.sent_unix_ns = load_be<std::uint64_t>(front.data() + 24);
    header.total = load_be<std::uint64_t>(front.data() + 32);
    header.seed = load_be<std::uint64_t>(front.data() + 40);
    return header;
}

Pattern::Pattern(std::uint64_t seed) : seed_(seed) {
    Random random(seed);
    for (std::size_t at = 0; at < kPeriod; at += 8) store_be(octets_.data() + at, random.next());
    for (std::size_t at = kPeriod; at < kStretch; at += kPeriod)
        std::copy_n(octets_.begin(), kPeriod, octets_.begin() + static_cast<std::ptrdiff_t>(at));
}

bool Pattern::matches(ByteView octets, std::uint64_t offset) const {
    while (!octets.empty()) {
        const std::size_t begin = offset % kPeriod;
        const std::size_t size = std::min(octets.size(), kPeriod);
        // The stretch is longer than a period, so a period fits after every offset.
        if (std::memcmp(octets.data(), octets_.data() + begin, size) != 0) return false;
        octets = octets.subspan(size);
    }
    return true;
}

}  // namespace farlink::traffic
