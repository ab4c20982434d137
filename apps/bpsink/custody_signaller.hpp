// SPDX-License-Identifier: Apache-2.0
// Accepts custody of bundles at the sink: makes custody signals (RFC 5050 section 5.10, CCSDS
// 734.2-B-1) and sends each by the session of its custodian, or by an outduct of its own.
// Owned by the sink; one thread.
// A signal whose session has ended is dropped: the custodian retransmits the bundle.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "apps/bpsink/answer_links.hpp"
#include "apps/shared/traffic/fragments/contiguous_bundle.hpp"
#include "common/bp/v6/custody_signal_collector.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::bpsink {

struct AnswerOptions {
    std::uint64_t node = 0;  ///< its administrative endpoint is the custodian
    bp::v6::CustodySignalOptions signals;
    std::optional<config::OutductConfig> to;  ///< none: by the sessions of the bundles
};

class CustodySignaller {
public:
    /// `links` is borrowed, and is opened and closed by its owner.
    CustodySignaller(const AnswerOptions &options, AnswerLinks &links);

    /// Accepts custody of a bundle that requests it, also of a duplicate, whose signal was lost.
    void handle_bundle(UpstreamId from, std::span<const ByteView> bundle, DtnTime now_ms,
                       TimePoint now);
    /// Sends signals that are due.
    void handle_timeout(TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const { return signals_.next_timeout(); }
    /// No aggregate signal is open.
    void expedite(TimePoint now);
    void handle_closed(UpstreamId session);

    [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
    [[nodiscard]] std::uint64_t signals() const { return sent_; }
    [[nodiscard]] std::uint64_t aggregates() const { return aggregates_; }
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

private:
    static constexpr std::size_t kMostCustodians = 1024;

    [[nodiscard]] LinkId way_to(const bp::Eid &custodian) const;
    [[nodiscard]] Bytes bundle_of(const bp::v6::CustodySignalCollector::Signal &signal,
                                  DtnTime now_ms);

    AnswerOptions options_;
    bp::v6::CustodySignalCollector signals_;
    AnswerLinks &links_;
    LinkId own_ = kNoLink;                        ///< the outduct for signals, if any
    std::map<std::string, UpstreamId> sessions_;  ///< the last one of each custodian
    DtnTime now_ms_ = 0;
    /// Creation timestamp of the last signal; unique among sinks of the same second.
    std::uint64_t sequence_;
    std::uint64_t accepted_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t aggregates_ = 0;
    std::uint64_t dropped_ = 0;
    traffic::ContiguousBundle contiguous_;
};

}  // namespace farlink::bpsink
