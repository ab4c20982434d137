// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/sending/send_window.hpp"

#include <algorithm>

namespace farlink::traffic {
namespace {

bool for_good(cla::Refusal refusal) {
    return refusal == cla::Refusal::kNotAcceptable || refusal == cla::Refusal::kTooLarge ||
           refusal == cla::Refusal::kExtensionFailure;
}

/// The bundles from number `from` of the stretch on, `count` of them.
Stretch part_of(const Stretch &whole, std::uint64_t from, std::uint64_t count) {
    Stretch part = whole;
    part.first += from;
    part.count = count;
    return part;
}

}  // namespace

void SendWindow::handle_sent(const Stretch &bundles, std::uint64_t bytes, GroupMemoryPtr memory) {
    in_flight_.push_back({bundles, next_token_, bytes, std::move(memory)});
    next_token_ += bundles.count;
    in_flight_bytes_ += bytes;
    in_flight_bundles_ += bundles.count;
}

void SendWindow::handle_transmitted(std::uint64_t token) {
    while (!in_flight_.empty() && in_flight_.front().first_token < token) {
        InFlight &sent = in_flight_.front();
        const std::uint64_t count = std::min(token - sent.first_token, sent.bundles.count);
        acknowledge(sent, count);
        if (sent.bundles.count == 0) forget_front();
    }
}

void SendWindow::acknowledge(InFlight &sent, std::uint64_t count) {
    const std::uint64_t end = sent.first_token + count;
    acknowledged_ += count;
    if (!refused_tokens_.empty())
        acknowledged_ -= std::erase_if(refused_tokens_, [=](auto token) { return token < end; });
    in_flight_bundles_ -= count;
    const std::uint64_t bytes = sent.bytes / sent.bundles.count * count;
    in_flight_bytes_ -= bytes;
    sent.bytes -= bytes;
    sent.bundles = part_of(sent.bundles, count, sent.bundles.count - count);
    sent.first_token = end;
}

void SendWindow::forget_front() {
    InFlight sent = in_flight_.pop_front();
    in_flight_bytes_ -= sent.bytes;
    if (sent.memory) memory_.push_back(std::move(sent.memory));
}

void SendWindow::handle_refused(std::uint64_t token, cla::Refusal refusal, TimePoint now) {
    if (refusal == cla::Refusal::kCompleted) return;
    const auto bundle = find(token);
    if (!bundle || std::ranges::find(refused_tokens_, token) != refused_tokens_.end()) return;
    ++refused_;
    refused_tokens_.push_back(token);
    if (for_good(refusal))
        ++failed_;
    else
        send_again(*bundle, now + kRetryPause);
}

std::optional<Stretch> SendWindow::find(std::uint64_t token) const {
    for (std::size_t i = 0; i < in_flight_.size(); ++i) {
        const InFlight &sent = in_flight_[i];
        if (token < sent.first_token) break;
        if (token - sent.first_token < sent.bundles.count)
            return part_of(sent.bundles, token - sent.first_token, 1);
    }
    return std::nullopt;
}

// Refused bundles have been handled; the rest is sent again in the order of the run.
void SendWindow::handle_lost(TimePoint now) {
    std::ranges::sort(refused_tokens_);
    auto refused = refused_tokens_.begin();
    for (; !in_flight_.empty(); forget_front()) {
        const InFlight &sent = in_flight_.front();
        std::uint64_t done = 0;
        for (; refused != refused_tokens_.end(); ++refused) {
            const std::uint64_t at = *refused - sent.first_token;
            if (at >= sent.bundles.count) break;
            send_again(part_of(sent.bundles, done, at - done), now);
            done = at + 1;
        }
        send_again(part_of(sent.bundles, done, sent.bundles.count - done), now);
    }
    refused_tokens_.clear();
    in_flight_bundles_ = 0;
}

void SendWindow::send_again(Stretch bundles, TimePoint not_before) {
    if (bundles.count > 0) again_.push_back({bundles, not_before});
}

std::optional<Stretch> SendWindow::poll_resend(std::uint64_t at_most, TimePoint now) {
    if (again_.empty() || again_.front().not_before > now) return std::nullopt;
    Stretch &oldest = again_.front().bundles;
    const Stretch part = part_of(oldest, 0, std::min(at_most, oldest.count));
    oldest = part_of(oldest, part.count, oldest.count - part.count);
    if (oldest.count == 0) again_.pop_front();
    resent_ += part.count;
    return part;
}

TimePoint SendWindow::next_resend() const {
    return again_.empty() ? kNever : again_.front().not_before;
}

GroupMemoryPtr SendWindow::poll_memory() {
    if (memory_.empty()) return nullptr;
    GroupMemoryPtr memory = std::move(memory_.back());
    memory_.pop_back();
    return memory;
}

}  // namespace farlink::traffic
