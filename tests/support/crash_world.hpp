// SPDX-License-Identifier: Apache-2.0
// A node that is killed repeatedly, two senders that repeat the bundles that it has not
// acknowledged, and two next hops that disconnect and reconnect.
// Owned by one test; one thread, whose loop serves the senders and the next hops.
// The node has two folders for its store, with files so small that they are closed, erased and
// compacted during the test; the larger bundles are striped.
#pragma once

#include <iostream>

#include "tests/support/hand_sender.hpp"
#include "tests/support/hand_sink.hpp"
#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"

namespace farlink::test {

class CrashWorld {
public:
    /// `isolated`: each module of the node is a process of its own and is killed alone.
    /// `instances`: 1, or 2 of ingress and egress; then each sender and each next hop has its own
    /// instance. `fragments`: in which the senders send each bundle; the node joins them.
    CrashWorld(const std::filesystem::path &store, std::uint64_t seed, bool acknowledging_sinks,
               bool isolated = false, std::size_t instances = 1, std::uint64_t fragments = 1)
        : isolated_(isolated),
          random_(seed),
          book_(seed, 2, 4, fragments),
          senders_{HandSender(book_, seed + 1), HandSender(book_, seed + 2)} {
        for (const std::uint64_t node : {2, 4})
            sinks_.emplace_back(book_, node, acknowledging_sinks);
        const std::string scheme = acknowledging_sinks ? "tcpclv4" : "stcp";
        nlohmann::json config{{"myNodeId", 10}, {"threads", {{"instances", instances}}}};
        for (std::size_t at = 0; at < instances; ++at)
            config["inductsConfig"].push_back(
                {{"url",
                  loopback_url("tcpclv4", isolated ? own_ports_[at].number() : std::uint16_t{0})}});
        for (const HandSink &sink : sinks_)
            config["outductsConfig"].push_back({{"url", loopback_url(scheme, sink.port())},
                                                {"nextHopNodeId", sink.node()},
                                                {"reconnectMinMilliseconds", 1},
                                                {"reconnectMaxMilliseconds", 20}});
        if (fragments > 1) config["routing"]["reassembleInTransit"] = {"ipn:2.*", "ipn:4.*"};
        nlohmann::json disks;
        for (const char *name : {"left", "right"})
            disks.push_back({{"name", name}, {"storeFilePath", (store / name).string()}});
        config["storageConfig"] = {{"storageDiskConfigVector", disks},
                                   {"totalStorageCapacityBytes", 48 << 20},
                                   {"segmentBytes", 1 << 20},
                                   {"compactionThresholdBytes", 2 << 20},
                                   {"stripeAboveBytes", 20'000}};
        folder_.write("node.json", config.dump());
    }

    [[nodiscard]] CrashBook &book() { return book_; }
    [[nodiscard]] HandSink &near() { return sinks_[0]; }
    [[nodiscard]] HandSink &far() { return sinks_[1]; }
    [[nodiscard]] std::uint64_t refusals() const {
        return senders_[0].refusals() + senders_[1].refusals();
    }
    void set_making(bool making) {
        for (HandSender &sender : senders_) sender.set_making(making);
    }

    /// Starts the node, without waiting for it.
    void start() {
        std::vector<std::string> arguments{program("farlink"), "--config", folder_ / "node.json",
                                           "--counters"};
        if (isolated_) arguments.emplace_back("--isolate");
        node_ = std::make_unique<ChildProcess>(arguments, gateway_limits());
        ports_.clear();
    }
    /// Waits until the node is ready; false when it has ended instead.
    [[nodiscard]] bool wait_ready() {
        const auto said = nlohmann::json::parse(node_->line(ChildProcess::kOut), nullptr, false);
        if (!said.is_object() || !said.contains("ports")) return false;
        ports_ = said["ports"].get<std::vector<std::uint16_t>>();
        return true;
    }
    /// Of an isolated node: to its first process.
    void signal(int number) const { node_->signal(number); }
    void kill() {
        node_->signal(SIGKILL);
        EXPECT_EQ(node_->wait(), -1) << "the node has ended before the test killed it: "
                                     << node_->unread(ChildProcess::kErr);
        lose();
    }
    /// Stops the node by SIGTERM; its ledger must balance. `counters` are its last ones.
    void stop(nlohmann::json &counters) {
        node_->signal(SIGTERM);
        EXPECT_TRUE(run_until([this] { return node_->ended(); }, seconds(40)));
        EXPECT_EQ(node_->wait(), 0) << errors();
        for (std::string said = node_->line(ChildProcess::kOut); !said.empty();
             said = node_->line(ChildProcess::kOut)) {
            auto last = nlohmann::json::parse(said, nullptr, false);
            if (last.is_object()) counters = std::move(last);
        }
        lose();
    }
    /// The process of one module; 0: it does not run now.
    [[nodiscard]] pid_t module(const std::string &name) const {
        for (const pid_t child : node_->children()) {
            std::ifstream file("/proc/" + std::to_string(child) + "/cmdline");
            std::string word;
            while (std::getline(file, word, '\0'))
                if (word == "--modules" && std::getline(file, word, '\0') && word == name)
                    return child;
        }
        return 0;
    }
    [[nodiscard]] const std::string &errors() const { return node_->unread(ChildProcess::kErr); }

    /// Serves senders and next hops until `done`; false at the limit.
    template <class Done>
    bool run_until(Done done, Duration limit) {
        const TimePoint give_up = monotonic_now() + limit;
        while (!done()) {
            if (monotonic_now() >= give_up) return false;
            turn();
        }
        return true;
    }
    void run_for(Duration time) {
        (void)run_until([] { return false; }, time);
    }
    [[nodiscard]] Random &random() { return random_; }
    [[nodiscard]] bool all_acknowledged() const { return senders_[0].done() && senders_[1].done(); }

private:
    static constexpr int kTurnMs = 2;

    void turn() {
        std::vector<pollfd> polled;
        for (std::size_t at = 0; at < senders_.size(); ++at) {
            HandSender &sender = senders_[at];
            if (!sender.connected() && !ports_.empty() && !node_->ended())
                (void)sender.connect(ports_[at % ports_.size()]);
            if (sender.connected()) polled.push_back({sender.fd(), sender.events(), 0});
        }
        for (const HandSink &sink : sinks_) sink.add_descriptors(polled);
        (void)::poll(polled.data(), polled.size(), kTurnMs);
        for (HandSender &sender : senders_) sender.step();
        for (HandSink &sink : sinks_) sink.step();
        // Reads the output of the node, so that the node never blocks on a full pipe.
        if (isolated_) node_->take_output();
    }
    void lose() {
        ports_.clear();
        for (HandSender &sender : senders_) sender.lose();
        // Octets that the kernel accepted for a sink still arrive.
        for (HandSink &sink : sinks_) sink.step();
    }

    TempFolder folder_;
    bool isolated_;
    std::array<ReservedPort, 2> own_ports_;  ///< a restarted ingress listens there again
    Random random_;
    CrashBook book_;
    std::array<HandSender, 2> senders_;
    std::deque<HandSink> sinks_;
    std::unique_ptr<ChildProcess> node_;
    std::vector<std::uint16_t> ports_;
};

}  // namespace farlink::test
