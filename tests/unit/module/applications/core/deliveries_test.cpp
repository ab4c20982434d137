// SPDX-License-Identifier: Apache-2.0
// Bundles that have no identity to be recognised by.
#include "module/applications/core/deliveries.hpp"

#include "tests/unit/module/applications/core/app_fixture.hpp"

namespace farlink::applications::deliveries_test {
namespace {

using DeliveriesTest = AppFixture;

// Some nodes give all their records of one second the same creation timestamp.
TEST_F(DeliveriesTest, EachAdministrativeRecordIsDelivered) {
    AppSession &receiver = join("ipn:10.142", true, 2);
    test::TestBundle record = made(1);
    record.flags = bp::v7::kIsAdminRecord;
    deliver("ipn:10.142", {record.octets(), record.octets()});
    EXPECT_FALSE(received(receiver).empty());
    for (int adu = 0; adu < 2; ++adu) feed(receiver, answer(ResponseStatus::kSuccess));
    deliver("ipn:10.142", {record.octets()}, BatchOwner::kIngress);
    EXPECT_FALSE(received(receiver).empty());
    feed(receiver, answer(ResponseStatus::kSuccess));
    EXPECT_EQ(count(ApplicationsCounter::kDelivered), 3U);
    EXPECT_EQ(count(ApplicationsCounter::kDuplicates), 0U);
}

}  // namespace
}  // namespace farlink::applications::deliveries_test
