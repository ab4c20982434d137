// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsink/custody_signaller.hpp"

#include <algorithm>

#include "cla/factory/link_factory.hpp"
#include "common/bp/bundle_view.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v6/custody.hpp"
#include "common/bp/v6/primary.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::bpsink {
namespace {

constexpr std::uint64_t kSignalLifetimeSeconds = 24 * 3600;

}  // namespace

CustodySignaller::CustodySignaller(const AnswerOptions &options, traffic::LinkLoop &loop)
    : options_(options),
      signals_(bp::Eid(options.node, 0), options.signals),
      sequence_(entropy_seed() >> 33) {
    if (!options_.to) return;
    options_.to->id = kOwnLink;
    own_ = cla::make_outduct(loop.resources(*this), *options_.to, entropy_seed());
    ways_[kOwnLink].out = own_.get();
}

void CustodySignaller::open(cla::Induct &induct) {
    induct_ = &induct;
    if (own_) own_->open();
}

void CustodySignaller::handle_bundle(UpstreamId from, std::span<const ByteView> bundle,
                                     DtnTime now_ms, TimePoint now) {
    now_ms_ = now_ms;
    auto view = bp::parse(bundle);
    ByteView first = bundle.front();
    if (!view && view.error() == bp::ParseError::kHeadNotContiguous) {
        joined_.clear();
        for (const ByteView slice : bundle) append(joined_, slice);
        first = joined_;
        view = bp::parse({&first, 1});
    }
    if (!view || !bp::v6::wants_custody(*view) || view->destination.node != options_.node) return;
    ++accepted_;
    if (!own_) {
        if (sessions_.size() >= kMostCustodians) sessions_.clear();
        sessions_.insert_or_assign(bp::to_string(view->custodian), from);
    }
    signals_.add(*view, first.first(view->head_end), {}, now_ms, now);
}

void CustodySignaller::handle_timeout(TimePoint now) {
    while (const auto signal = signals_.poll(now)) {
        Way *const way = open_way(way_to(signal->destination));
        if (way == nullptr) {
            ++dropped_;
            continue;
        }
        ++(signal->aggregate ? aggregates_ : sent_);
        way->waiting.push_back(bundle_of(*signal, now_ms_));
    }
    for (auto &[id, way] : ways_) pump(way);
}

void CustodySignaller::expedite(TimePoint now) {
    signals_.expedite();
    handle_timeout(now);
}

LinkId CustodySignaller::way_to(const bp::Eid &custodian) const {
    if (own_) return kOwnLink;
    const auto found = sessions_.find(custodian.to_string());
    return found == sessions_.end() ? kNoLink : LinkId{kFirstSession + found->second.value()};
}

/// Null when the session has ended, or its convergence layer is one-way.
CustodySignaller::Way *CustodySignaller::open_way(LinkId id) {
    if (id == kNoLink) return nullptr;
    if (const auto found = ways_.find(id); found != ways_.end()) return &found->second;
    cla::Outduct *const out = induct_->attach(UpstreamId{id.value() - kFirstSession}, id);
    if (out == nullptr) return nullptr;
    Way &way = ways_[id];
    way.out = out;
    way.connected = true;
    return &way;
}

Bytes CustodySignaller::bundle_of(const bp::v6::CustodySignals::Signal &signal, DtnTime now_ms) {
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

// A signal is short: it is sent as the head of its bundle, which the link copies.
void CustodySignaller::pump(Way &way) {
    if (!way.connected || way.waiting.empty()) return;
    while (!way.waiting.empty() && way.out->transmit_credit() > 0) {
        const Bytes bundle = way.waiting.pop_front();
        const TxBundle tx{bundle, {}, {}, bundle.size(), way.next_token++};
        way.out->transmit({&tx, 1});
    }
    way.out->flush();
}

bool CustodySignaller::all_sent() const {
    return std::ranges::all_of(ways_, [](const auto &each) {
        const Way &way = each.second;
        return way.waiting.empty() && way.first_token == way.next_token;
    });
}

void CustodySignaller::close() {
    if (own_) own_->close();
}

void CustodySignaller::handle_closed(UpstreamId session) {
    ways_.erase(LinkId{kFirstSession + session.value()});
    std::erase_if(sessions_, [=](const auto &each) { return each.second == session; });
}

void CustodySignaller::handle_transmitted(LinkId link, std::uint64_t token) {
    const auto found = ways_.find(link);
    if (found != ways_.end()) found->second.first_token = token;
}

void CustodySignaller::handle_writable(LinkId link) {
    const auto found = ways_.find(link);
    if (found != ways_.end()) pump(found->second);
}

// The outduct for signals expects no bundles.
void CustodySignaller::on_bundles(LinkId, UpstreamId from, ReceivedBundles &received) {
    own_->acknowledge(from, received.first_transfer,
                      static_cast<std::uint32_t>(received.bundles.size()),
                      cla::TransferDisposition::kNoResources);
    own_->flush_acknowledgements();
}

// Signals of a lost connection are dropped; the custodians retransmit their bundles.
void CustodySignaller::on_state(LinkId link, cla::LinkState state, cla::LinkFault) {
    Way &way = ways_.at(link);
    way.connected = state == cla::LinkState::kConnected;
    if (!way.connected) way.first_token = way.next_token;
    pump(way);
}

}  // namespace farlink::bpsink
