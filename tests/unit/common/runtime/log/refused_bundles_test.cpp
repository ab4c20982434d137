// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log/refused_bundles.hpp"

#include <gtest/gtest.h>

#include <string>

namespace farlink::refused_bundles_test {
namespace {

class RefusedBundlesTest : public testing::Test {
protected:
    static TimePoint at(int second) { return TimePoint{} + seconds(100 + second); }
    std::string lines_of_add(int second, std::uint32_t link, std::uint64_t bundles,
                             std::string_view peer) {
        testing::internal::CaptureStderr();
        refused_.add(LinkId{link}, bundles, peer, at(second));
        return testing::internal::GetCapturedStderr();
    }
    std::string lines_of_second(int second) {
        testing::internal::CaptureStderr();
        refused_.handle_second(at(second));
        return testing::internal::GetCapturedStderr();
    }

    Logger log_{"test"};
    RefusedBundles refused_{log_};
};

TEST_F(RefusedBundlesTest, EachLinkHasOneLineInTenSecondsWithItsNumber) {
    EXPECT_NE(lines_of_add(0, 1, 1, "").find("link 1: refused 1 bundle for lack of memory: the"),
              std::string::npos);
    EXPECT_EQ(lines_of_add(1, 1, 20, "ipn:3.0"), "");
    EXPECT_NE(lines_of_add(2, 2, 5, "ipn:4.0")
                  .find("link 2: refused 5 bundles for lack of memory, the last one from ipn:4.0:"),
              std::string::npos);
    EXPECT_EQ(lines_of_second(9), "");
    EXPECT_NE(lines_of_second(10).find(
                  "link 1: refused 20 bundles for lack of memory, the last one from ipn:3.0:"),
              std::string::npos)
        << "without a further event";
    EXPECT_EQ(lines_of_second(30), "");
}

}  // namespace
}  // namespace farlink::refused_bundles_test
