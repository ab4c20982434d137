// SPDX-License-Identifier: Apache-2.0
// The ends of a simulation: sources that send numbered bundles, and sinks that check arrivals.
// Owned by a SimWorld; one thread, on its clock.
// A flow is a source node, a destination endpoint and a priority; each counts its bundles from 0.
#pragma once

#include <compare>
#include <deque>
#include <map>
#include <vector>

#include "apps/shared/traffic/fragments/reassembler.hpp"
#include "tests/sim/sim_link.hpp"

namespace farlink::sim {

struct Flow {
    std::uint64_t source = 0;  ///< node number
    std::uint64_t destination = 0;
    std::uint64_t service = 1;
    /// kNormal travels as BPv7, the others as BPv6, which has a class of service on the wire.
    Priority priority = Priority::kNormal;
    bool critical = false;  ///< BPv6, sent by every route
    bool record = false;    ///< administrative records, all with one creation timestamp
    friend auto operator<=>(const Flow &, const Flow &) = default;
};

/// A bundle of `flow` with this number; its payload is `payload_bytes` long, at least 8.
[[nodiscard]] Bytes make_bundle(const Flow &flow, std::uint64_t number, std::uint64_t payload_bytes,
                                DtnTime created, std::uint64_t lifetime_s);

/// Sends over one link and repeats bundles that the connection lost.
class SimSource final : public LinkSender {
public:
    SimSource(SimClock &clock, std::uint64_t lifetime_s = 24 * 3600)
        : clock_(clock), lifetime_s_(lifetime_s) {}

    void attach(SimLink &link) { link_ = &link; }
    [[nodiscard]] SimLink &link() { return *link_; }
    /// Sends `count` bundles at once, as fast as the link accepts them.
    void send(const Flow &flow, std::uint64_t count, std::uint64_t payload_bytes);
    /// One bundle every `interval`.
    void send_paced(const Flow &flow, std::uint64_t count, std::uint64_t payload_bytes,
                    Duration interval);
    [[nodiscard]] std::uint64_t made(const Flow &flow) const;
    /// Bundles that the receiving host has not acknowledged.
    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

    void on_connected(SimLink &link) override;
    void on_disconnected(SimLink &link) override;
    void on_transmitted(SimLink &link, std::uint64_t token) override;
    void on_writable(SimLink &link) override;
    void on_refused(SimLink &link, std::uint64_t token) override;
    [[nodiscard]] std::uint64_t refused() const { return refused_; }

private:
    void flush();

    SimClock &clock_;
    std::uint64_t refused_ = 0;
    std::uint64_t lifetime_s_;
    SimLink *link_ = nullptr;
    std::map<Flow, std::uint64_t> made_;
    std::deque<Bytes> waiting_;      ///< oldest first
    std::size_t in_flight_ = 0;      ///< of waiting_, given to the link
    std::uint64_t first_token_ = 0;  ///< of waiting_.front()
};

class SimSink final : public LinkReceiver {
public:
    explicit SimSink(const SimClock &clock) : clock_(clock) {}

    struct Record {
        std::vector<bool> seen;
        std::vector<TimePoint> at;  ///< of the first copy, by number
        std::uint64_t arrived = 0;  ///< different bundles
        std::uint64_t duplicates = 0;
        std::uint64_t out_of_order = 0;  ///< first copies behind a younger one
        std::uint64_t next = 0;          ///< above all that were seen
    };

    [[nodiscard]] const Record &record(const Flow &flow) { return records_[flow]; }
    [[nodiscard]] std::uint64_t arrived() const;
    [[nodiscard]] std::uint64_t duplicates() const;
    [[nodiscard]] std::uint64_t out_of_order() const;
    [[nodiscard]] std::uint64_t malformed() const { return malformed_; }
    /// Fragments that arrived; the bundles that they make count as arrived.
    [[nodiscard]] std::uint64_t fragments() const { return fragments_; }

    [[nodiscard]] bool accepts_connections() const override { return true; }
    [[nodiscard]] UpstreamId new_session(SimLink &) override { return UpstreamId{next_session_++}; }
    void on_readable(SimLink &link, UpstreamId session) override;
    void on_session_closed(SimLink &, UpstreamId) override {}

private:
    void check(const Bytes &bundle);
    void record(const bp::BundleView &view, std::uint64_t number);

    const SimClock &clock_;
    std::map<Flow, Record> records_;
    traffic::Reassembler reassembler_{{std::uint64_t{1} << 30, 65'536}};
    std::uint64_t malformed_ = 0;
    std::uint64_t fragments_ = 0;
    std::uint32_t next_session_ = 1;
};

}  // namespace farlink::sim
