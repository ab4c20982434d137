// SPDX-License-Identifier: Apache-2.0
// Bundles that have no identity to be recognised by.
#include "module/applications/core/deliveries.hpp"

#include "tests/unit/module/applications/core/app_fixture.hpp"

namespace farlink::applications::deliveries_test {
namespace {

class DeliveriesTest : public AppFixture {
protected:
    /// Whether the one ADU that the session has to write may have been given before.
    bool gets_repeated_adu(AppSession &session) {
        const Bytes octets = written(session);
        const VarintRead length = read_varint(octets);
        if (length.size == 0) {
            ADD_FAILURE() << "nothing was given";
            return false;
        }
        ProtobufReader outer(ByteView(octets).subspan(length.size, length.value));
        ProtobufReader adu(outer.next()->octets);
        bool repeated = false;
        while (const auto field = adu.next()) repeated = repeated || field->number == 1014;
        return repeated;
    }
};

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

TEST_F(DeliveriesTest, AnAdministrativeRecordIsMarkedOnlyWhenItIsGivenAgain) {
    AppSession &first = join("ipn:10.142", true);
    test::TestBundle record = made(1);
    record.flags = bp::v7::kIsAdminRecord;
    deliver("ipn:10.142", {record.octets()});
    EXPECT_FALSE(gets_repeated_adu(first));
    AppSession &second = join("ipn:10.142", true);
    close(first);
    EXPECT_TRUE(gets_repeated_adu(second));
    feed(second, answer(ResponseStatus::kSuccess));
    EXPECT_EQ(count(ApplicationsCounter::kDelivered), 1U);
}

}  // namespace
}  // namespace farlink::applications::deliveries_test
