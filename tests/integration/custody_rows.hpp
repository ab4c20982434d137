// SPDX-License-Identifier: Apache-2.0
// Custodians in a row as programs: bpgen, one node or two, bpsink, over links of one convergence
// layer, with return links for their signals.
// Owned by one test; one thread.
// Over one-way layers every program has a return link as well.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"

namespace farlink::test {

/// The nodes of a row; those of the tools are at its ends.
inline constexpr int kGenerator = 1;
inline constexpr int kFirstNode = 10;
inline constexpr int kSecondNode = 20;
inline constexpr int kSink = 2;

struct RowOptions {
    std::string scheme = "tcpclv4";
    bool two_nodes = false;
    bool acs = true;        ///< bpgen assigns custody ids
    bool acs_aware = true;  ///< the nodes support custody ids
    int retransmit_ms = 60'000;
    double custody_timeout_s = 60;    ///< of bpgen
    std::uint64_t storage_bytes = 0;  ///< 0: the default
    std::string store{};  ///< folder of the first node's store; empty: in the test's own
};

class CustodyRow {
public:
    explicit CustodyRow(const RowOptions &options) : options_(options) {
        for (const int node : {kGenerator, kFirstNode, kSecondNode, kSink}) {
            reserved_[node] =
                std::make_unique<ReservedPort>(options.scheme == "udp" ? SOCK_DGRAM : SOCK_STREAM);
            listens_at_[node] = reserved_[node]->number();
        }
        nlohmann::json contacts = nlohmann::json::array();
        const std::vector<int> row =
            options.two_nodes ? std::vector<int>{kGenerator, kFirstNode, kSecondNode, kSink}
                              : std::vector<int>{kGenerator, kFirstNode, kSink};
        for (std::size_t i = 1; i < row.size(); ++i)
            for (const auto &[from, to] : {std::pair{row[i - 1], row[i]}, {row[i], row[i - 1]}})
                contacts.push_back({{"contact", contacts.size()},
                                    {"source", from},
                                    {"dest", to},
                                    {"startTime", 0},
                                    {"endTime", 100'000}});
        folder_.write("plan.json", nlohmann::json{{"contacts", contacts}}.dump());
    }

    /// Applies to programs that are started from now on.
    void set_options(const RowOptions &options) { options_ = options; }
    /// Links to `to` use this port of a relay instead.
    void lead(int from, int to, std::uint16_t port) { detours_[{from, to}] = port; }
    [[nodiscard]] std::uint16_t listens_at(int node) const { return listens_at_.at(node); }

    /// Starts a node, again or for the first time.
    NodeProgram &start(int node) {
        std::optional<NodeProgram> &program = node == kFirstNode ? first_ : second_;
        program.emplace(folder_, config(node), "node" + std::to_string(node) + ".json");
        return *program;
    }
    void start_nodes() {
        if (options_.two_nodes) start(kSecondNode);
        start(kFirstNode);
    }
    NodeProgram &first() { return *first_; }
    NodeProgram &second() { return *second_; }
    std::vector<NodeProgram *> nodes() {
        std::vector<NodeProgram *> all{&*first_};
        if (second_) all.push_back(&*second_);
        return all;
    }
    void kill(NodeProgram &node) {
        node.signal(SIGKILL);
        (void)node.wait();
    }

    void start_sink() {
        const int before = options_.two_nodes ? kSecondNode : kFirstNode;
        std::vector<std::string> more{"--custody", "--custody-period", "0.05"};
        if (!both_ways()) more = joined(more, {"--custody-to", url(kSink, before)});
        sink_.emplace(loopback_url(options_.scheme, listens_at(kSink)), more);
    }
    void start_generator(int bundles, const std::vector<std::string> &more) {
        std::vector<std::string> all{"--bp-version",
                                     "6",
                                     "--custody",
                                     options_.acs ? "acs" : "signals",
                                     "--custody-timeout",
                                     std::to_string(options_.custody_timeout_s),
                                     "--acknowledge-timeout",
                                     "55",
                                     "--bundles",
                                     std::to_string(bundles)};
        if (!both_ways())
            all = joined(all, {"--listen", loopback_url(options_.scheme, listens_at(kGenerator))});
        generator_.emplace(url(kGenerator, kFirstNode), joined(all, more));
    }
    /// Waits for bpgen: all of its bundles are in the custody of the first node.
    [[nodiscard]] nlohmann::json accepted() {
        EXPECT_EQ(generator_->wait(), 0) << generator_->unread(ChildProcess::kErr);
        return generator_->report();
    }
    /// Waits until no node has custody of a bundle; then ends all programs, bpsink last, and checks
    /// their reports. Every stored bundle of bpgen is in custody. After repeats by bpgen, a signal
    /// may arrive after bpgen has ended, and is stored (`late_signals`).
    nlohmann::json finish(int bundles, bool late_signals = false) {
        constexpr int kMostSeconds = 50;
        for (NodeProgram *node : nodes())
            EXPECT_TRUE(node->wait_until_now(
                [&] {
                    return node->value("storage_custody_held") == 0 &&
                           (late_signals || node->value("storage_stored_now") == 0) &&
                           node->value("storage_custody_released") > 0;
                },
                kMostSeconds));
        for (NodeProgram *node : nodes()) node->stop();
        sink_->signal(SIGTERM);
        (void)sink_->wait();  // the test decides whether repeats are allowed
        nlohmann::json report = sink_->report();
        EXPECT_EQ(report["received"], bundles) << report;
        EXPECT_TRUE(report["complete"]) << report;
        for (const char *fault : {"lost", "corrupt", "malformed", "misdelivered"})
            EXPECT_EQ(report[fault], 0) << report;
        return report;
    }

private:
    [[nodiscard]] bool both_ways() const { return options_.scheme.starts_with("tcpcl"); }
    [[nodiscard]] std::string url(int from, int to) const {
        const auto detour = detours_.find({from, to});
        return loopback_url(options_.scheme,
                            detour == detours_.end() ? listens_at(to) : detour->second);
    }
    [[nodiscard]] nlohmann::json config(int node) const {
        const int before = node == kFirstNode ? kGenerator : kFirstNode;
        const int behind = node == kFirstNode && options_.two_nodes ? kSecondNode : kSink;
        nlohmann::json induct{{"url", loopback_url(options_.scheme, listens_at(node))}};
        if (both_ways())
            induct["neighbours"] = nlohmann::json::array({{{"address", "127.0.0.0/8"}}});
        nlohmann::json config{
            {"myNodeId", node},
            {"contactPlanFile", "plan.json"},
            {"isAcsAware", options_.acs_aware},
            {"acsSendPeriodMilliseconds", 50},
            {"retransmitBundleAfterNoCustodySignalMilliseconds", options_.retransmit_ms},
            {"neighborDepletedStorageDelaySeconds", 1},
            {"inductsConfig", nlohmann::json::array({induct})},
            {"outductsConfig", nlohmann::json::array({outduct(node, behind)})}};
        if (!both_ways()) config["outductsConfig"].push_back(outduct(node, before));
        nlohmann::json &storage = config["storageConfig"];
        storage["storeFilePath"] = node == kFirstNode && !options_.store.empty()
                                       ? options_.store
                                       : "store" + std::to_string(node);
        if (options_.storage_bytes > 0) {
            storage["totalStorageCapacityBytes"] = options_.storage_bytes;
            storage["segmentBytes"] = options_.storage_bytes / 4;
        }
        return config;
    }
    [[nodiscard]] nlohmann::json outduct(int from, int to) const {
        nlohmann::json out{{"url", url(from, to)}, {"nextHopNodeId", to}};
        if (options_.scheme != "udp") out["reconnectMaxMilliseconds"] = 100;
        return out;
    }

    RowOptions options_;
    TempFolder folder_;
    std::map<int, std::unique_ptr<ReservedPort>> reserved_;
    std::map<int, std::uint16_t> listens_at_;
    std::map<std::pair<int, int>, std::uint16_t> detours_;
    std::optional<SinkProgram> sink_;
    std::optional<NodeProgram> second_;
    std::optional<NodeProgram> first_;
    std::optional<GeneratorProgram> generator_;
};

}  // namespace farlink::test
