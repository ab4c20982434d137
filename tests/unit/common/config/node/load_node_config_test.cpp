// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/load_node_config.hpp"
#include "tests/support/build_folders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>

#include "common/config/fields/text_file.hpp"

namespace farlink::config::load_node_config_test {
namespace {

constexpr std::string_view kMinimal = R"({"myNodeId": 10,
    "inductsConfig": [{"url": "stcp://0.0.0.0:4556"}],
    "outductsConfig": [{"url": "stcp://127.0.0.1:4558", "nextHopNodeId": 2}]})";

std::vector<std::string> errors_of(std::string_view json) {
    const auto config = parse_node_config(json);
    std::vector<std::string> lines;
    if (!config)
        for (const ConfigError &error : config.error().errors) lines.push_back(error.to_string());
    return lines;
}

/// A node with one good induct and these members besides.
std::string node_with(std::string_view members) {
    return R"({"myNodeId":10,"inductsConfig":[{"url":"stcp://h:1"}],)" + std::string(members) + '}';
}
std::string node_with_outducts(std::string_view outducts) {
    return node_with(R"("outductsConfig":[)" + std::string(outducts) + ']');
}

TEST(LoadNodeConfig, DefaultsOfTheMinimalConfiguration) {
    const auto config = parse_node_config(kMinimal);
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_EQ(config->node, NodeNumber{10});
    EXPECT_EQ(config->echo_service, 2047U);
    EXPECT_EQ(config->buffer_bytes, 128U << 20);
    EXPECT_EQ(config->max_pause, seconds(1));
    EXPECT_EQ(config->acknowledge_within, milliseconds(20));
    EXPECT_FALSE(config->status_reports);
    EXPECT_EQ(config->log_level, "info");
    EXPECT_EQ(config->contact_plan_file, "");

    ASSERT_EQ(config->inducts.size(), 1U);
    const InductConfig &induct = config->inducts[0];
    EXPECT_EQ(induct.id, LinkId{0});
    EXPECT_EQ(induct.url.host, "0.0.0.0");
    EXPECT_EQ(induct.url.port, 4556);
    EXPECT_EQ(induct.max_bundle_size_bytes, 32U << 20);
    EXPECT_EQ(induct.max_sessions, 1024U);
    EXPECT_EQ(induct.keep_alive_interval_s, 0U);

    ASSERT_EQ(config->outducts.size(), 1U);
    const OutductConfig &outduct = config->outducts[0];
    EXPECT_EQ(outduct.id, LinkId{1});
    EXPECT_EQ(outduct.next_hop, NodeNumber{2});
    EXPECT_EQ(outduct.keep_alive_interval_s, 15U);
    EXPECT_EQ(outduct.reconnect_min, milliseconds(100));
    EXPECT_EQ(outduct.reconnect_max, seconds(10));
    EXPECT_EQ(outduct.max_in_flight_bytes, 8U << 20);
    EXPECT_EQ(outduct.max_in_flight_bundles, 65536U);

    ASSERT_EQ(config->storage.disks.size(), 1U);
    EXPECT_EQ(config->storage.disks[0].directory, "farlink-store-10");
    EXPECT_EQ(config->storage.capacity_bytes, 16ULL << 30);
    EXPECT_EQ(config->storage.segment_bytes, 64U << 20);
    EXPECT_EQ(config->storage.group_commit_window, milliseconds(5));
}

TEST(LoadNodeConfig, AnLtpOutductMayLeaveByTheInductsPort) {
    const auto config = parse_node_config(R"({"myNodeId": 10,
        "inductsConfig": [{"url": "ltp://0.0.0.0:1113"}],
        "outductsConfig": [
            {"url": "ltp://one:1113", "nextHopNodeId": 20, "ltpSenderBoundPort": 1113},
            {"url": "stcp://h:1", "nextHopNodeId": 30},
            {"url": "ltp://[::1]:7", "nextHopNodeId": 40, "ltpSenderBoundPort": 1113}]})");
    ASSERT_TRUE(config) << config.error().to_string();
    ASSERT_EQ(config->outducts.size(), 1U);
    EXPECT_EQ(config->outducts[0].next_hop, NodeNumber{30});
    EXPECT_EQ(config->outducts[0].id, LinkId{1});
    const auto &neighbours = config->inducts[0].neighbours;
    ASSERT_EQ(neighbours.size(), 2U);
    EXPECT_EQ(neighbours[1].node, NodeNumber{20});
    EXPECT_EQ(neighbours[1].address, "ltp://one:1113");
    EXPECT_EQ(neighbours[1].peer_node_id, "ipn:20.0");
    EXPECT_EQ(neighbours[0].address, "ltp://[::1]:7");
    const auto other = parse_node_config(R"({"myNodeId": 10,
        "inductsConfig": [{"url": "ltp://0.0.0.0:1113"}],
        "outductsConfig": [{"url": "ltp://one:1113", "nextHopNodeId": 20,
                            "ltpSenderBoundPort": 1113, "oneWayLightTimeMs": 5}]})");
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().to_string().find("outductsConfig[0].oneWayLightTimeMs: found another "
                                             "value than that of inductsConfig[0]"),
              std::string::npos)
        << other.error().to_string();
}

TEST(LoadNodeConfig, AnOutductByTheInductsPortHasItsValuesWhereItGivesNone) {
    const auto parsed = [](const std::string &more) {
        return parse_node_config(
            R"({"myNodeId": 10, "inductsConfig": [{"url": "ltp://0.0.0.0:1113", "strict": true,
                "oneWayLightTimeMs": 700, "ltpDataSegmentMtu": 1000, "clientServiceId": 2,
                "thisLtpEngineId": 77, "rateLimitBitsPerSec": 1000000}],
                "outductsConfig": [{"url": "ltp://one:1113", "nextHopNodeId": 20,
                                    "ltpSenderBoundPort": 1113)" +
            more + "}]}");
    };
    const auto absent = parsed("");
    EXPECT_TRUE(absent) << absent.error().to_string();
    EXPECT_TRUE(parsed(R"(, "oneWayLightTimeMs": 700, "strict": true)"));
    const std::vector<std::pair<std::string, std::string>> different{
        {"oneWayLightTimeMs", "0"}, {"ltpDataSegmentMtu", "1360"}, {"clientServiceId", "1"},
        {"thisLtpEngineId", "10"},  {"strict", "false"},           {"rateLimitBitsPerSec", "5"}};
    for (const auto &[key, value] : different) {
        const auto refused = parsed(", \"" + key + "\": " + value);
        ASSERT_FALSE(refused) << key;
        EXPECT_NE(refused.error().to_string().find("outductsConfig[0]." + key +
                                                   ": found another value than that of"),
                  std::string::npos)
            << refused.error().to_string();
    }
}

TEST(LoadNodeConfig, EverySettingArrives) {
    const auto config = parse_node_config(R"({
        "$schema": "farlink.schema.json", "myNodeId": 4195837690281066, "myBpEchoServiceId": 7,
        "inductsConfig": [
            {"url": "stcp://[::]:0", "maxBundleSizeBytes": 2048, "maxSessions": 3},
            {"url": "stcp://h:5"}],
        "outductsConfig": [
            {"url": "stcp://a:6", "nextHopNodeId": 7},
            {"url": "stcp://a:6", "nextHopNodeId": 13}],
        "contactPlanFile": "plan.json",
        "storageConfig": {"storeFilePath": "/s", "totalStorageCapacityBytes": 200000,
                          "segmentBytes": 100000, "groupCommitWindowMilliseconds": 14},
        "bufferBytes": 2000000, "maxPauseMilliseconds": 15, "statusReports": true,
        "acknowledgeWithinMilliseconds": 16, "logLevel": "debug"})",
                                          "folder");
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_EQ(config->node.value(), 4195837690281066U);
    EXPECT_EQ(config->echo_service, 7U);
    EXPECT_EQ(config->inducts[0].max_bundle_size_bytes, 2048U);
    EXPECT_EQ(config->inducts[0].max_sessions, 3U);
    EXPECT_EQ(config->inducts[1].id, LinkId{1});
    EXPECT_EQ(config->inducts[1].max_bundle_size_bytes, 500000U);
    EXPECT_EQ(config->inducts[1].node_id, "ipn:976919.2534440042.0");
    EXPECT_EQ(config->outducts[0].id, LinkId{2});
    EXPECT_EQ(config->outducts[1].id, LinkId{3});
    EXPECT_EQ(config->outducts[1].peer_node_id, "ipn:13.0");
    EXPECT_EQ(config->contact_plan_file, "folder/plan.json");
    ASSERT_EQ(config->storage.disks.size(), 1U);
    EXPECT_EQ(config->storage.disks[0].directory, "/s");
    EXPECT_EQ(config->storage.capacity_bytes, 200000U);
    EXPECT_EQ(config->storage.segment_bytes, 100000U);
    EXPECT_EQ(config->storage.group_commit_window, milliseconds(14));
    EXPECT_EQ(config->buffer_bytes, 2000000U);
    EXPECT_EQ(config->max_pause, milliseconds(15));
    EXPECT_EQ(config->acknowledge_within, milliseconds(16));
    EXPECT_TRUE(config->status_reports);
    EXPECT_EQ(config->log_level, "debug");
}

struct ErrorCase {
    std::string json;
    std::string message;  ///< the only error
};

void expect_each(std::span<const ErrorCase> cases) {
    for (const ErrorCase &test : cases)
        EXPECT_EQ(errors_of(test.json), std::vector<std::string>{test.message}) << test.json;
}

TEST(LoadNodeConfig, MessagesAboutValues) {
    const ErrorCase cases[] = {
        {"[]", "found a list; expected an object"},
        {R"({"inductsConfig":[{"url":"stcp://h:1"}]})",
         "myNodeId: missing; expected an integer from 1 to 18446744073709551615"},
        {R"({"myNodeId":1})",
         "no link; expected at least one entry in inductsConfig or outductsConfig"},
        {node_with(R"("bufferBytes":-1)"),
         "bufferBytes: found -1; expected an integer from 1048576 to 1099511627776 (bytes)"},
        {node_with(R"("bufferBytes":"9000000")"),
         "bufferBytes: found \"9000000\"; expected an integer from 1048576 to 1099511627776 "
         "(bytes); write the number without quotes"},
        {node_with(R"("maxPauseMilliseconds":1.5)"),
         "maxPauseMilliseconds: found 1.5; expected an integer from 0 to 60000 (milliseconds); "
         "write it without fraction and exponent"},
        {node_with(R"("maxPauseMilliseconds":99999999999999999999999)"),
         "maxPauseMilliseconds: found 99999999999999999999999; expected an integer from 0 to "
         "60000 (milliseconds)"},
        {node_with(R"("statusReports":"yes")"),
         "statusReports: found \"yes\"; expected true or false"},
        {node_with(R"("logLevel":"warning")"),
         "logLevel: found \"warning\"; expected \"trace\", \"debug\", \"info\", \"warn\", "
         "\"error\", \"critical\" or \"off\"; did you mean \"warn\"?"},
        {node_with(R"("contactPlanFile":"")"),
         "contactPlanFile: found \"\"; expected a text that is not empty"},
        {R"({"myNodeId":1,"inductsConfig":["stcp://h:1"]})",
         "inductsConfig[0]: found \"stcp://h:1\"; expected an object"},
        {R"({"myNodeId":null,"inductsConfig":[{"url":"stcp://h:1"}]})",
         "myNodeId: found null; expected an integer from 1 to 18446744073709551615"},
    };
    expect_each(cases);
}

TEST(LoadNodeConfig, SizesAndRatesMayHaveASuffix) {
    const auto config = parse_node_config(R"({"myNodeId": 10, "bufferBytes": "64M",
        "outductsConfig": [{"url": "stcp://h:1", "nextHopNodeId": 20,
                            "maxSumOfBundleBytesInPipeline": "512Ki",
                            "rateLimitBitsPerSec": "1.5M"}]})");
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_EQ(config->buffer_bytes, 64'000'000U);
    EXPECT_EQ(config->outducts[0].max_in_flight_bytes, 512U * 1024);
    EXPECT_EQ(config->outducts[0].rate_limit, BitRate{1'500'000});
    for (const std::string_view wrong :
         {R"("bufferBytes": "64")", R"("bufferBytes": "64MB")", R"("bufferBytes": "1k")",
          R"("bufferBytes": "")", R"("myNodeId": "10k")"})
        EXPECT_FALSE(parse_node_config(R"({"inductsConfig": [{"url": "stcp://h:1"}], )" +
                                       std::string(wrong) + "}"))
            << wrong;
}

TEST(LoadNodeConfig, SeveralDisks) {
    const auto config = parse_node_config(R"({
        "myNodeId": 10, "inductsConfig": [{"url": "stcp://h:1"}],
        "storageConfig": {"totalStorageCapacityBytes": 900000000, "storageDiskConfigVector": [
            {"name": "first", "storeFilePath": "/disk1", "capacityBytes": 100000000},
            {"storeFilePath": "disk2"}]}})",
                                          "folder");
    ASSERT_TRUE(config) << config.error().to_string();
    const StorageConfig &storage = config->storage;
    ASSERT_EQ(storage.disks.size(), 2U);
    EXPECT_EQ(storage.disks[0].name, "first");
    EXPECT_EQ(storage.disks[0].directory, "/disk1");
    EXPECT_EQ(storage.disks[0].capacity_bytes, 100'000'000U);
    EXPECT_EQ(storage.disks[1].name, "folder/disk2");
    EXPECT_EQ(storage.disks[1].capacity_bytes, 0U);
    EXPECT_EQ(storage.largest_room_bytes(), 900'000'000U);
}

TEST(LoadNodeConfig, LimitsOfTheStore) {
    const auto config = parse_node_config(node_with(R"("storageConfig": {
        "reserveForExpeditedBytes": 1000, "whenFull": "makeRoom", "quotas": [
            {"source": "ipn:7.*", "capacityBytes": 5},
            {"destination": "dtn://far/away", "capacityBytes": 6}]})"),
                                          "folder");
    ASSERT_TRUE(config) << config.error().to_string();
    const StorageConfig &storage = config->storage;
    EXPECT_EQ(storage.expedited_reserve_bytes, 1000U);
    EXPECT_EQ(storage.when_full, WhenFull::kMakeRoom);
    ASSERT_EQ(storage.quotas.size(), 2U);
    EXPECT_EQ(storage.quotas[0].source, "ipn:7.*");
    EXPECT_EQ(storage.quotas[0].capacity_bytes, 5U);
    EXPECT_EQ(storage.quotas[1].destination, "dtn://far/away");
}

TEST(LoadNodeConfig, MessagesAboutQuotas) {
    const ErrorCase cases[] = {
        {node_with(R"("storageConfig":{"quotas":[{"capacityBytes":5}]})"),
         "storageConfig.quotas[0]: no endpoint; expected either source or destination"},
        {node_with(R"("storageConfig":{"quotas":[{"source":"ipn:7","capacityBytes":5}]})"),
         "storageConfig.quotas[0].source: found \"ipn:7\"; expected an endpoint such as ipn:10.1, "
         "ipn:10.* or dtn://name/*"},
    };
    expect_each(cases);
}

TEST(LoadNodeConfig, SpoolsAboveItsKeyAndAQuarterOfTheMemory) {
    const auto limit = [](std::string_view keys) {
        const auto config = parse_node_config(
            node_with(R"("bufferBytes":104857600,"storageConfig":{)" + std::string(keys) + '}'));
        return config ? config->spool_above() : 0;
    };
    EXPECT_EQ(limit(R"("spoolAboveBytes":1000000)"), 1'000'000U);
    EXPECT_EQ(limit(R"("spoolAboveBytes":67108864)"), 26'214'400U);
    EXPECT_EQ(limit(R"("spoolAboveBytes":0)"), ~std::uint64_t{0}) << "never";
}

TEST(LoadNodeConfig, MessagesAboutKeys) {
    const ErrorCase cases[] = {
        {node_with(R"("storageConfig":{"segmentByte":1})"),
         "storageConfig.segmentByte: unknown key; did you mean \"segmentBytes\"?"},
        {node_with(R"("storageConfig":{"bufferBytes":1})"),
         "storageConfig.bufferBytes: unknown key; it belongs at the top of the file"},
        {node_with(R"("segmentBytes":65536)"),
         "segmentBytes: unknown key; it belongs in storageConfig"},
        {node_with(R"("storageConfig":{"colour":1})"),
         "storageConfig.colour: unknown key; expected storeFilePath, "
         "storageDiskConfigVector, totalStorageCapacityBytes, segmentBytes, "
         "groupCommitWindowMilliseconds, stripeAboveBytes, spoolAboveBytes, reassembly, "
         "overtakeStored, "
         "compactionThresholdBytes, reserveForExpeditedBytes, whenFull, quotas, restore or "
         "deleteOnExit"},
        {node_with(R"("myCustodialSsp":"")"),
         "myCustodialSsp: unknown key; custodians have the administrative endpoint as name; leave "
         "it out"},
        {node_with(R"("outductsConfig":{"outductVector":[]})"),
         "outductsConfig: found an object; expected a list of objects; HDTN's inductVector or "
         "outductVector is this list"},
        {node_with(R"("logLevel":"off","logLevel":"off")"),
         "logLevel: the key occurs twice in one object"},
    };
    expect_each(cases);
}

TEST(LoadNodeConfig, MessagesAboutLinks) {
    const ErrorCase cases[] = {
        {node_with_outducts(R"({"url":"stpc://h:1","nextHopNodeId":2})"),
         "outductsConfig[0].url: found \"stpc://h:1\", unknown scheme; expected a URL of the form "
         "\"scheme://host:port\" with scheme stcp, mtcp, tcpclv3, "
         "tcpclv4, udp or ltp; did you mean \"stcp\"?"},
        {node_with_outducts(R"({"url":"stcp://::1:9","nextHopNodeId":2})"),
         "outductsConfig[0].url: found \"stcp://::1:9\", an IPv6 address without brackets; "
         "expected "
         "a URL of the form \"scheme://host:port\" with scheme stcp, mtcp, "
         "tcpclv3, tcpclv4, udp or ltp; write [address]:port"},
        {node_with_outducts(R"({"url":"stcp://h:0","nextHopNodeId":2})"),
         "outductsConfig[0].url: found port 0; expected the port where the neighbour listens"},
        {node_with_outducts(R"({"url":"stcp://[::]:1","nextHopNodeId":2})"),
         "outductsConfig[0].url: found \"::\", which is not an address to connect to; expected the "
         "neighbour's host name or address"},
        {node_with_outducts(R"({"url":"stcp://h:1","nextHopNodeId":10})"),
         "outductsConfig[0].nextHopNodeId: found 10, which is this node; expected another node"},
        {node_with_outducts(
             R"({"url":"stcp://h:1","nextHopNodeId":2},{"url":"stcp://h:2","nextHopNodeId":2})"),
         "outductsConfig[1].nextHopNodeId: found 2, the neighbour of outductsConfig[0] too; "
         "expected one outduct for each neighbour; a contact plan names nodes and cannot "
         "distinguish the two"},
        {node_with_outducts(
             R"({"url":"stcp://h:1","nextHopNodeId":2,"reconnectMinMilliseconds":20000})"),
         "outductsConfig[0].reconnectMinMilliseconds: found 20000, which is more than "
         "reconnectMaxMilliseconds; expected at most 10000 (milliseconds)"},
    };
    expect_each(cases);
}

TEST(LoadNodeConfig, MessagesAboutValuesThatContradictEachOther) {
    const ErrorCase cases[] = {
        {node_with(R"("storageConfig":{"totalStorageCapacityBytes":100000})"),
         "storageConfig.segmentBytes: found 67108864, which is more than "
         "totalStorageCapacityBytes; expected at most 100000 (bytes)"},
        {node_with(R"("storageConfig":{"storeFilePath":"s",
                                       "storageDiskConfigVector":[{"storeFilePath":"a"}]})"),
         "storageConfig.storeFilePath: found together with storageDiskConfigVector; expected one "
         "of the two"},
        {node_with(R"("storageConfig":{"storageDiskConfigVector":[
                          {"storeFilePath":"a"},{"storeFilePath":"./a/"}]})"),
         "storageConfig.storageDiskConfigVector[1].storeFilePath: found the folder of "
         "storageConfig.storageDiskConfigVector[0] again; expected another folder"},
        {node_with(R"("storageConfig":{"storageDiskConfigVector":[
                          {"name":"n","storeFilePath":"a"},{"name":"n","storeFilePath":"b"}]})"),
         "storageConfig.storageDiskConfigVector[1].name: found the name of "
         "storageConfig.storageDiskConfigVector[0] again; expected a unique name, by which the log "
         "distinguishes them"},
        {node_with(R"("storageConfig":{"storageDiskConfigVector":[
                          {"storeFilePath":"a","capacityBytes":70000}]})"),
         "storageConfig.storageDiskConfigVector[0].capacityBytes: found 70000, which is less than "
         "segmentBytes; expected at least 67108864 (bytes)"},
        {R"({"myNodeId":4294967295,"inductsConfig":[{"url":"stcp://h:1"}]})",
         "myNodeId: found 4294967295, which means \"the local node\" everywhere; expected another "
         "number"},
        {R"({"myNodeId":1,"inductsConfig":[{"url":"udp://127.0.0.1:1113"}],"outductsConfig":[
             {"url":"ltp://h:1","nextHopNodeId":2,"ltpSenderBoundPort":1113}]})",
         "outductsConfig[0].ltpSenderBoundPort: found 1113, the port of inductsConfig[0] too; "
         "expected another port, or 0 for the system's choice"},
        {R"({"myNodeId":1,"outductsConfig":[
             {"url":"ltp://h:1","nextHopNodeId":2,"ltpSenderBoundPort":1114},
             {"url":"ltp://h:1","nextHopNodeId":3,"ltpSenderBoundPort":1114}]})",
         "outductsConfig[1].ltpSenderBoundPort: found 1114, the port of outductsConfig[0] too; "
         "expected another port, or 0 for the system's choice"},
        {R"({"myNodeId":1,"inductsConfig":[{"url":"stcp://h:1"},{"url":"stcp://h:1"}]})",
         "inductsConfig[1].url: found the address of inductsConfig[0] again; expected another "
         "address"},
        {R"({"myNodeId":1,"inductsConfig":[{"url":"stcp://0.0.0.0:1"},
             {"url":"tcpclv4://127.0.0.1:1"}]})",
         "inductsConfig[1].url: found the address of inductsConfig[0] again; expected another "
         "address"},
        {R"({"myNodeId":1,"inductsConfig":[{"url":"stcp://[::]:1"},
             {"url":"tcpclv4://127.0.0.1:1"}]})",
         "inductsConfig[1].url: found the address of inductsConfig[0] again; expected another "
         "address"},
        {R"({"myNodeId":1,"inductsConfig":[{"url":"ltp://[::1]:1"},{"url":"udp://[::]:1"}]})",
         "inductsConfig[1].url: found the address of inductsConfig[0] again; expected another "
         "address"},
        {R"({"myNodeId":1,"inductsConfig":[{"url":"stcp://h:1","maxBundleSizeBytes":134217729}]})",
         "inductsConfig[0].maxBundleSizeBytes: found 134217729, which is more than bufferBytes; "
         "expected at most 134217728 (bytes)"},
    };
    expect_each(cases);
}

TEST(LoadNodeConfig, EveryErrorInOneGo) {
    const auto config = parse_node_config(R"({
        "myNodeId": "ten",
        "inductsConfig": [{"url": "stcp://h:70000", "boundPort": 1}, 5],
        "outductsConfig": [{"url": "lpt://h:1"}, {"nextHopNodeId": 2.5, "url": "stcp://h:0"}],
        "storageConfig": {"segmentBytes": 0, "segmentBytes": 1},
        "logLevel": 3, "nodeId": 1})");
    ASSERT_FALSE(config);
    std::vector<std::string> paths;
    for (const ConfigError &error : config.error().errors) paths.push_back(error.path);
    EXPECT_EQ(paths,
              (std::vector<std::string>{
                  "myNodeId", "inductsConfig[0].url", "inductsConfig[0].boundPort",
                  "inductsConfig[1]", "outductsConfig[0].url", "outductsConfig[0].nextHopNodeId",
                  "outductsConfig[1].nextHopNodeId", "storageConfig.segmentBytes",
                  "storageConfig.segmentBytes", "storageConfig.segmentBytes", "logLevel", "nodeId",
                  "outductsConfig[1].url"}));
}

TEST(LoadNodeConfig, AnInductsPortMayBeZeroTwice) {
    EXPECT_EQ(errors_of(R"({"myNodeId":1,
        "inductsConfig":[{"url":"stcp://h:0"},{"url":"stcp://h:0"}]})"),
              std::vector<std::string>{});
}

TEST(LoadNodeConfig, EveryRangeHasItsEdges) {
    const auto ok = [](std::string_view members) { return errors_of(node_with(members)).empty(); };
    EXPECT_TRUE(ok(R"("bufferBytes":1048576)"));
    EXPECT_FALSE(ok(R"("bufferBytes":1048575)"));
    EXPECT_TRUE(ok(R"("bufferBytes":1099511627776)"));
    EXPECT_FALSE(ok(R"("bufferBytes":1099511627777)"));
    EXPECT_TRUE(ok(R"("acknowledgeWithinMilliseconds":0)"));
    EXPECT_TRUE(ok(R"("acknowledgeWithinMilliseconds":60000)"));
    EXPECT_FALSE(ok(R"("acknowledgeWithinMilliseconds":60001)"));
    EXPECT_TRUE(ok(R"("maxPauseMilliseconds":0)"));
    EXPECT_TRUE(ok(R"("maxPauseMilliseconds":60000)"));
    EXPECT_FALSE(ok(R"("maxPauseMilliseconds":60001)"));
    EXPECT_FALSE(ok(R"("maxPauseMilliseconds":1e3)"));
    EXPECT_FALSE(ok(R"("myBpEchoServiceId":0)"));
}

TEST(LoadNodeConfig, FilesAreNamedInErrors) {
    const auto missing = load_node_config("/nonexistent/node.json");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().to_string(),
              "/nonexistent/node.json: cannot open the file: No such file or directory\n");
    const auto folder = load_node_config("/");
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().to_string(), "/: found a folder; expected a file\n");
}

TEST(LoadNodeConfig, EveryCutOfAValidTextIsAnError) {
    ASSERT_TRUE(parse_node_config(kMinimal));
    for (std::size_t cut = 0; cut < kMinimal.size(); ++cut) {
        const auto config = parse_node_config(kMinimal.substr(0, cut));
        ASSERT_FALSE(config) << cut;
        ASSERT_FALSE(config.error().errors.empty());
    }
}

TEST(LoadNodeConfig, NoTextThrowsOrIsRefusedWithoutAReason) {
    const auto text = read_text_file(FARLINK_SOURCE_DIR "/config/examples/gateway.json");
    ASSERT_TRUE(text);
    constexpr std::string_view kPieces[] = {"{",       "}",       "[",    "]",    ",",
                                            ":",       "\"",      "null", "-1",   "1e400",
                                            "\\u0000", "\\ud800", "0.5",  "true", "\xff"};
    std::mt19937_64 random(2026);
    for (int round = 0; round < 5'000; ++round) {
        std::string mutant = *text;
        for (auto changes = random() % 4 + 1; changes > 0; --changes) {
            const std::size_t at = random() % mutant.size();
            const std::size_t length = std::min<std::size_t>(random() % 8, mutant.size() - at);
            switch (random() % 4) {
                case 0:
                    mutant[at] = static_cast<char>(random());
                    break;
                case 1:
                    mutant.erase(at, length);
                    break;
                case 2:
                    mutant.insert(at, kPieces[random() % std::size(kPieces)]);
                    break;
                default:
                    mutant.insert(at, mutant.substr(random() % mutant.size(), 30));
                    break;
            }
            if (mutant.empty()) mutant = "{";
        }
        const auto config = parse_node_config(mutant);
        if (config) continue;
        ASSERT_FALSE(config.error().errors.empty()) << mutant;
        for (const ConfigError &error : config.error().errors) {
            const std::string line = error.to_string();
            ASSERT_FALSE(line.empty());
            ASSERT_TRUE(std::ranges::all_of(line, [](char c) { return c >= 0x20 && c < 0x7f; }))
                << "a message is one printable line: " << line;
        }
    }
}

}  // namespace
}  // namespace farlink::config::load_node_config_test
