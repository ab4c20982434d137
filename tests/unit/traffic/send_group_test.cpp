// SPDX-License-Identifier: Apache-2.0
#include "apps/traffic/send_group.hpp"

#include <gtest/gtest.h>

#include "common/bp/bundle_view.hpp"

namespace farlink::traffic {
namespace {

Bytes joined(std::span<const iovec> pieces) {
    Bytes octets;
    for (const iovec &piece : pieces)
        append(octets, {static_cast<const std::uint8_t *>(piece.iov_base), piece.iov_len});
    return octets;
}

class SendGroupOf : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SendGroupOf, HoldsWholeValidFrames) {
    const Pattern pattern(9);
    BundleOptions options;
    options.source = bp::Eid(1, 1).view();
    options.destination = bp::Eid(2, 1).view();
    options.payload_bytes = GetParam();
    auto bundles = BundleTemplate::make(options, pattern);
    ASSERT_TRUE(bundles);
    SendGroup group(*bundles, pattern);
    PayloadHeader header;
    header.length_bytes = static_cast<std::uint32_t>(options.payload_bytes);

    std::uint64_t expected = 0;
    for (int round = 0; round < 2; ++round) {
        ASSERT_TRUE(group.empty());
        for (; !group.full(); ++header.sequence) group.add(header);
        EXPECT_GE(group.bytes(), SendGroup::kFullBytes);
        const Bytes octets = joined(group.pieces());
        EXPECT_EQ(octets.size(), group.bytes());

        for (ByteView rest(octets); !rest.empty(); ++expected) {
            const ByteView bundle = rest.subspan(4, load_be<std::uint32_t>(rest.data()));
            const auto view = bp::parse({&bundle, 1});
            ASSERT_TRUE(view) << bp::to_string(view.error());
            EXPECT_EQ(view->sequence, expected);
            const ByteView payload = bundle.subspan(view->payload_offset, view->payload_length);
            EXPECT_TRUE(pattern.matches(payload.subspan(PayloadHeader::kBytes)));
            rest = rest.subspan(4 + bundle.size());
        }
        EXPECT_EQ(expected, header.sequence);
        group.clear();
    }
}

// Around the size from which on the pattern is referred to, not copied, and around its stretch.
INSTANTIATE_TEST_SUITE_P(Sizes, SendGroupOf,
                         testing::Values(48, 49, 100, 4143, 4144, 4145, 16431, 16432, 16433,
                                         262'144, 1'000'000));

}  // namespace
}  // namespace farlink::traffic
