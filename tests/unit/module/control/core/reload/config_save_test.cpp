// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/reload/config_save.hpp"

#include <gtest/gtest.h>

#include "common/config/node/load_node_config.hpp"

namespace farlink::control::config_save_test {
namespace {

constexpr const char *kFile = R"({
  "myNodeId": 10,
  "inductsConfig": [ { "url": "stcp://127.0.0.1:1" } ],
  "outductsConfig": [
    { "url": "stcp://127.0.0.1:2", "nextHopNodeId": 20 },
    { "nextHopNodeId":30, "url": "stcp://127.0.0.1:3" }
  ],
  "bufferBytes": "64M"
}
)";

TEST(ConfigSave, OnlyWhatCommandsHaveChangedIsWritten) {
    const auto config = config::parse_node_config(kFile);
    ASSERT_TRUE(config);
    LinkOverrides links(*config);
    const FileLinks numbers = links_of_file(*config, nlohmann::ordered_json::parse(kFile));
    EXPECT_EQ(save_live_state(kFile, {links, numbers}), kFile);

    auto added = links.read(R"({"url":"stcp://127.0.0.1:4","nextHopNodeId":40})", true, kNoLink);
    ASSERT_TRUE(added);
    added->by_command = true;
    links.put(*added);
    links.remove(LinkId{1});
    const LiveState live{links, numbers, "warn"};
    EXPECT_EQ(save_live_state(kFile, live), R"({
  "myNodeId": 10,
  "inductsConfig": [ { "url": "stcp://127.0.0.1:1" } ],
  "outductsConfig": [
    { "nextHopNodeId":30, "url": "stcp://127.0.0.1:3" },
    { "url": "stcp://127.0.0.1:4", "nextHopNodeId": 40 }
  ],
  "bufferBytes": "64M",
  "logLevel": "warn"
}
)");
    EXPECT_EQ(saved_numbers(live).outducts, (std::vector{LinkId{2}, LinkId{3}}));
}

}  // namespace
}  // namespace farlink::control::config_save_test
