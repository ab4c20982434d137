// SPDX-License-Identifier: Apache-2.0
// A loop with its memory and a host that records the reports of links.
// Owned by the test, which runs the loop in short slices until the condition is true.
// One thread.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cla/io/resources.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/driven_clock.hpp"
#include "tests/support/octets.hpp"

namespace farlink::test {

class RecordingHost final : public cla::LinkHost {
public:
    struct Change {
        cla::LinkState state;
        cla::LinkFault fault;
        friend bool operator==(const Change &, const Change &) = default;
    };

    void on_upstream_opened(LinkId, UpstreamId, bool) override {}
    bool knows(LinkId, const cla::PeerIdentity &peer) const override {
        return !knows_only || peer.address == *knows_only;
    }
    void on_bundles(LinkId, UpstreamId from, ReceivedBundles &received) override {
        for (const ReceivedBundle &bundle : received.bundles)
            bundles[from].push_back(joined(received.slices_of(bundle)));
        if (keep_memory) memory.insert(memory.end(), received.slabs.begin(), received.slabs.end());
        if (when_bundles) when_bundles(from);
    }
    void on_peer(LinkId, UpstreamId from, const cla::PeerIdentity &peer) override {
        peers[from] = peer.address;
    }
    void on_unreachable(LinkId, std::string_view why) override { unreachable = why; }
    void on_ending(LinkId, const cla::PeerIdentity &peer, std::string_view) override {
        ending = peer.address;
    }
    void on_upstream_closed(LinkId, UpstreamId from, cla::LinkFault fault) override {
        closed.emplace(from, fault);
    }
    void on_state(LinkId, cla::LinkState state, cla::LinkFault fault) override {
        changes.push_back({state, fault});
    }
    void on_transmitted(LinkId, std::uint64_t token) override { transmitted = token; }
    void on_refused(LinkId, std::uint64_t token, cla::Refusal refusal) override {
        refused.emplace(token, refusal);
    }
    void on_too_large(LinkId, std::uint64_t more) override { too_large += more; }
    void on_bundles_refused(LinkId, UpstreamId, std::uint64_t more, bool) override {
        refused_arrivals += more;
    }
    void on_writable(LinkId) override {
        if (when_writable) when_writable();
    }
    void on_counted(LinkId, const cla::PeerIdentity &peer,
                    std::span<const std::uint64_t> more) override {
        auto &counts = counted[peer.node_id];
        counts.resize(std::max(counts.size(), more.size()));
        for (std::size_t i = 0; i < more.size(); ++i) counts[i] += more[i];
    }

    [[nodiscard]] cla::LinkState state() const {
        return changes.empty() ? cla::LinkState::kClosed : changes.back().state;
    }
    [[nodiscard]] std::size_t times(cla::LinkState state) const {
        std::size_t count = 0;
        for (const Change &change : changes) count += change.state == state ? 1 : 0;
        return count;
    }

    std::map<UpstreamId, std::vector<Bytes>> bundles;
    std::map<UpstreamId, cla::LinkFault> closed;
    std::map<UpstreamId, std::string> peers;  ///< addresses
    std::string unreachable;                  ///< why, last
    std::string ending;  ///< address of the peer whose session ended last for a fault
    std::vector<Change> changes;
    std::uint64_t transmitted = 0;
    std::uint64_t too_large = 0;  ///< bundles
    std::uint64_t refused_arrivals = 0;
    std::map<std::uint64_t, cla::Refusal> refused;
    std::map<std::string, std::vector<std::uint64_t>> counted;  ///< by node id
    std::optional<std::string> knows_only;  ///< an address; without: any address
    bool keep_memory = false;
    std::vector<SlabRef> memory;
    std::function<void(UpstreamId)> when_bundles;
    std::function<void()> when_writable;
};

struct LinkBench {
    static constexpr std::uint32_t kSlab = 256 * 1024;
    static constexpr int kMostSlices = 10'000'000;  ///< of a loop that is never idle

    explicit LinkBench(std::uint64_t limit = 64 * kSlab) : pool(kSlab, limit), buffer(pool) {}

    [[nodiscard]] cla::LinkResources resources() { return {io, buffer, host, next_upstream}; }

    /// From now on time passes only while the loop is idle, so that the test does not depend on the
    /// speed of the machine.
    void drive_clock() {
        clock.emplace();
        work.emplace(io.get_executor());  // a loop without work would not wait at all
    }

    /// Runs the loop until `done` or the limit; true when `done`.
    template <class Done>
    [[nodiscard]] bool run_until(Done done) {
        const TimePoint give_up = monotonic_now() + seconds(20);
        for (int slice = 0; slice < kMostSlices; ++slice) {
            if (done()) return true;
            if (monotonic_now() > give_up) return false;
            run_slice(milliseconds(2));
        }
        return false;
    }
    /// Runs the loop for a while in which nothing is expected to happen.
    void run_idle() {
        for (int slice = 0; slice < 20; ++slice) {
            run_slice(milliseconds(1));
        }
    }
    /// Runs handlers that are ready, or waits for one up to the limit.
    void run_slice(Duration length) {
        io.restart();
        const std::size_t ran = io.run_one_for(length);
        const bool idle = ran + io.poll() == 0;
        if (clock && idle) clock->advance(length);
    }

    SlabPool pool;
    ReadBuffer buffer;
    RecordingHost host;
    std::uint32_t next_upstream = 0;
    std::optional<DrivenClock> clock;
    boost::asio::io_context io{1};
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work;
};

}  // namespace farlink::test
