// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/files/digest.hpp"

#include <gtest/gtest.h>

namespace farlink::files::digest_test {
namespace {

TEST(FileDigest, TheVectorsOfTheStandard) {
    Sha256 sha;
    EXPECT_EQ(hex_of(sha.finish()),
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha.update(as_bytes("a"));
    sha.update(as_bytes("bc"));
    EXPECT_EQ(hex_of(sha.finish()),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha.update(as_bytes("abc"));
    EXPECT_EQ(hex_of(sha.finish()),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace farlink::files::digest_test
