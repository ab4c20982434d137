// SPDX-License-Identifier: Apache-2.0
// The services of the node itself: the administrative endpoint, the echo service, and the ping
// service, which sends echo requests and gets the echoes.
// Owned by LocalDeliveries; one thread. Ingress originates their answers. Custodians of delivered
// bundles get custody signals; custody signals that arrive go to storage.
// A bundle is delivered once: repeats are recognised by identity among the last ones delivered.
// Each administrative record, and each bundle without a source, is processed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>

#include "common/base/time.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/status_reports.hpp"
#include "common/bp/v6/custody_signal_collector.hpp"
#include "common/buffer/ring.hpp"
#include "common/bus/messages.hpp"
#include "common/config/applications/own_services.hpp"
#include "module/ingress/core/local/report_limiter.hpp"

namespace farlink::ingress {

enum class Delivery : std::uint8_t {
    kDelivered,
    kDuplicate,
    kAdminUnknown,  ///< an administrative record of an unknown type
    kNoService,     ///< nothing is registered at that service number
};

/// The source of this node's echo requests and of its echoes, and the destination of the replies.
using config::ping_service;

class LocalServices {
public:
    /// Sequence numbers of bundles that are made here: `first`, and then every `step`-th, so that
    /// several instances of ingress never make two bundles of one identity.
    struct Sequence {
        std::uint64_t first = 0;
        std::uint64_t step = 1;
    };

    LocalServices(NodeNumber node, std::uint64_t echo_service,
                  const bp::v6::CustodySignalOptions &signals, Sequence sequence);
    LocalServices(NodeNumber node, std::uint64_t echo_service,
                  const bp::v6::CustodySignalOptions &signals = {})
        : LocalServices(node, echo_service, signals, Sequence{}) {}

    /// Of BPv7 bundles made here; 0: none.
    void set_hop_limit(std::uint8_t limit) { hop_limit_ = limit; }

    /// There is a service at its destination.
    [[nodiscard]] bool serves(const bp::BundleView &view) const;
    /// `bundle` is contiguous, for this node, and no fragment. `now_ms` is DTN time.
    [[nodiscard]] Delivery deliver(const bp::BundleView &view, ByteView bundle, DtnTime now_ms);
    /// Makes a status report for the bundle with this head, when it may be reported at all
    /// (RFC 9171 section 5.1); the caller has looked at its report request flags.
    void report(bus::ReportEvent event, bp::ReportReason reason, ByteView head,
                std::uint64_t payload_length, DtnTime now_ms);
    /// At most so many a second for each report-to endpoint, by this instance; 0: no limit.
    void limit_reports(std::uint32_t each_second) { reports_ = ReportLimiter(each_second); }
    [[nodiscard]] std::uint64_t reports_withheld() const { return reports_.withheld(); }
    /// A delivery of a bundle that is in custody ends that custody (RFC 5050 section 5.7 step 3);
    /// so does a repeat, whose custodian did not get the first signal.
    void end_custody(const bp::BundleView &view, ByteView bundle, Delivery delivery, DtnTime now_ms,
                     TimePoint now);
    /// Sends an administrative record from the administrative endpoint.
    void originate(const bus::OriginateRequest &request, DtnTime now_ms);
    /// Sends an echo request with this payload from the ping service. False: its destination is no
    /// endpoint, or there is no such version.
    [[nodiscard]] bool ping(const bus::PingRequest &request, ByteView payload, DtnTime now_ms);
    /// Custody signals that are due become bundles.
    void handle_timeout(DtnTime now_ms, TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const { return signals_.next_timeout(); }

    /// A record about custody that was delivered, for storage.
    [[nodiscard]] std::optional<bus::CustodyRecord> poll_custody_record();
    /// The payload of a bundle for the ping service, from any source.
    [[nodiscard]] std::optional<Bytes> poll_ping_answer();
    /// A bundle that a service has made, to be sent.
    [[nodiscard]] std::optional<Bytes> poll_originated();

private:
    /// Identities remembered, about 50 bytes each.
    static constexpr std::size_t kRemembered = 65536;

    [[nodiscard]] Delivery serve_once(const bp::BundleView &view, ByteView bundle, DtnTime now_ms);
    [[nodiscard]] bool delivered_before(std::uint64_t identity);
    void serve(const bp::BundleView &view, ByteView octets, DtnTime now_ms);
    void originate(std::optional<Bytes> bundle);
    void originate_record(const bp::EidView &destination, ByteView record, DtnTime needed_until,
                          DtnTime now_ms);

    NodeNumber node_;
    std::uint64_t echo_service_;
    std::uint64_t next_sequence_;
    std::uint64_t sequence_step_;
    std::uint8_t hop_limit_ = bp::kUsualHopLimit;
    std::unordered_set<std::uint64_t> remembered_;
    Ring<std::uint64_t> order_;  ///< of remembered_, oldest first
    bp::v6::CustodySignalCollector signals_;
    Ring<bus::CustodyRecord> custody_records_;
    Ring<Bytes> ping_answers_;
    Ring<Bytes> originated_;
    ReportLimiter reports_{0};
};

}  // namespace farlink::ingress
