// SPDX-License-Identifier: Apache-2.0
// The ends of a simulation with custody: a source that keeps its bundles until a custodian has
// accepted them, and a sink that takes custody and signals it. Owned by a test; one thread, on the
// simulation's clock.
#pragma once

#include <deque>
#include <map>
#include <set>

#include "common/bp/v6/custody_signal_collector.hpp"
#include "tests/sim/sim_link.hpp"

namespace farlink::sim {

/// The part that both share: a link each way, and bundles that wait to be sent.
class CustodyEnd : public LinkSender, public LinkReceiver {
public:
    CustodyEnd(SimClock &clock, std::uint64_t node) : clock_(clock), node_(node) {}
    void attach(SimLink &out) { out_ = &out; }
    /// All its records of one second have the same creation timestamp, like those of some nodes.
    void repeat_identities() { records_step_ = 0; }

    void on_connected(SimLink &) override { flush(); }
    void on_disconnected(SimLink &) override {}
    void on_transmitted(SimLink &, std::uint64_t) override {}
    void on_writable(SimLink &) override { flush(); }
    [[nodiscard]] bool accepts_connections() const override { return true; }
    [[nodiscard]] UpstreamId new_session(SimLink &) override { return UpstreamId{++sessions_}; }
    void on_readable(SimLink &link, UpstreamId session) override;
    void on_session_closed(SimLink &, UpstreamId) override {}

protected:
    virtual void receive(const Bytes &bundle) = 0;
    void send(Bytes bundle);
    void send_record(const bp::Eid &to, const Bytes &record);

    SimClock &clock_;
    std::uint64_t node_;

private:
    void flush();

    SimLink *out_ = nullptr;
    std::deque<Bytes> waiting_;
    std::uint32_t sessions_ = 0;
    std::uint64_t records_ = 0;
    std::uint64_t records_step_ = 1;
};

class CustodySource final : public CustodyEnd {
public:
    /// `ids`: its bundles have a CTEB. It repeats bundles without a signal after `patience`.
    CustodySource(SimClock &clock, std::uint64_t node, bool ids, Duration patience)
        : CustodyEnd(clock, node), ids_(ids), patience_(patience) {}

    /// One bundle for service 1 of a node every `interval`; its number is its sequence number.
    void send_paced(std::uint64_t to, std::uint64_t count, std::uint64_t payload_bytes,
                    Duration interval);
    /// From now on its bundles are critical.
    void make_critical() { critical_ = true; }
    /// Bundles of which no custodian has accepted custody.
    [[nodiscard]] std::size_t held() const { return held_.size(); }
    [[nodiscard]] std::uint64_t made() const { return made_; }

private:
    void receive(const Bytes &bundle) override;
    void transmit(std::uint64_t number);

    bool ids_;
    bool critical_ = false;
    Duration patience_;
    std::uint64_t made_ = 0;
    std::map<std::uint64_t, Bytes> held_;
};

class CustodySink final : public CustodyEnd {
public:
    CustodySink(SimClock &clock, std::uint64_t node, const bp::v6::CustodySignalOptions &options)
        : CustodyEnd(clock, node), signals_(bp::Eid(node, 0), options), period_(options.period) {}

    [[nodiscard]] std::size_t arrived() const { return seen_.size(); }
    [[nodiscard]] std::uint64_t repeats() const { return repeats_; }

private:
    void receive(const Bytes &bundle) override;
    void answer();

    bp::v6::CustodySignalCollector signals_;
    Duration period_;
    std::set<std::uint64_t> seen_;  ///< sequence numbers
    std::uint64_t repeats_ = 0;
};

}  // namespace farlink::sim
