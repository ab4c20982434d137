// SPDX-License-Identifier: Apache-2.0
#include <farlink/client/session.hpp>
#include "clients/cpp/src/received_ids.hpp"
#include "clients/cpp/src/wire.hpp"

namespace farlink::client {
namespace {

constexpr std::uint64_t kStatusReportFlag = 3;
/// What no node gives.
constexpr std::uint64_t kLargestPayload = std::uint64_t{1} << 40;

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

Receiver::Receiver(const Registration &registration)
    : registration_(registration), ids_(std::make_unique<ReceivedIds>()) {}

Receiver::~Receiver() = default;

void Receiver::handle_lost() {
    first_given_ += given_.size();
    given_.clear();
    has_arriving_ = false;
    for (Held &held : held_) held.given = 0;
}

bool Receiver::handle_message(Octets message, std::int64_t &payload_bytes) {
    wire::FieldReader reader(message);
    while (const auto field = reader.next()) {
        if (field->number == wire::kKeepAlive) given_.push_back({true, true});
        if (field->number != wire::kAdu || !field->has_octets) continue;
        arriving_ = Adu();
        has_arriving_ = true;
        if (!read_adu(field->octets, arriving_, payload_bytes)) return false;
    }
    return !reader.failed();
}

bool Receiver::handle_payload(std::vector<std::uint8_t> payload) {
    if (!std::exchange(has_arriving_, false)) return false;
    const std::uint64_t given = first_given_ + given_.size();
    given_.push_back({});
    const std::uint64_t key = ids_->key_of(arriving_);
    if (key != 0 && is_repeat(key, given)) return true;
    arriving_.payload = std::move(payload);
    arriving_.number = first_held_ + held_.size();
    if (key != 0) ids_->hold(key, arriving_.number);
    held_.push_back({key, given, false});
    arrived_.push_back(std::move(arriving_));
    return true;
}

/// It is accepted, or the application holds it.
bool Receiver::is_repeat(std::uint64_t key, std::uint64_t given) {
    const std::uint64_t *const number = ids_->find(key);
    if (number == nullptr) return false;
    Held *const held = *number == ReceivedIds::kAccepted ? nullptr : &held_[*number - first_held_];
    // Behind one of this connection its answer is behind that one's, too.
    if (held == nullptr || held->given != 0)
        given_.back().accepted = true;
    else
        held->given = given;
    return true;
}

void Receiver::accept(const Adu &adu) {
    if (adu.number < first_held_ || adu.number - first_held_ >= held_.size()) return;
    Held &held = held_[adu.number - first_held_];
    if (std::exchange(held.accepted, true)) return;
    if (held.given != 0) accept_given(held.given);
    if (held.key != 0) ids_->accept(held.key);
    for (; !held_.empty() && held_.front().accepted; ++first_held_) held_.pop_front();
}

void Receiver::accept_given(std::uint64_t number) {
    if (number >= first_given_ && number - first_given_ < given_.size())
        given_[number - first_given_].accepted = true;
}

std::vector<std::uint8_t> Receiver::take_answers() {
    wire::Buffer answers;
    std::uint64_t count = 0;
    const auto flush = [&] {
        if (count != 0) wire::append_response(answers, wire::kSuccess, count);
        count = 0;
    };
    for (; !given_.empty() && given_.front().accepted; given_.pop_front(), ++first_given_) {
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
