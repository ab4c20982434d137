// SPDX-License-Identifier: Apache-2.0
#if FARLINK_TLS
#include "common/bp/bpsec/service_operations.hpp"

#include <gtest/gtest.h>

#include "tests/support/secured_bundles.hpp"

namespace farlink::service_operations_test {
namespace {

using namespace farlink::test;
using bpsec::Service;

TEST(ServiceOperations, ListsOneServiceOnly) {
    OpenBundle bundle(plain_bundle());
    ASSERT_TRUE(test::sign(bundle, {kAgeNumber, 1}));
    std::vector<bpsec::Operation> found;
    bpsec::list_operations(bundle.secured, Service::kIntegrity, found);
    EXPECT_EQ(found, bundle.operations());
    bpsec::list_operations(bundle.secured, Service::kConfidentiality, found);
    EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace farlink::service_operations_test
#endif  // FARLINK_TLS
