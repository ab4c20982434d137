// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/core/stream_table.hpp"

namespace farlink::bptunnel {

using Type = StreamEvent::Type;

Stream *StreamTable::find(std::uint32_t stream) {
    const auto found = streams_.find(stream);
    return found == streams_.end() ? nullptr : &found->second;
}

const Stream *StreamTable::find(std::uint32_t stream) const {
    const auto found = streams_.find(stream);
    return found == streams_.end() ? nullptr : &found->second;
}

std::uint32_t StreamTable::open(TimePoint now, Bytes &out) {
    const std::uint32_t number = next_stream_++;
    Stream &stream = streams_.try_emplace(number, limits_.window, now).first->second;
    stream.set_open();
    append_message(out, {.type = MessageType::kOpen, .stream = number, .offset = stream.granted()});
    return number;
}

std::vector<StreamEvent> StreamTable::take(ByteView messages, TimePoint now, Bytes &out) {
    std::vector<StreamEvent> events;
    MessageReader reader(messages);
    while (const auto message = reader.next()) take_one(*message, now, out, events);
    if (reader.failed()) ++faults_.faults;
    return events;
}

void StreamTable::take_one(const Message &message, TimePoint now, Bytes &out,
                           std::vector<StreamEvent> &events) {
    Stream *const stream = find_or_add(message, now, out);
    if (stream == nullptr) return;
    if (message.type == MessageType::kReset) {
        if (stream->open()) events.push_back({Type::kReset, message.stream});
        close(message.stream);
        return;
    }
    stream->set_active(now);
    if (!apply(*stream, message, out, events)) fault(message, out, events);
}

// A message may overtake the one that opens its stream.
Stream *StreamTable::find_or_add(const Message &message, TimePoint now, Bytes &out) {
    if (Stream *const stream = find(message.stream); stream != nullptr) return stream;
    if (opens_ || message.type == MessageType::kCredit || !known_.add(message.stream)) {
        ++faults_.ignored;
        return nullptr;
    }
    if (message.type == MessageType::kReset) return nullptr;
    if (full()) {
        ++faults_.refused;
        append_message(out, {.type = MessageType::kReset,
                             .stream = message.stream,
                             .reason = ResetReason::kTooMany});
        return nullptr;
    }
    return &streams_.try_emplace(message.stream, limits_.window, now).first->second;
}

bool StreamTable::apply(Stream &stream, const Message &message, Bytes &out,
                        std::vector<StreamEvent> &events) {
    switch (message.type) {
        case MessageType::kOpen:
            stream.take_credit(message.offset);
            if (stream.open()) return true;
            stream.set_open();
            append_message(out, {.type = MessageType::kCredit,
                                 .stream = message.stream,
                                 .offset = stream.granted()});
            events.push_back({Type::kOpened, message.stream});
            return true;
        case MessageType::kData:
            if (!stream.take(message.offset, message.octets)) return false;
            break;
        case MessageType::kEnd:
            if (!stream.take_end(message.offset)) return false;
            break;
        case MessageType::kCredit:
            stream.take_credit(message.offset);
            break;
        case MessageType::kReset:
            break;
    }
    if (stream.open()) events.push_back({Type::kMoved, message.stream});
    return true;
}

void StreamTable::fault(const Message &message, Bytes &out, std::vector<StreamEvent> &events) {
    ++faults_.faults;
    if (find(message.stream)->open()) events.push_back({Type::kReset, message.stream});
    reset(message.stream, ResetReason::kFault, out);
}

void StreamTable::send(std::uint32_t number, ByteView octets, TimePoint now, Bytes &out) {
    Stream *const stream = find(number);
    if (stream == nullptr) return;
    stream->set_active(now);
    append_message(out, {.type = MessageType::kData,
                         .stream = number,
                         .offset = stream->sending(octets.size()),
                         .octets = octets});
}

void StreamTable::send_end(std::uint32_t number, Bytes &out) {
    Stream *const stream = find(number);
    if (stream == nullptr || stream->end_sent()) return;
    stream->set_end_sent();
    append_message(out,
                   {.type = MessageType::kEnd, .stream = number, .offset = stream->sending(0)});
}

Bytes StreamTable::take_ready(std::uint32_t number) {
    Stream *const stream = find(number);
    return stream == nullptr ? Bytes() : stream->take_ready();
}

void StreamTable::used(std::uint32_t number, std::size_t bytes, TimePoint now, Bytes &out) {
    Stream *const stream = find(number);
    if (stream == nullptr) return;
    stream->set_active(now);
    if (const auto credit = stream->used(bytes))
        append_message(out, {.type = MessageType::kCredit, .stream = number, .offset = *credit});
}

std::uint64_t StreamTable::may_send(std::uint32_t number) const {
    const Stream *const stream = find(number);
    return stream == nullptr ? 0 : stream->may_send();
}

bool StreamTable::ended(std::uint32_t number) const {
    const Stream *const stream = find(number);
    return stream != nullptr && stream->ended() && !stream->has_ready();
}

void StreamTable::reset(std::uint32_t number, ResetReason reason, Bytes &out) {
    if (streams_.erase(number) == 0) return;
    append_message(out, {.type = MessageType::kReset, .stream = number, .reason = reason});
}

std::vector<StreamEvent> StreamTable::expire(TimePoint now, Bytes &out) {
    std::vector<StreamEvent> events;
    std::vector<std::uint32_t> expired;
    for (const auto &[number, stream] : streams_) {
        if (now - stream.active() < (stream.open() ? limits_.idle : limits_.opening)) continue;
        expired.push_back(number);
        if (stream.open()) events.push_back({Type::kReset, number});
    }
    for (const std::uint32_t number : expired) reset(number, ResetReason::kIdle, out);
    faults_.idle += expired.size();
    return events;
}

std::vector<std::uint32_t> StreamTable::clear() {
    std::vector<std::uint32_t> open;
    for (const auto &[number, stream] : streams_)
        if (stream.open()) open.push_back(number);
    streams_.clear();
    known_.clear();
    return open;
}

}  // namespace farlink::bptunnel
