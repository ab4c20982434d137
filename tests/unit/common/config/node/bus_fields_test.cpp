// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/bus_fields.hpp"

#include <gtest/gtest.h>

#include "common/config/node/load_node_config.hpp"

namespace farlink::config::bus_fields_test {
namespace {

constexpr const char *kKey = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";

Result<NodeConfig, ConfigErrors> node_with(const std::string &bus, const std::string &more = "") {
    return parse_node_config(
        R"({"myNodeId": 10, "inductsConfig": [{"url": "stcp://h:1"}], "bus": )" + bus + more + "}",
        "/etc/farlink");
}

/// The one error of a section.
std::string error_of(const std::string &bus) {
    const auto config = node_with(bus);
    if (config || config.error().errors.size() != 1) return "not one error";
    return config.error().errors[0].to_string();
}

std::string keys(const std::string &more) {
    return R"({"publicKey": ")" + std::string(kKey) + R"(", "secretKeyFile": "bus.secret", )" +
           more + "}";
}

TEST(BusFields, EverythingIsInOneProcessByDefault) {
    const auto config = node_with("{}");
    ASSERT_TRUE(config) << config.error().to_string();
    for (const std::string &address : config->bus.addresses) EXPECT_EQ(address, kInproc);
    EXPECT_EQ(config->bus.secret_key_file, "");
}

TEST(BusFields, EverySettingArrives) {
    const auto config = node_with(keys(R"("ingress": "ipc:///run/farlink/in",
        "egress": "tcp://10.0.0.2:4000", "storage": "tcp://[2001:db8::1]:4000",
        "scheduler": "tcp://127.0.0.1:1", "router": "tcp://[::1]:2", "telemetry": "inproc",
        "supervisor": "ipc:///run/farlink/supervisor")"));
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_EQ(config->bus.addresses[0], "ipc:///run/farlink/in");
    EXPECT_EQ(config->bus.addresses[2], "tcp://[2001:db8::1]:4000");
    EXPECT_EQ(config->bus.addresses[6], "ipc:///run/farlink/supervisor");
    EXPECT_EQ(config->bus.public_key, kKey);
    EXPECT_EQ(config->bus.secret_key_file, "/etc/farlink/bus.secret");
}

TEST(BusFields, AddressesAreChecked) {
    EXPECT_EQ(error_of(R"({"router": "udp://h"})"),
              "bus.router: found \"udp://h\"; expected inproc, ipc:///path or tcp://address:port");
    EXPECT_EQ(error_of(R"({"router": "ipc://@name"})"),
              "bus.router: found \"ipc://@name\"; expected an absolute path: ipc:///path");
    for (const char *wrong :
         {"tcp://host:1", "tcp://127.0.0.1", "tcp://127.0.0.1:0", "tcp://127.0.0.1:65536",
          "tcp://127.0.0.1:1x", "tcp://::1:5", "tcp://*:5", "tcp://[127.0.0.1]:5"})
        EXPECT_EQ(error_of(R"({"router": ")" + std::string(wrong) + "\"}"),
                  "bus.router: found \"" + std::string(wrong) +
                      "\"; expected tcp://address:port with an IP address (IPv6 in brackets)");
    EXPECT_EQ(error_of(R"({"router": "ipc:///)" + std::string(107, 'x') + "\"}").substr(0, 10),
              "bus.router");
    EXPECT_EQ(error_of(R"({"router": "ipc:///a", "egress": "ipc:///a"})"),
              "bus.router: found the address of egress again; expected another address");
}

// Whoever reaches such an address would be a module of the node.
TEST(BusFields, AnAddressThatIsNotLoopbackNeedsKeys) {
    for (const char *open : {"tcp://10.0.0.1:5", "tcp://0.0.0.0:5", "tcp://[::]:5"})
        EXPECT_EQ(error_of(R"({"router": ")" + std::string(open) + "\"}"),
                  "bus.router: found \"" + std::string(open) +
                      "\", which is not loopback, without keys; expected publicKey and "
                      "secretKeyFile; `farlinkctl keys make FOLDER` makes them");
    EXPECT_TRUE(node_with(keys(R"("router": "tcp://10.0.0.1:5")")));
}

// Loopback is every user of the machine: whoever wants no keys there says so twice.
TEST(BusFields, AnAddressOfLoopbackNeedsKeysOrTheWordNoneTwice) {
    for (const char *open : {"tcp://127.3.0.1:5", "tcp://[::1]:5"}) {
        const std::string router = R"("router": ")" + std::string(open) + '"';
        EXPECT_EQ(error_of("{" + router + "}"),
                  "bus.router: found \"" + std::string(open) +
                      "\", which every user of this machine can reach, without keys; expected "
                      "publicKey and secretKeyFile, or \"none\" as both of them; `farlinkctl keys "
                      "make FOLDER` makes them");
        const auto twice =
            node_with(R"({"publicKey": "none", "secretKeyFile": "none", )" + router + "}");
        ASSERT_TRUE(twice) << twice.error().to_string();
        EXPECT_EQ(twice->bus.public_key, "");
        EXPECT_EQ(twice->bus.secret_key_file, "");
        EXPECT_TRUE(node_with(keys(router)));
    }
    EXPECT_NE(error_of(R"({"publicKey": "none", "secretKeyFile": "none",
                           "router": "tcp://10.0.0.1:5"})")
                  .find("which is not loopback, without keys"),
              std::string::npos);
    EXPECT_EQ(error_of(R"({"publicKey": "none", "secretKeyFile": "x"})"),
              "bus.publicKey: found \"none\"; expected the text in the file bus.public that "
              "`farlinkctl keys make` writes");
}

TEST(BusFields, KeysComeInPairsAndAreKeys) {
    EXPECT_EQ(error_of(R"({"secretKeyFile": "x"})"),
              "bus.publicKey: missing; expected publicKey and secretKeyFile together");
    EXPECT_EQ(error_of(R"({"publicKey": "short", "secretKeyFile": "x"})"),
              "bus.publicKey: found \"short\"; expected the text in the file bus.public that "
              "`farlinkctl keys make` writes");
}

TEST(BusFields, ProcessesAgreeOnAllButWhatIsTheirOwn) {
    const auto parts = [](const std::string &bus, const std::string &more) {
        const auto config = node_with(bus, more);
        EXPECT_TRUE(config) << config.error().to_string();
        return config ? config->parts : std::vector<ConfigPart>{};
    };
    const auto plain = parts("{}", "");
    ASSERT_EQ(plain.size(), 3U);
    EXPECT_EQ(plain[0].key, "bus");
    EXPECT_EQ(plain[1].key, "inductsConfig");
    EXPECT_EQ(plain[2].key, "myNodeId");
    EXPECT_EQ(parts("{ }", R"(, "logLevel": "warn", "bufferBytes": 1048576, "controlSocket": "c",
                              "stateFolder": "s", "history": {"eventDays": 2})"),
              plain);
    const auto other = parts(R"({"router": "ipc:///a"})", R"(, "statusReports": true)");
    ASSERT_EQ(other.size(), 4U);
    EXPECT_NE(other[0], plain[0]);
    EXPECT_EQ(other[1], plain[1]);
    EXPECT_EQ(parts(keys(R"("router": "inproc")"), "")[0].hash,
              parts(keys(R"("router": "inproc")"), "")[0].hash);
}

}  // namespace
}  // namespace farlink::config::bus_fields_test
