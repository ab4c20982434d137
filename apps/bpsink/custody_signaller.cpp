// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsink/custody_signaller.hpp"

#include "common/bp/parse.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v6/custody.hpp"
#include "common/bp/v6/primary.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::bpsink {
namespace {

constexpr std::uint64_t kSignalLifetimeSeconds = 24 * 3600;

}  // namespace

CustodySignaller::CustodySignaller(const AnswerOptions &options, AnswerLinks &links)
    : options_(options),
      signals_(bp::Eid(options.node, 0), options.signals),
      links_(links),
      own_(options.to ? links.add(*options.to) : kNoLink),
      sequence_(entropy_seed() >> 33) {}

void CustodySignaller::handle_bundle(UpstreamId from, std::span<const ByteView> bundle,
                                     DtnTime now_ms, TimePoint now) {
    now_ms_ = now_ms;
    const auto view = contiguous_.parse(bundle);
    if (!view || !bp::v6::wants_custody(*view) || view->destination.node != options_.node) return;
    ++accepted_;
    if (own_ == kNoLink) {
        if (sessions_.size() >= kMostCustodians) sessions_.clear();
        sessions_.insert_or_assign(bp::to_string(view->custodian), from);
    }
    signals_.add(*view, bundle.front().first(view->head_end), {}, now_ms, now);
}

void CustodySignaller::handle_timeout(TimePoint now) {
    while (const auto signal = signals_.poll(now)) {
        const LinkId way = way_to(signal->destination);
        if (way != kNoLink && !links_.full() && links_.send(way, bundle_of(*signal, now_ms_)))
            ++(signal->aggregate ? aggregates_ : sent_);
        else
            ++dropped_;
    }
}

void CustodySignaller::expedite(TimePoint now) {
    signals_.expedite();
    handle_timeout(now);
}

LinkId CustodySignaller::way_to(const bp::Eid &custodian) const {
    if (own_ != kNoLink) return own_;
    const auto found = sessions_.find(custodian.to_string());
    return found == sessions_.end() ? kNoLink : AnswerLinks::link_of(found->second);
}

Bytes CustodySignaller::bundle_of(const bp::v6::CustodySignalCollector::Signal &signal,
                                  DtnTime now_ms) {
    bp::v6::PrimaryFields primary;
    primary.flags = bp::v6::kSingletonDestination | bp::v6::kIsAdminRecord |
                    bp::v6::priority_flags(Priority::kExpedited);
    primary.destination = signal.destination.view();
    primary.source = bp::ipn_eid(options_.node, 0);
    primary.creation_time_s = now_ms / bp::v6::kMsPerSecond;
    primary.sequence = ++sequence_;
    primary.lifetime_s = kSignalLifetimeSeconds;
    bp::v6::Builder builder(primary);
    builder.add_block(bp::v6::kPayloadBlock, 0, signal.record);
    return std::move(builder).finish();
}

void CustodySignaller::handle_closed(UpstreamId session) {
    std::erase_if(sessions_, [=](const auto &each) { return each.second == session; });
}

}  // namespace farlink::bpsink
