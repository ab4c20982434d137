// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/peer/peer_link.hpp"

namespace farlink::bptunnel {
namespace {

/// Between two answers to what is of another session.
constexpr std::chrono::seconds kHelloPause{1};

}  // namespace

void PeerLink::noted() {
    if (batch_.octets().size() == kHeadBytes) return;
    batch_.noted(monotonic_now());
    if (batch_.full()) return flush();
    if (!armed_) arm();
}

void PeerLink::arm() {
    armed_ = true;
    timer_.expires_at(*batch_.due());
    timer_.async_wait([weak = weak_from_this()](const auto &error) {
        const auto self = weak.lock();
        if (!self || error) return;
        self->armed_ = false;
        if (self->batch_.empty()) return;
        // Another batch may have begun since.
        if (monotonic_now() >= *self->batch_.due())
            self->flush();
        else
            self->arm();
    });
}

void PeerLink::flush() {
    if (batch_.empty()) return;
    node_->send(peer_, batch_.take(sessions_.next_head(kind_)), kind_ == Kind::kStreams);
}

void PeerLink::hello() {
    Bytes adu(kHeadBytes);
    write_head(sessions_.next_head(Kind::kHello), adu.data());
    node_->send(peer_, std::move(adu), true);
}

void PeerLink::answer_hello() {
    const TimePoint now = monotonic_now();
    if (now < next_hello_) return;
    next_hello_ = now + kHelloPause;
    hello();
}

Verdict PeerLink::judge(const Head &head) {
    const Verdict verdict = sessions_.judge(head);
    counters_->repeated_adus += verdict.repeat ? 1 : 0;
    counters_->stale_adus += verdict.stale || verdict.for_earlier ? 1 : 0;
    const bool asks = head.kind == Kind::kHello && head.to == 0;
    if (verdict.stale || verdict.for_earlier || asks) answer_hello();
    return verdict;
}

}  // namespace farlink::bptunnel
