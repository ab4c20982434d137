// SPDX-License-Identifier: Apache-2.0
#if FARLINK_TLS
#include "common/security/iv_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "common/bp/bpsec/block/context.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::iv_file_test {
namespace {

using bp::bpsec::IvCounter;
using bp::bpsec::kIvBytes;
using security::IvFile;

const Bytes kKey(16, 0x31);

Bytes next_of(IvCounter &counter) {
    Bytes iv(kIvBytes);
    EXPECT_TRUE(counter.next(iv));
    return iv;
}

std::string only_file(const std::string &folder) {
    return std::filesystem::directory_iterator(folder)->path().string();
}

TEST(IvFile, NeverRepeatsOverRestarts) {
    const test::TempFolder folder;
    std::set<Bytes> seen;
    for (int run = 0; run < 20; ++run) {
        const auto file = IvFile::open(folder / "iv", {10, 1, kKey});
        ASSERT_TRUE(file) << file.error();
        IvCounter counter(**file);
        for (int i = 0; i < (run % 3 == 0 ? 5000 : 3); ++i)
            ASSERT_TRUE(seen.insert(next_of(counter)).second) << run;
    }
}

TEST(IvFile, NodesInstancesAndBeginningsDiffer) {
    const test::TempFolder folder;
    std::set<Bytes> seen;
    for (const std::uint64_t node : {10, 11})
        for (const std::uint8_t instance : {0, 1}) {
            const auto file = IvFile::open(folder / std::to_string(node), {node, instance, kKey});
            ASSERT_TRUE(file);
            IvCounter counter(**file);
            EXPECT_TRUE(seen.insert(next_of(counter)).second);
        }
}

TEST(IvFile, OneProcessHasIt) {
    const test::TempFolder folder;
    const auto first = IvFile::open(folder / "iv", {10, 1, kKey});
    ASSERT_TRUE(first);
    EXPECT_FALSE(IvFile::open(folder / "iv", {10, 1, kKey}));
    EXPECT_TRUE(IvFile::open(folder / "iv", {10, 2, kKey}));
    EXPECT_TRUE(IvFile::open(folder / "iv", {10, 1, Bytes(16, 0x32)}));
}

TEST(IvFile, ABrokenOrForeignFileIsNotUsed) {
    const test::TempFolder folder;
    const std::string path = folder / "iv";
    ASSERT_TRUE(IvFile::open(path, {10, 1, kKey}));
    EXPECT_FALSE(IvFile::open(path, {11, 1, kKey})) << "belongs to another node";
    for (std::size_t at = 0; at < 24; ++at) {
        const std::string name = only_file(path);
        const auto flip = [&] {
            std::fstream file(name, std::ios::in | std::ios::out | std::ios::binary);
            file.seekg(static_cast<std::streamoff>(at));
            const auto octet = static_cast<char>(file.get() ^ 1);
            file.seekp(static_cast<std::streamoff>(at));
            file.put(octet);
        };
        flip();
        EXPECT_FALSE(IvFile::open(path, {10, 1, kKey})) << at;
        flip();
    }
    EXPECT_TRUE(IvFile::open(path, {10, 1, kKey}));
    ASSERT_EQ(::truncate(only_file(path).c_str(), 10), 0);
    EXPECT_FALSE(IvFile::open(path, {10, 1, kKey}));
}

/// Gives ranges from a beginning on.
class Ranges final : public bp::bpsec::ReservedRanges {
public:
    explicit Ranges(std::uint64_t next) : next_(next) {}
    [[nodiscard]] std::optional<std::uint64_t> reserve(std::uint64_t count) override {
        return std::exchange(next_, next_ + count);
    }
    [[nodiscard]] bp::bpsec::IvField field() const override { return {10, 1, 0xabcdef}; }

private:
    std::uint64_t next_;
};

TEST(IvCounter, EndsWithTheKey) {
    Ranges ranges(bp::bpsec::kMostEncryptions - bp::bpsec::kReservedAtOnce);
    IvCounter counter(ranges);
    for (std::uint64_t i = 0; i < bp::bpsec::kReservedAtOnce; ++i) (void)next_of(counter);
    Bytes iv(kIvBytes);
    EXPECT_FALSE(counter.next(iv));
}

}  // namespace
}  // namespace farlink::iv_file_test
#endif  // FARLINK_TLS
