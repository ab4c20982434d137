// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/messages/octet_writer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>

#include "common/runtime/file_descriptor.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::messages::octet_writer_test {
namespace {

TEST(OctetWriter, WritesSmallAndLargePiecesInOrder) {
    const test::TempFolder folder;
    const FileDescriptor file(::open((folder / "out").c_str(), O_WRONLY | O_CREAT, 0600));
    OctetWriter writer(file.get(), "out");
    std::string expected;
    for (const std::size_t size : {1, 100'000, 0, 3, 65'536, 1}) {
        const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
        EXPECT_EQ(writer.write(piece), "");
        expected += piece;
    }
    EXPECT_EQ(writer.flush(), "");
    std::ifstream input(folder / "out", std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(input), {}), expected);
}

TEST(OctetWriter, AFullDiskIsNamedAndStays) {
    const FileDescriptor full(::open("/dev/full", O_WRONLY));
    ASSERT_TRUE(full);
    OctetWriter writer(full.get(), "standard output");
    EXPECT_EQ(writer.write("kept"), "");
    const std::string error = writer.flush();
    EXPECT_EQ(error, "cannot write to standard output: No space left on device");
    EXPECT_EQ(writer.flush(), error);
    EXPECT_EQ(writer.write("more"), error);
}

TEST(OctetWriter, AReaderThatIsGoneIsAnError) {
    ::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    ::close(ends[0]);
    const FileDescriptor file(ends[1]);
    OctetWriter writer(file.get(), "standard output");
    EXPECT_EQ(writer.write(std::string(100'000, 'x')),
              "cannot write to standard output: the reading program has closed it");
}

}  // namespace
}  // namespace farlink::messages::octet_writer_test
