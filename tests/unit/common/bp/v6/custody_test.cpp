// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v6/custody.hpp"

#include <gtest/gtest.h>

#include "common/bp/forwarding_editor.hpp"
#include "common/bp/v6/bundle.hpp"
#include "tests/support/custody_bundle.hpp"
#include "tests/support/vectors.hpp"

namespace farlink::bp::v6::custody_test {
namespace {

using test::CustodyBundle;
using test::Json;

BundleView view_of(const Bytes &octets) {
    const auto view = parse(std::array{ByteView(octets)});
    EXPECT_TRUE(view.has_value());
    return view.value_or(BundleView{});
}

ByteView head_of(const Bytes &octets) {
    return ByteView(octets).first(view_of(octets).head_end);
}

/// The bundle as it stands when `custodian` has taken custody of it.
Bytes taken_over(const Bytes &octets, const EidView &custodian, std::optional<std::uint64_t> id) {
    const ByteView head = head_of(octets);
    Bytes result(custody_head_bound(head.size(), custodian));
    result.resize(write_custody_head(head, custodian, id, result));
    append(result, ByteView(octets).subspan(head.size()));
    return result;
}

Json vector_named(const std::string &list, const std::string &id) {
    const Json all = test::load_vectors("bpv6_bundles.json");
    for (const Json &each : all[list])
        if (each["id"] == id) return each;
    throw std::runtime_error("no vector " + id);
}

TEST(V6Custody, TheNewCustodianStandsInTheBundle) {
    const Json vector = vector_named("processing_cases", "v6-cust-1");
    const Bytes octets = test::hex_of(vector["input_hex"]);
    EXPECT_TRUE(wants_custody(view_of(octets)));
    const EidView local = ipn_eid(15, 0);
    ASSERT_EQ(to_string(local), vector["local_node"]);
    const Bytes plain = taken_over(octets, local, std::nullopt);
    EXPECT_EQ(to_string(view_of(plain).custodian), vector["expected"]["forwarded_custodian"]);

    // Nothing else has changed.
    Bundle before = decode(octets).value();
    before.set_custodian(local);
    EXPECT_EQ(decode(plain).value(), before);

    const Bytes with_id = taken_over(octets, local, 77);
    EXPECT_EQ(custody_id_of(view_of(with_id), head_of(with_id)), 77U);
    EXPECT_EQ(to_string(view_of(with_id).custodian), "ipn:15.0");
}

TEST(V6Custody, AnIdCountsOnlyFromTheCurrentCustodian) {
    const Json *found = nullptr;
    const Json all = test::load_vectors("bpv6_bundles.json");
    for (const auto &[key, list] : all.items()) {
        if (!list.is_array()) continue;
        for (const Json &each : list)
            if (each.is_object() && each.value("id", "") == "v6-ext-003") found = &each;
    }
    ASSERT_NE(found, nullptr);
    const Bytes octets = test::hex_of((*found)["hex"]);
    EXPECT_EQ(custody_id_of(view_of(octets), head_of(octets)), 77U);

    CustodyBundle stale;
    stale.custody_id = 5;
    stale.creator = ipn_eid(3, 0);
    EXPECT_EQ(custody_id_of(view_of(stale.octets()), head_of(stale.octets())), std::nullopt);
    stale.creator = stale.custodian;
    EXPECT_EQ(custody_id_of(view_of(stale.octets()), head_of(stale.octets())), 5U);
    stale.custodian = {};
    stale.creator = EidView{};
    EXPECT_EQ(custody_id_of(view_of(stale.octets()), head_of(stale.octets())), std::nullopt);
}

TEST(V6Custody, AnOldIdMakesRoomForTheNewOne) {
    CustodyBundle bundle;
    bundle.custody_id = 5;
    const Bytes octets = bundle.octets();
    const Bytes taken = taken_over(octets, ipn_eid(10, 0), 0xfedcba9876543210ULL);
    const Bundle value = decode(taken).value();
    ASSERT_EQ(value.blocks.size(), 2U);
    EXPECT_EQ(value.blocks[0].type, kCustodyTransferBlock);
    EXPECT_EQ(custody_id_of(view_of(taken), head_of(taken)), 0xfedcba9876543210ULL);
    EXPECT_EQ(value.payload().data, bundle.payload());
    const Bytes without = taken_over(octets, ipn_eid(10, 0), std::nullopt);
    EXPECT_EQ(decode(without).value().blocks.size(), 1U);
    // Whoever is custodian again and again leaves nothing behind.
    Bytes again = octets;
    for (std::uint64_t node = 1; node < 20; ++node)
        again = taken_over(again, ipn_eid(node << (2 * node), 0), node);
    EXPECT_EQ(decode(again).value().blocks.size(), 2U);
}

TEST(V6Custody, ADictionaryGrowsByTheCustodian) {
    CustodyBundle bundle;
    bundle.to = {EidScheme::kDtn, 0, 0, "//far/away"};
    bundle.custody_id = 9;
    const Bytes octets = bundle.octets();
    const Bytes taken = taken_over(octets, ipn_eid(10, 0), 1);
    const BundleView view = view_of(taken);
    EXPECT_EQ(view.custodian, ipn_eid(10, 0));
    EXPECT_EQ(view.destination, bundle.to);
    EXPECT_EQ(view.source, bundle.from);
    EXPECT_EQ(view.identity(), view_of(octets).identity());
    EXPECT_EQ(custody_id_of(view, head_of(taken)), 1U);
}

TEST(V6Custody, ACustodianWithoutNumbersNeedsADictionary) {
    const CustodyBundle bundle;
    const EidView custodian{EidScheme::kDtn, 0, 0, "//custodian/of/a/long/name"};
    const Bytes taken = taken_over(bundle.octets(), custodian, 3);
    const BundleView view = view_of(taken);
    EXPECT_EQ(view.custodian, custodian);
    EXPECT_EQ(view.destination, bundle.to);
    EXPECT_EQ(view.source, bundle.from);
    EXPECT_TRUE(view.report_to.is_null());
    EXPECT_EQ(custody_id_of(view, head_of(taken)), 3U);
}

TEST(V6Custody, AFragmentStaysOne) {
    const CustodyBundle bundle;
    const auto parts = fragment(decode(bundle.octets()).value(), 40);
    ASSERT_TRUE(parts);
    const Bytes taken = taken_over(encode(parts->second), ipn_eid(10, 0), 1);
    const BundleView view = view_of(taken);
    EXPECT_TRUE(view.is_fragment);
    EXPECT_EQ(view.fragment_offset, 40U);
    EXPECT_EQ(view.total_adu_length, 100U);
}

TEST(V6Custody, OnlyOneDestinationAndNoRecords) {
    CustodyBundle bundle;
    EXPECT_TRUE(wants_custody(view_of(bundle.octets())));
    bundle.flags = kCustodyRequested;
    EXPECT_FALSE(wants_custody(view_of(bundle.octets()))) << "not a singleton";
    bundle.flags = kSingletonDestination;
    EXPECT_FALSE(wants_custody(view_of(bundle.octets())));
    bundle.flags = kSingletonDestination | kIsAdminRecord;
    EXPECT_FALSE(wants_custody(view_of(bundle.octets())));
}

TEST(V6Custody, AnIdBehindThePayloadMovesBeforeIt) {
    CustodyBundle bundle;
    bundle.custody_id = 5;
    Bundle value = decode(bundle.octets()).value();
    std::swap(value.blocks[0], value.blocks[1]);
    const Bytes edited = apply_trailing_blocks(encode(value));
    EXPECT_EQ(custody_id_of(view_of(edited), head_of(edited)), 5U);
}

}  // namespace
}  // namespace farlink::bp::v6::custody_test
