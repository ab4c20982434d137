// SPDX-License-Identifier: Apache-2.0
// sessions: many links to one node at once, each with one bundle per second, like a thousand small
// neighbours. Usage: sessions URL SESSIONS SECONDS; prints one line of JSON.
// For bpsink behind the node every session is a separate run. A session counts as starved when one
// of its bundles waits longer than a second for its acknowledgement.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/shared/traffic/bundle_group.hpp"
#include "apps/shared/traffic/link_loop.hpp"
#include "apps/shared/traffic/tool_link.hpp"
#include "cla/factory/link_factory.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"
#include "common/telemetry/latency_histogram.hpp"

namespace farlink::bench {
namespace {

constexpr std::uint64_t kFirstNode = 1000;
constexpr std::uint64_t kPayloadBytes = 100;
constexpr Duration kInterval = seconds(1);
constexpr Duration kConnectLimit = seconds(20);
constexpr Duration kStarved = seconds(1);
constexpr Duration kDrainLimit = seconds(10);

/// One neighbour: its link, its bundles, when the next one is due.
struct Neighbour {
    Neighbour(std::uint64_t number, std::uint64_t total, const traffic::Pattern &pattern)
        : bundles(traffic::BundleTemplate::make(
                      {.source = bp::EidView{bp::EidScheme::kIpn, kFirstNode + number, 1, {}},
                       .destination = bp::EidView{bp::EidScheme::kIpn, 2, 1, {}},
                       .payload_bytes = kPayloadBytes},
                      pattern)
                      .value()),
          group(bundles, pattern) {
        header.length_bytes = kPayloadBytes;
        header.run = entropy_seed();
        header.total = total;
        header.seed = pattern.seed();
        sent_at.resize(total);
    }

    traffic::BundleTemplate bundles;
    traffic::BundleGroup group;
    traffic::PayloadHeader header;  ///< of the next bundle
    std::unique_ptr<cla::Outduct> link;
    std::vector<TimePoint> sent_at;
    std::uint64_t acknowledged = 0;
    TimePoint due{};
    bool connected = false;
    bool starved = false;
};

class Load final : private cla::LinkHost {
public:
    Load(config::OutductConfig via, std::size_t sessions, std::uint64_t bundles)
        : loop_(traffic::buffer_bytes(via)), pattern_(entropy_seed()), total_(bundles) {
        for (std::size_t i = 0; i < sessions; ++i) {
            neighbours_.push_back(std::make_unique<Neighbour>(i, bundles, pattern_));
            via.id = LinkId{static_cast<std::uint32_t>(i)};
            via.node_id = "ipn:" + std::to_string(kFirstNode + i) + ".0";
            neighbours_[i]->link = cla::make_outduct(loop_.resources(*this), via, entropy_seed());
        }
    }

    /// True when every bundle was acknowledged.
    bool run() {
        // A thousand connections at the same time would measure the listener's queue.
        for (auto &neighbour : neighbours_) {
            neighbour->link->open();
            loop_.wait(monotonic_now() + milliseconds(1));
        }
        loop_.run_until([this] { return connected_ == neighbours_.size(); },
                        monotonic_now() + kConnectLimit);
        const std::size_t connected = connected_;
        spread_out();
        const TimePoint give_up = monotonic_now() + total_ * kInterval + kDrainLimit;
        while (!all_acknowledged() && monotonic_now() < give_up)
            loop_.wait(std::min(send_due(), give_up));
        report(connected, lost_sessions_);
        close();
        return all_acknowledged();
    }

private:
    void on_upstream_opened(LinkId, UpstreamId, bool) override {}
    void on_bundles(LinkId, UpstreamId, ReceivedBundles &) override {}
    void on_upstream_closed(LinkId, UpstreamId, cla::LinkFault) override {}
    void on_writable(LinkId) override {}
    void on_state(LinkId link, cla::LinkState state, cla::LinkFault) override {
        Neighbour &neighbour = *neighbours_[link.value()];
        const bool now_connected = state == cla::LinkState::kConnected;
        if (neighbour.connected && !now_connected) ++lost_sessions_;
        connected_ += now_connected ? 1 : 0;
        connected_ -= neighbour.connected ? 1 : 0;
        neighbour.connected = now_connected;
    }
    void on_transmitted(LinkId link, std::uint64_t token) override {
        Neighbour &neighbour = *neighbours_[link.value()];
        const TimePoint now = monotonic_now();
        for (; neighbour.acknowledged < token; ++neighbour.acknowledged) {
            const Duration taken = now - neighbour.sent_at[neighbour.acknowledged];
            times_.add(static_cast<std::uint64_t>(taken.count()));
            neighbour.starved = neighbour.starved || taken > kStarved;
        }
    }

    void spread_out() {
        const TimePoint start = monotonic_now();
        for (std::size_t i = 0; i < neighbours_.size(); ++i)
            neighbours_[i]->due = start + kInterval * i / neighbours_.size();
    }
    [[nodiscard]] bool all_acknowledged() const {
        return std::ranges::all_of(neighbours_, [this](const auto &neighbour) {
            return neighbour->acknowledged == total_;
        });
    }
    /// Sends the bundles that are due; returns when the next one is due.
    [[nodiscard]] TimePoint send_due() {
        const TimePoint now = monotonic_now();
        TimePoint next = kNever;
        for (auto &neighbour : neighbours_) {
            if (neighbour->due <= now && neighbour->connected) send(*neighbour, now);
            next = std::min(next, neighbour->due);
        }
        // Bundles without a connection are tried again soon.
        return next == kNever ? kNever : std::max(next, now + milliseconds(1));
    }
    void send(Neighbour &neighbour, TimePoint now) {
        neighbour.header.sent_unix_ns = unix_nanoseconds();
        neighbour.group.clear();
        neighbour.group.add(neighbour.header, neighbour.header.sequence);
        neighbour.sent_at[neighbour.header.sequence++] = now;
        neighbour.due = neighbour.header.sequence < total_ ? neighbour.due + kInterval : kNever;
        neighbour.link->transmit(neighbour.group.bundles());
        neighbour.link->flush();
    }
    void close() {
        for (auto &neighbour : neighbours_) neighbour->link->close();
        loop_.run_until([this] { return connected_ == 0; }, monotonic_now() + seconds(2));
    }
    void report(std::size_t connected, std::uint64_t lost_sessions) const {
        std::uint64_t acknowledged = 0;
        std::uint64_t starved = 0;
        for (const auto &neighbour : neighbours_) {
            acknowledged += neighbour->acknowledged;
            starved += neighbour->starved || neighbour->acknowledged < total_ ? 1 : 0;
        }
        const auto milliseconds_of = [](std::uint64_t ns) {
            return static_cast<double>(ns) * 1e-6;
        };
        const nlohmann::json line{{"sessions", connected},
                                  {"lost_sessions", lost_sessions},
                                  {"acknowledged", acknowledged},
                                  {"starved", starved},
                                  {"acknowledged_within_ms",
                                   {{"p50", milliseconds_of(times_.percentile(50))},
                                    {"p99", milliseconds_of(times_.percentile(99))},
                                    {"max", milliseconds_of(times_.largest())}}}};
        std::cout << line.dump() << '\n' << std::flush;
    }

    traffic::LinkLoop loop_;
    traffic::Pattern pattern_;
    std::uint64_t total_;  ///< bundles of each neighbour
    std::vector<std::unique_ptr<Neighbour>> neighbours_;
    telemetry::LatencyHistogram times_;
    std::size_t connected_ = 0;
    std::uint64_t lost_sessions_ = 0;
};

}  // namespace
}  // namespace farlink::bench

int main(int argc, char **argv) {
    if (argc != 4) {
        std::cerr << "usage: sessions URL SESSIONS SECONDS\n";
        return 2;
    }
    const auto via = farlink::traffic::way_out(argv[1], farlink::bench::kFirstNode);
    if (!via) {
        std::cerr << "sessions: " << via.error() << '\n';
        return 2;
    }
    farlink::bench::Load load(*via, std::strtoul(argv[2], nullptr, 10),
                              std::strtoul(argv[3], nullptr, 10));
    return load.run() ? 0 : 1;
}
