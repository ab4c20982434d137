// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/file_descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace farlink::file_descriptor_test {
namespace {

bool is_open(int descriptor) {
    return ::fcntl(descriptor, F_GETFD) != -1;
}

FileDescriptor open_null() {
    return FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

TEST(FileDescriptor, ClosesAtTheEndOfItsScope) {
    int number = -1;
    {
        const FileDescriptor file = open_null();
        ASSERT_TRUE(file);
        number = file.get();
        EXPECT_TRUE(is_open(number));
    }
    EXPECT_FALSE(is_open(number));
    EXPECT_FALSE(FileDescriptor());
}

TEST(FileDescriptor, AMoveClosesTheFormerOneAndLeavesNone) {
    FileDescriptor first = open_null();
    FileDescriptor second = open_null();
    const int closed = second.get();
    const int moved = first.get();
    second = std::move(first);
    EXPECT_FALSE(is_open(closed));
    EXPECT_EQ(second.get(), moved);
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): it is defined to be empty
    const FileDescriptor third(std::move(second));
    EXPECT_EQ(third.get(), moved);
}

TEST(FileDescriptor, AReleasedOneIsTheCallers) {
    FileDescriptor file = open_null();
    const int number = file.release();
    EXPECT_FALSE(file);
    EXPECT_TRUE(is_open(number));
    EXPECT_EQ(::close(number), 0);
}

}  // namespace
}  // namespace farlink::file_descriptor_test
