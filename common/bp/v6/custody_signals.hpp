// SPDX-License-Identifier: Apache-2.0
// The custody signals that a node owes: one for each bundle (RFC 5050 section 6.1.2), or many
// bundles in one where their custodian understands that (CCSDS 734.2-B-1).
// Owned by whoever takes or refuses custody, or delivers; one thread. What polls out is the payload
// of an administrative bundle to the custodian.
#pragma once

#include <optional>
#include <vector>

#include "common/base/time.hpp"
#include "common/bp/bundle_view.hpp"
#include "common/bp/v6/custody_ranges.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::bp::v6 {

struct CustodySignalOptions {
    bool aggregate = true;         ///< answer a valid CTEB by an aggregate signal
    std::size_t max_fills = 100;   ///< of one aggregate signal; it leaves when it has so many
    Duration period = seconds(1);  ///< after the first of its bundles it leaves anyway
};

/// What the custodian is told.
struct CustodyAnswer {
    bool succeeded = true;
    CustodyReason reason = CustodyReason::kNone;
    friend bool operator==(const CustodyAnswer &, const CustodyAnswer &) = default;
};

/// What the records about a bundle say.
[[nodiscard]] Time time_of(DtnTime now_ms);
[[nodiscard]] Subject subject_of(const BundleView &view);

class CustodySignals {
public:
    struct Signal {
        Eid destination;
        Bytes record;
        bool aggregate = false;
        DtnTime needed_until = 0;  ///< the end of the last bundle that it is about
    };

    /// `local`: how this node calls itself as a custodian; it sends itself no signals.
    CustodySignals(const Eid &local, const CustodySignalOptions &options)
        : local_(local), options_(options) {}

    /// Answers the current custodian of a bundle, if it has one. `head` are its octets up to the
    /// payload block, `now_ms` is DTN time.
    void add(const BundleView &view, ByteView head, CustodyAnswer answer, DtnTime now_ms,
             TimePoint now);

    [[nodiscard]] std::optional<Signal> poll(TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const;
    /// Nothing waits for more to come: all there is can be polled.
    void expedite();

private:
    struct Aggregate {
        Eid custodian;
        CustodyAnswer answer;
        CustodyRanges ids;
        TimePoint due;
        DtnTime needed_until = 0;
    };
    /// Of different custodians and answers; the one that waits longest leaves for one more.
    static constexpr std::size_t kMostAggregates = 256;

    [[nodiscard]] Aggregate &find_or_add(const EidView &custodian, CustodyAnswer answer,
                                         TimePoint now);
    void complete(std::size_t index);

    Eid local_;
    CustodySignalOptions options_;
    std::vector<Aggregate> aggregates_;  ///< in the order of their beginning
    Ring<Signal> ready_;
};

}  // namespace farlink::bp::v6
