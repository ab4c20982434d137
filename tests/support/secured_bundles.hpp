// SPDX-License-Identifier: Apache-2.0
// Bundles to protect in tests: a primary block with or without CRC, a hop count and a bundle age
// block, a payload; and requests for them.
// Plain functions for tests.
// Any thread.
#pragma once

#include <vector>

#include "common/bp/v7/builder.hpp"
#include "tests/support/security.hpp"

namespace farlink::test {

inline constexpr std::uint64_t kHopCountNumber = 2;
inline constexpr std::uint64_t kAgeNumber = 3;

inline Bytes plain_bundle(bp::v7::CrcType crc = bp::v7::CrcType::kCrc32c,
                          std::size_t payload_bytes = 40, std::uint64_t flags = 0) {
    bp::v7::PrimaryFields primary;
    primary.flags = flags;
    primary.crc_type = crc;
    primary.destination = bp::ipn_eid(20, 2);
    primary.source = bp::ipn_eid(10, 1);
    primary.report_to = bp::ipn_eid(10, 0);
    primary.creation_time_ms = 757000000123;
    primary.sequence = 7;
    primary.lifetime_ms = 3600000;
    primary.total_adu_length = 1000;
    bp::v7::Builder builder(primary);
    builder.add_hop_count(30, 2);
    builder.add_bundle_age(300);
    Bytes payload(payload_bytes);
    for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::uint8_t>(i * 7);
    return std::move(builder).finish(payload, crc);
}

inline const Bytes &hmac_key() {
    static const Bytes key(32, 0x11);
    return key;
}
inline const Bytes &gcm_key() {
    static const Bytes key(16, 0x22);
    return key;
}

inline bpsec::NewBlock new_block(bpsec::Scope scope = bpsec::kWholeScope) {
    return {bp::ipn_eid(10, 0), 0, 0, bpsec::Place::kFirst, scope, true};
}

inline bpsec::Verdict sign(OpenBundle &bundle, std::vector<std::uint64_t> targets,
                           bpsec::Scope scope = bpsec::kWholeScope) {
    bpsec::WorkingKey key(bpsec::KeyAlgorithm::kHmacSha256, hmac_key());
    FixedRandom random;
    return bpsec::sign(bundle.secured, {targets, new_block(scope), bpsec::HashVariant::kSha256},
                       key, random);
}

inline bpsec::Verdict encrypt(OpenBundle &bundle, std::vector<std::uint64_t> targets,
                              bool tag_in_target = false, bpsec::Scope scope = bpsec::kWholeScope) {
    bpsec::WorkingKey key(bpsec::KeyAlgorithm::kA128Gcm, gcm_key());
    FixedRandom random;
    FixedIv ivs(Bytes(bpsec::kIvBytes, 0x33), true);
    return bpsec::encrypt(
        bundle.secured,
        {targets, new_block(scope), bpsec::CipherVariant::kA128Gcm, false, tag_in_target}, key, ivs,
        random);
}

inline bpsec::Verdict accept_all(OpenBundle &bundle) {
    return accept_all(bundle.secured, hmac_key(), gcm_key());
}

}  // namespace farlink::test
