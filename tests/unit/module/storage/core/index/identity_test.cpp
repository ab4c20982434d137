// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/identity.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::storage::identity_test {
namespace {

bp::EidView ipn(std::uint64_t node, std::uint64_t service) {
    return {bp::EidScheme::kIpn, node, service, {}};
}

TEST(Identity, TellsBundlesApartByWhatTheStandardNames) {
    IdentityHasher identity_of;
    std::vector<bp::BundleView> different(7);
    for (bp::BundleView &view : different) {
        view.version = 7;
        view.source = ipn(10, 1);
        view.creation_time = 5;
        view.sequence = 6;
    }
    different[1].source = ipn(10, 2);
    different[2].creation_time = 6;
    different[3].sequence = 7;
    different[4].is_fragment = true;
    different[5].is_fragment = true;
    different[5].fragment_offset = 100;
    different[6].source = {bp::EidScheme::kDtn, 0, 0, "//a/b"};
    for (std::size_t a = 0; a < different.size(); ++a)
        for (std::size_t b = 0; b < different.size(); ++b)
            EXPECT_EQ(identity_of(different[a]) == identity_of(different[b]), a == b);
    // What changes on the way, or is not part of the identity, does not count.
    bp::BundleView same = different[0];
    same.payload_length = 99;
    same.hop_count = 3;
    same.destination = ipn(20, 1);
    EXPECT_EQ(identity_of(same), identity_of(different[0]));
}

TEST(Identity, ABundleWithoutASourceHasAnIdentityOfItsOwn) {
    IdentityHasher identity_of;
    bp::BundleView view;
    view.version = 7;
    EXPECT_NE(identity_of.of_received(view, 1), identity_of.of_received(view, 2));
    EXPECT_EQ(identity_of.of_received(view, 1), identity_of.of_received(view, 1));
    view.source = ipn(10, 1);
    EXPECT_EQ(identity_of.of_received(view, 1), identity_of.of_received(view, 2));
    EXPECT_EQ(identity_of.of_received(view, 1), identity_of(view));
}

TEST(Identity, ARecordThatHasComeBackIsToldByItsPayload) {
    IdentityHasher identity_of;
    const Bytes octets{1, 2, 3, 4, 5, 6, 7, 8};
    Bytes other = octets;
    other[6] = 0;
    bp::BundleView view;
    view.version = 6;
    view.source = ipn(10, 0);
    view.payload_offset = 3;
    view.payload_length = 4;
    const auto of = [&](const bp::BundleView &record, ByteView whole, std::size_t cut) {
        const std::array slices{whole.first(cut), whole.subspan(cut)};
        return identity_of.of_returned(record, slices);
    };
    const Hash128 first = of(view, octets, 2);
    EXPECT_EQ(of(view, octets, 5), first);
    EXPECT_NE(of(view, other, 5), first) << "another payload";
    other = octets;
    other[0] = other[7] = 9;
    bp::BundleView changed = view;
    changed.hop_count = 5;
    EXPECT_EQ(of(changed, other, 5), first) << "what changes on the way";
    changed.destination = ipn(20, 0);
    EXPECT_NE(of(changed, octets, 5), first);
    EXPECT_NE(identity_of.of_received(view, 1), first);
}

// Some nodes give all their records of one second the same creation timestamp.
TEST(Identity, SoHasAnAdministrativeRecord) {
    IdentityHasher identity_of;
    bp::BundleView view;
    view.version = 6;
    view.source = ipn(10, 0);
    view.is_admin_record = true;
    EXPECT_NE(identity_of.of_received(view, 1), identity_of.of_received(view, 2));
    EXPECT_EQ(identity_of.of_received(view, 1), identity_of.of_received(view, 1));
}

TEST(Identity, DependsOnTheKey) {
    const bp::BundleView view;
    IdentityHasher one, other;
    other.set_key(SipKey{1});
    EXPECT_NE(one(view), other(view));
}

/// The first vector of the authors' reference for 128 bits: key 00..0f, no input; and 0..14.
TEST(Identity, TheHashIsSipHash) {
    SipKey key;
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(i);
    Bytes input;
    // Written out as little-endian words of the reference's octets.
    const Hash128 empty = siphash128(key, input);
    EXPECT_EQ(empty.high, 0xe6a825ba047f81a3ULL);
    EXPECT_EQ(empty.low, 0x930255c71472f66dULL);
    for (std::uint8_t i = 0; i < 15; ++i) input.push_back(i);
    const Hash128 fifteen = siphash128(key, input);
    EXPECT_EQ(fifteen.high, 0x11a8b03399e99354ULL);
    EXPECT_EQ(fifteen.low, 0xd9c3cf970fec087eULL);
}

TEST(EndpointLabel, EveryEndpointComesBack) {
    Bytes label;
    for (const bp::EidView &endpoint : {bp::EidView{}, ipn(1, 2), ipn(977000ULL << 32 | 100, ~0ULL),
                                        bp::EidView{bp::EidScheme::kDtn, 0, 0, "//node/demux"},
                                        bp::EidView{bp::EidScheme::kOther, 0, 0, "x:y"}}) {
        encode_label(endpoint, label);
        const auto decoded = decode_label(label);
        ASSERT_TRUE(decoded.has_value());
        EXPECT_EQ(*decoded, endpoint);
    }
    EXPECT_FALSE(decode_label({}).has_value());
    EXPECT_FALSE(decode_label(Bytes{9}).has_value());
    EXPECT_FALSE(decode_label(Bytes{2, 0, 0}).has_value());
}

}  // namespace
}  // namespace farlink::storage::identity_test
