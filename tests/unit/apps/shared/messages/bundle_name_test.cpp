// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/messages/bundle_name.hpp"

#include <gtest/gtest.h>

#include <string>

namespace farlink::messages::bundle_name_test {
namespace {

TEST(BundleName, TheTextIsThatOfAllPrograms) {
    EXPECT_EQ(id_text({"ipn:10.1", 757000000000, 3}), "ipn:10.1/757000000000/3");
    EXPECT_EQ(id_text({"dtn://node/camera", 7, 0}), "dtn://node/camera/7/0");
    EXPECT_EQ(id_text({"nonsense", 7, 1}), "nonsense/7/1");
}

TEST(BundleName, AFileHasCommasForSlashes) {
    EXPECT_EQ(file_name("ipn:10.1/757000000000/3"), "ipn:10.1,757000000000,3");
    EXPECT_EQ(file_name("dtn://node/a/7/0"), "dtn:,,node,a,7,0");
}

TEST(BundleName, NamesOfDifferentBundlesDiffer) {
    EXPECT_EQ(file_name("dtn://n/a,b/7/0"), "dtn:,,n,a%2Cb,7,0");
    EXPECT_EQ(file_name("a%b c\n~"), "a%25b%20c%0A%7E");
    EXPECT_EQ(file_name("\xc3\xa4"), "%C3%A4");
}

TEST(BundleName, ALongNameEndsWithAHash) {
    const std::string long_id(1000, 'x');
    const std::string name = file_name(long_id);
    EXPECT_EQ(name.size(), 200U + 1 + 32);
    EXPECT_EQ(name, file_name(long_id));
    EXPECT_NE(name, file_name(long_id + 'y'));
    EXPECT_EQ(file_name(std::string(200, 'x')), std::string(200, 'x'));
}

}  // namespace
}  // namespace farlink::messages::bundle_name_test
