// SPDX-License-Identifier: Apache-2.0
// What goes to a peer, in batches by size and time, and the sessions of both ends.
// Owned by the end of one peer.
// On its loop, one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "apps/bptunnel/core/batch.hpp"
#include "apps/bptunnel/core/sessions.hpp"
#include "apps/bptunnel/peer/node_end.hpp"

namespace farlink::bptunnel {

class PeerLink : public std::enable_shared_from_this<PeerLink> {
public:
    PeerLink(std::shared_ptr<NodeEnd> node, std::shared_ptr<Counters> counters, std::string peer,
             Kind kind, BatchLimits limits, std::uint64_t session)
        : node_(std::move(node)),
          counters_(std::move(counters)),
          peer_(std::move(peer)),
          kind_(kind),
          batch_(limits),
          sessions_(session),
          timer_(node_->executor()) {}

    /// Records are appended here; then noted().
    [[nodiscard]] Bytes &records() { return batch_.octets(); }
    void noted();
    void flush();
    /// What was not sent yet is of a session that has ended.
    void forget() { batch_.clear(); }
    /// This end has started.
    void hello();
    /// Counts and answers what needs no more.
    [[nodiscard]] Verdict judge(const Head &head);
    [[nodiscard]] bool full() const { return node_->full(); }

private:
    void arm();
    void answer_hello();

    std::shared_ptr<NodeEnd> node_;
    std::shared_ptr<Counters> counters_;
    std::string peer_;
    Kind kind_;
    Batch batch_;
    Sessions sessions_;
    MonotonicTimer timer_;
    bool armed_ = false;
    TimePoint next_hello_{};
};

}  // namespace farlink::bptunnel
