// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <farlink/client/session.hpp>
#include "clients/cpp/src/wire.hpp"

namespace farlink::client {
namespace {

constexpr std::uint64_t kStatusReportFlag = 3;
/// What no node gives.
constexpr std::uint64_t kLargestPayload = std::uint64_t{1} << 40;

/// Empty for a bundle without a source, which has no identity.
std::string key_of(const Adu &adu) {
    if (adu.source.empty() || adu.source == "dtn:none") return {};
    std::string key = adu.source;
    const std::uint64_t numbers[] = {adu.creation_ms, adu.sequence};
    key.append(reinterpret_cast<const char *>(numbers), sizeof numbers);
    return key;
}

bool has_flag(const wire::Field &field, std::uint64_t flag) {
    if (!field.has_octets) return field.value == flag;
    Octets left = field.octets;
    while (!left.empty()) {
        const wire::Varint read = wire::read_varint(left);
        if (read.size == 0) return false;
        if (read.value == flag) return true;
        left = left.subspan(read.size);
    }
    return false;
}

/// False: malformed.
bool read_adu(Octets octets, Adu &adu, std::int64_t &payload_bytes) {
    wire::FieldReader reader(octets);
    std::uint64_t size = 0;
    while (const auto field = reader.next()) {
        switch (field->number) {
            case 1:
                adu.source = text_of(field->octets);
                break;
            case 2:
                adu.destination = text_of(field->octets);
                break;
            case 3:
                adu.creation_ms = field->value;
                break;
            case 4:
                adu.sequence = field->value;
                break;
            case 5:
                size = field->value;
                break;
            case 6:
                adu.is_status_report |= has_flag(*field, kStatusReportFlag);
                break;
            case 7:
                adu.report_to = text_of(field->octets);
                break;
            case 1010:
                adu.previous_node = field->value;
                break;
            case 1011:
                adu.hop_count = field->value;
                break;
            case 1012:
                adu.hop_limit = field->value;
                break;
            case 1013:
                adu.age_ms = field->value;
                break;
            case 1014:
                adu.repeated = field->value != 0;
                break;
            default:
                break;
        }
    }
    payload_bytes = static_cast<std::int64_t>(size);
    return !reader.failed() && size <= kLargestPayload;
}

}  // namespace

void Receiver::handle_lost() {
    given_.clear();
    has_arriving_ = false;
    for (auto &[number, held] : held_) held.given = 0;
}

bool Receiver::handle_message(Octets message, std::int64_t &payload_bytes) {
    wire::FieldReader reader(message);
    while (const auto field = reader.next()) {
        if (field->number == wire::kKeepAlive) given_.push_back({next_number_++, true, true});
        if (field->number != wire::kAdu || !field->has_octets) continue;
        arriving_ = Adu();
        has_arriving_ = true;
        if (!read_adu(field->octets, arriving_, payload_bytes)) return false;
    }
    return !reader.failed();
}

bool Receiver::handle_payload(std::vector<std::uint8_t> payload) {
    if (!std::exchange(has_arriving_, false)) return false;
    const std::uint64_t number = next_number_++;
    given_.push_back({number, false, false});
    std::string key = key_of(arriving_);
    if (!key.empty() && is_repeat(key, number)) return true;
    arriving_.payload = std::move(payload);
    arriving_.number = number;
    if (!key.empty()) by_key_[key] = number;
    held_[number] = {std::move(key), number};
    arrived_.push_back(std::move(arriving_));
    return true;
}

/// It is accepted, or the application holds it.
bool Receiver::is_repeat(const std::string &key, std::uint64_t given) {
    if (recent_.contains(key)) {
        given_.back().accepted = true;
        return true;
    }
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return false;
    held_[found->second].given = given;
    return true;
}

void Receiver::accept(const Adu &adu) {
    const auto found = held_.find(adu.number);
    if (found == held_.end()) return;
    Held held = std::move(found->second);
    held_.erase(found);
    if (held.given != 0) accept_given(held.given);
    if (held.key.empty()) return;
    by_key_.erase(held.key);
    remember(std::move(held.key));
}

void Receiver::accept_given(std::uint64_t number) {
    const auto found = std::ranges::lower_bound(given_, number, {}, &Given::number);
    if (found != given_.end() && found->number == number) found->accepted = true;
}

void Receiver::remember(std::string key) {
    if (!recent_.insert(key).second) return;
    recent_order_.push_back(std::move(key));
    if (recent_order_.size() <= kMostRecent) return;
    recent_.erase(recent_order_.front());
    recent_order_.pop_front();
}

std::vector<std::uint8_t> Receiver::take_answers() {
    wire::Buffer answers;
    std::uint64_t count = 0;
    const auto flush = [&] {
        if (count != 0) wire::append_response(answers, wire::kSuccess, count);
        count = 0;
    };
    for (; !given_.empty() && given_.front().accepted; given_.pop_front()) {
        if (given_.front().keepalive) {
            flush();
            wire::append_response(answers, wire::kAck, 1);
            continue;
        }
        ++count;
        if (registration_.window <= 1) flush();
    }
    flush();
    return answers;
}

}  // namespace farlink::client
