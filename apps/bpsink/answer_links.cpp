// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsink/answer_links.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

#include "apps/shared/traffic/tool_link.hpp"
#include "cla/factory/link_factory.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::bpsink {
namespace {

/// The link copies the head of a bundle; it refers to the rest.
constexpr std::size_t kCopiedBytes = 1024;

}  // namespace

LinkId AnswerLinks::add(config::OutductConfig to) {
    to.id = LinkId{static_cast<std::uint32_t>(own_.size()) + 1};
    auto &outduct = own_[to.id] = cla::make_outduct(loop_.resources(*this), to, entropy_seed());
    ways_[to.id].out = outduct.get();
    troubles_[to.id].url = to.url;
    return to.id;
}

void AnswerLinks::open(cla::Induct &induct) {
    induct_ = &induct;
    for (auto &[id, outduct] : own_) outduct->open();
}

void AnswerLinks::close() {
    for (auto &[id, outduct] : own_) outduct->close();
}

bool AnswerLinks::send(LinkId link, Bytes bundle) {
    Way *const way = open_way(link);
    if (way == nullptr || (way->connected && bundle.size() > way->out->max_bundle_bytes()))
        return false;
    waiting_bytes_ += bundle.size();
    way->waiting.push_back(std::move(bundle));
    pump(*way);
    return true;
}

/// Null when the session has ended, or its convergence layer is one-way.
AnswerLinks::Way *AnswerLinks::open_way(LinkId link) {
    if (const auto found = ways_.find(link); found != ways_.end()) return &found->second;
    if (link.value() < kFirstSession) return nullptr;
    cla::Outduct *const out = induct_->attach(UpstreamId{link.value() - kFirstSession}, link);
    if (out == nullptr) return nullptr;
    Way &way = ways_[link];
    way.out = out;
    way.connected = true;
    return &way;
}

void AnswerLinks::pump(Way &way) {
    if (!way.connected || way.waiting.empty()) return;
    while (!way.waiting.empty() && way.out->transmit_credit() > 0) {
        way.under_way.push_back(way.waiting.pop_front());
        const ByteView bundle = way.under_way.back();
        const std::size_t copied = std::min(bundle.size(), kCopiedBytes);
        const TxBundle tx{
            bundle.first(copied), bundle.subspan(copied), {}, bundle.size(), way.next_token++};
        way.out->transmit({&tx, 1});
    }
    way.out->flush();
}

bool AnswerLinks::all_sent() const {
    return std::ranges::all_of(ways_, [](const auto &each) {
        return each.second.waiting.empty() && each.second.under_way.empty();
    });
}

void AnswerLinks::forget_first(Way &way) {
    waiting_bytes_ -= way.under_way.pop_front().size();
}

void AnswerLinks::lose_under_way(Way &way) {
    lost_ += way.under_way.size();
    while (!way.under_way.empty()) forget_first(way);
}

void AnswerLinks::handle_closed(UpstreamId session) {
    const auto found = ways_.find(link_of(session));
    if (found == ways_.end()) return;
    Way &way = found->second;
    while (!way.waiting.empty()) way.under_way.push_back(way.waiting.pop_front());
    lose_under_way(way);
    ways_.erase(found);
}

void AnswerLinks::handle_transmitted(LinkId link, std::uint64_t token) {
    const auto found = ways_.find(link);
    if (found == ways_.end()) return;
    Way &way = found->second;
    while (!way.under_way.empty() && way.next_token - way.under_way.size() < token)
        forget_first(way);
}

void AnswerLinks::handle_writable(LinkId link) {
    const auto found = ways_.find(link);
    if (found != ways_.end()) pump(found->second);
}

void AnswerLinks::handle_refused(cla::Refusal refusal) {
    if (refusal != cla::Refusal::kCompleted) ++lost_;
}

void AnswerLinks::handle_state(LinkId link, cla::LinkState state) {
    const auto found = ways_.find(link);
    if (found == ways_.end()) return;
    Way &way = found->second;
    way.connected = state == cla::LinkState::kConnected;
    if (!way.connected) lose_under_way(way);
    pump(way);
}

void AnswerLinks::on_state(LinkId link, cla::LinkState state, cla::LinkFault fault) {
    handle_state(link, state);
    Trouble &trouble = troubles_.at(link);
    trouble.last.handle_state(fault);
    if (state == cla::LinkState::kConnected)
        trouble.printed.clear();
    else if (fault != cla::LinkFault::kNone)
        print_once(trouble);
}

void AnswerLinks::on_ending(LinkId link, const cla::PeerIdentity &, std::string_view detail) {
    troubles_.at(link).last.handle_ending(detail);
}

void AnswerLinks::on_unreachable(LinkId link, std::string_view why) {
    troubles_.at(link).last.handle_unreachable(why);
    print_once(troubles_.at(link));
}

// An outduct tries again and again.
void AnswerLinks::print_once(Trouble &trouble) {
    const std::string line = traffic::cannot_connect(trouble.url, trouble.last);
    if (line == trouble.printed) return;
    trouble.printed = line;
    std::cerr << "bpsink: " << line << "; trying again\n";
}

// The outducts for answers expect no bundles.
void AnswerLinks::on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) {
    cla::Outduct &outduct = *own_.at(link);
    outduct.acknowledge(from, received.first_transfer,
                        static_cast<std::uint32_t>(received.completed()),
                        cla::TransferDisposition::kNoResources);
    outduct.flush_acknowledgements();
}

}  // namespace farlink::bpsink
