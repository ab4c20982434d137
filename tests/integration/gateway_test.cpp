// SPDX-License-Identifier: Apache-2.0
// A million small bundles in a node of the size of the space station's gateway (1600 MB of address
// space, two processors): stored, kept over a restart, and delivered once and in order.
// It prints the memory and disk space per stored bundle.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <iostream>

#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"

namespace farlink::test::gateway_test {
namespace {

constexpr std::uint64_t kBundles = kSanitized ? 50'000 : 1'000'000;
constexpr double kMostDiskBytes = 300;  ///< for each bundle with 100 octets of payload

/// The disk space of the files below a folder, without the reserve for a stop.
std::uint64_t disk_bytes(const std::filesystem::path &folder) {
    std::uint64_t blocks = 0;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
        struct stat status{};
        if (entry.path().filename() == "reserve") continue;
        if (entry.is_regular_file() && ::stat(entry.path().c_str(), &status) == 0)
            blocks += static_cast<std::uint64_t>(status.st_blocks);
    }
    return blocks * 512;
}

double each(std::uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(kBundles);
}

TEST(Gateway, HoldsAMillionBundles) {
    const TempFolder folder;
    const ReservedPort port;
    nlohmann::json config{{"myNodeId", 10},
                          {"inductsConfig", {{{"url", loopback_url("tcpclv4", 0)}}}},
                          {"outductsConfig",
                           {{{"url", loopback_url("tcpclv4", port.number())},
                             {"nextHopNodeId", 2},
                             {"reconnectMaxMilliseconds", 100}}}}};
    config["storageConfig"]["storageDiskConfigVector"] = {{{"storeFilePath", "store/left"}},
                                                          {{"storeFilePath", "store/right"}}};
    {
        NodeProgram node(folder, config);
        const std::uint64_t before = node.peak_memory();
        GeneratorProgram generator(loopback_url("tcpclv4", node.port()),
                                   {"--bundles", std::to_string(kBundles), "--bundle-size", "100"});
        ASSERT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
        const nlohmann::json sent = generator.report();
        ASSERT_EQ(sent["acknowledgedBundles"], kBundles) << sent;
        std::cout << "gateway: " << kBundles << " bundles stored in " << sent["seconds"] << " s, "
                  << each(node.peak_memory() - before) << " B of memory each (with all buffers), ";
        node.stop();
        EXPECT_EQ(node.value("storage_stored_now"), kBundles);
    }
    const double disk = each(disk_bytes(folder.path() / "store"));
    std::cout << disk << " B of disk each\n" << std::flush;
    EXPECT_LE(disk, kMostDiskBytes + (kSanitized ? 2000 : 0)) << "two files are half empty";

    NodeProgram node(folder, config);
    SinkProgram sink(loopback_url("tcpclv4", port.number()), {"--until-complete"});
    EXPECT_EQ(sink.wait(), 0) << sink.unread(ChildProcess::kErr);
    const nlohmann::json received = sink.report();
    EXPECT_EQ(received["received"], kBundles) << received;
    EXPECT_EQ(received["duplicates"], 0) << received;
    EXPECT_EQ(received["outOfOrder"], 0) << received;
    EXPECT_EQ(received["lost"], 0) << received;
    EXPECT_EQ(received["corrupt"], 0) << received;
    std::cout << "gateway: released at " << received["bundlesPerSecond"]
              << " bundles/s; largest resident set " << node.peak_memory() / 1000 / 1000 << " MB"
              << '\n'
              << std::flush;
    node.stop();
}

}  // namespace
}  // namespace farlink::test::gateway_test
