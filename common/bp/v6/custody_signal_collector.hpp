// SPDX-License-Identifier: Apache-2.0
// The custody signals that a node must send: one for each bundle (RFC 5050 section 6.1.2), or one
// for many bundles where their custodian supports that (CCSDS 734.2-B-1).
// Owned by a part that accepts or refuses custody, or delivers; one thread. poll() returns the
// payload of an administrative bundle to the custodian.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "common/base/time.hpp"
#include "common/bp/base/bundle_view.hpp"
#include "common/bp/v6/custody_ranges.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::bp::v6 {

struct CustodySignalOptions {
    bool aggregate = true;         ///< answer a valid CTEB by an aggregate signal
    std::size_t max_fills = 100;   ///< of one aggregate signal; it is sent at this limit
    Duration period = seconds(1);  ///< an aggregate signal is sent this long after its first bundle
};

/// The content of a signal to the custodian.
struct CustodyAnswer {
    bool succeeded = true;
    CustodyReason reason = CustodyReason::kNone;
    friend bool operator==(const CustodyAnswer &, const CustodyAnswer &) = default;
};

/// The content of the signals about a bundle.
[[nodiscard]] Time time_of(DtnTime now_ms);
[[nodiscard]] Subject subject_of(const BundleView &view);

class CustodySignalCollector {
public:
    struct Signal {
        Eid destination;
        Bytes record;
        bool aggregate = false;
        DtnTime needed_until = 0;  ///< the expiration of the last bundle that it is about
    };

    /// `local`: the endpoint of this node as a custodian; it sends itself no signals.
    CustodySignalCollector(Eid local, const CustodySignalOptions &options)
        : local_(std::move(local)), options_(options) {}

    /// Signals the current custodian of a bundle, if it has one. `head` contains the octets in
    /// front of the payload block, `now_ms` is DTN time.
    void add(const BundleView &view, ByteView head, CustodyAnswer answer, DtnTime now_ms,
             TimePoint now);

    [[nodiscard]] std::optional<Signal> poll(TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const;
    /// Makes all collected signals available to poll(), without waiting for more bundles.
    void expedite();

private:
    struct Aggregate {
        Eid custodian;
        CustodyAnswer answer;
        CustodyRanges ids;
        TimePoint due;
        DtnTime needed_until = 0;
    };
    /// The limit of open aggregates; for one more, the oldest is sent.
    static constexpr std::size_t kMostAggregates = 256;

    [[nodiscard]] Aggregate &find_or_add(const EidView &custodian, CustodyAnswer answer,
                                         TimePoint now);
    void complete(std::size_t index);

    Eid local_;
    CustodySignalOptions options_;
    std::vector<Aggregate> aggregates_;  ///< oldest first
    Ring<Signal> ready_;
};

}  // namespace farlink::bp::v6
