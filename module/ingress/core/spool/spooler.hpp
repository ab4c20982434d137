// SPDX-License-Identifier: Apache-2.0
// Bundles that are too large for memory: they go to storage piece by piece while they arrive. The
// last piece goes there only when the bundle is complete and its CRC is correct, so a bundle whose
// last piece is stored is safe, and all others are void.
// Owned by IngressCore; one thread.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include "common/bp/arriving_bundle.hpp"
#include "module/ingress/core/queues/next_hop_queues.hpp"

namespace farlink::ingress {

/// A session brings the pieces of several bundles in turn, each in a channel of its own.
struct SpoolChannel {
    UpstreamId session;
    std::uint32_t channel = 0;
    auto operator<=>(const SpoolChannel &) const = default;
};

class Spooler {
public:
    /// Spools are numbered from `first` on, above every number of an earlier run.
    Spooler(IngressContext &context, NextHopQueues &queues, std::uint64_t first)
        : context_(context), queues_(queues), next_number_(first + 1) {}

    /// A bundle begins to arrive in this channel, and is stored; `whole` describes it, `head` has
    /// read its first piece, which take() gets next.
    void begin(SpoolChannel in, const BatchedBundle &whole, NodeNumber sender,
               const bp::ArrivingBundle &head);
    /// It begins to arrive and is not stored: what its sender gets once all of it is here.
    void begin_refused(SpoolChannel in, TransferDisposition disposition);
    /// The next piece of the bundle that arrives in this channel.
    void take(SpoolChannel in, const Arrival &piece, bool more, TimePoint now);
    /// No more pieces come of what arrives in this channel.
    void abandon(SpoolChannel in, TimePoint now);
    /// The same for all channels of a session.
    void abandon_all(UpstreamId from, TimePoint now);
    [[nodiscard]] bool active() const { return !arriving_.empty(); }

    /// Storage has answered for a piece.
    void handle_outcome(BatchPtr batch, TimePoint now);

private:
    struct Spool {
        BatchedBundle whole;
        NodeNumber sender;
        bp::ArrivingBundle bundle;
        UpstreamId waiting = kNoUpstream;
        /// What its sender gets; nothing more is stored of it. Empty while it may become safe.
        std::optional<TransferDisposition> ended;
    };

    void refuse_unknown(const Arrival &piece, bool more, TimePoint now);
    void store(std::uint64_t number, Spool &spool, const Arrival &piece, bool more, TimePoint now);
    void set_outcome(std::uint64_t number, Spool &spool, Outcome outcome, TimePoint now);
    void end(std::uint64_t number, Spool &spool, TransferDisposition disposition, TimePoint now);
    void finish(std::uint64_t number, TimePoint now);

    IngressContext &context_;
    NextHopQueues &queues_;
    std::unordered_map<std::uint64_t, Spool> spools_;
    std::map<SpoolChannel, std::uint64_t> arriving_;  ///< the number of its spool
    std::uint64_t next_number_;
};

}  // namespace farlink::ingress
