// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <farlink/client/session.hpp>
#include "clients/cpp/src/random_text.hpp"
#include "clients/cpp/src/wire.hpp"

namespace farlink::client {
namespace {

constexpr std::uint64_t kMsPerSecond = 1000;

void append_options(wire::Buffer &to, const SendOptions &options) {
    wire::append_text(to, 7, options.report_to);
    if (options.lifetime)
        wire::append_number(
            to, 1000,
            static_cast<std::uint64_t>(std::max<std::int64_t>(options.lifetime->count(), 1)));
    if (options.priority)
        wire::append_number(to, 1001, static_cast<std::uint64_t>(*options.priority));
    if (options.reports) wire::append_number(to, 1002, *options.reports);
    if (options.crc_type) wire::append_number(to, 1003, *options.crc_type);
    if (options.hop_limit) wire::append_number(to, 1004, *options.hop_limit);
    if (options.bp_version) wire::append_number(to, 1005, *options.bp_version);
}

}  // namespace

std::string BundleId::to_string() const {
    return source + '/' + std::to_string(creation_ms) + '/' + std::to_string(sequence);
}

Sender::Sender(const Registration &registration, OnSent on_sent)
    : registration_(registration),
      on_sent_(std::move(on_sent)),
      sequence_(random_number() & 0x7fffffff) {}

// A time of its own makes a repeat recognisable; the numbers differ between processes.
BundleId Sender::next_id(const SendOptions &options, std::uint64_t now_ms) {
    last_ms_ = std::max(last_ms_, now_ms);
    const std::uint64_t unit_ms = options.bp_version == 6 ? kMsPerSecond : 1;
    return {options.source.empty() ? registration_.endpoint : options.source,
            last_ms_ - last_ms_ % unit_ms, ++sequence_};
}

std::uint64_t Sender::add(const Message &message, std::uint64_t payload_bytes,
                          std::uint64_t now_ms) {
    Pending pending;
    pending.id = message.options.id ? *message.options.id : next_id(message.options, now_ms);
    pending.payload = message.payload;
    pending.number = next_number_++;
    const BundleId &id = pending.id;
    if (fixed_ms_ != id.creation_ms || fixed_destination_ != message.destination ||
        fixed_source_ != id.source) {
        fixed_.clear();
        wire::append_text(fixed_, 1, id.source);
        wire::append_text(fixed_, 2, message.destination);
        wire::append_number(fixed_, 3, id.creation_ms);
        fixed_source_ = id.source;
        fixed_destination_ = message.destination;
        fixed_ms_ = id.creation_ms;
    }
    content_.assign(fixed_.begin(), fixed_.end());
    wire::append_number(content_, 4, id.sequence);
    wire::append_number(content_, 5, payload_bytes);
    append_options(content_, message.options);
    wire::append_message(pending.head, wire::kAdu, content_);
    pending_.push_back(std::move(pending));
    return pending_.back().number;
}

void Sender::give_up(const Error &error) {
    while (!pending_.empty()) {
        Pending pending = std::move(pending_.front());
        pending_.pop_front();
        on_sent_(pending.number, {std::move(pending.id), error});
    }
}

bool Sender::handle_message(Octets message, std::int64_t &) {
    const auto response = wire::read_response(message);
    if (!response || response->count == 0 || response->count > pending_.size()) return false;
    for (std::uint64_t answered = 0; answered < response->count; ++answered) {
        Pending pending = std::move(pending_.front());
        pending_.pop_front();
        Sent sent{std::move(pending.id), std::nullopt};
        if (response->status != wire::kSuccess) sent.error = wire::error_of(*response);
        on_sent_(pending.number, std::move(sent));
    }
    return true;
}

bool Sender::handle_payload(std::vector<std::uint8_t>) {
    return false;
}

}  // namespace farlink::client
