// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/transaction/sender.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace farlink::cfdp {
namespace {

constexpr std::uint64_t kLargestSmallFile = 0xffffffffULL;

PduHeader header_of(const TransactionId &id, const PutRequest &request,
                    const RemoteSettings &remote, std::uint64_t size) {
    return {.unacknowledged = !request.acknowledged,
            .crc = remote.crc,
            .large_file = size > kLargestSmallFile,
            .id = id,
            .destination = request.destination,
            .entity_bytes = std::max(bytes_for(id.source), bytes_for(request.destination)),
            .sequence_bytes = bytes_for(id.sequence)};
}

}  // namespace

Sender::Sender(TransactionId id, PutRequest request, const RemoteSettings &remote,
               std::unique_ptr<SourceFile> file)
    : header_(header_of(id, request, remote, file ? file->size() : 0)),
      request_(std::move(request)),
      remote_(remote),
      file_(std::move(file)),
      size_(file_ ? file_->size() : 0),
      checksum_(request_.checksum) {}

void Sender::handle(const Pdu &pdu, TimePoint now) {
    if (ended()) return;
    // Section 4.6.4: any PDU of the receiver shows that it is there.
    if (state_ == State::kAwaitFinished && request_.acknowledged && !suspended_)
        timer_.start(remote_.inactivity_timeout, now);
    std::visit([&](const auto &body) { handle_body(body, now); }, pdu.body);
}

// Section 4.7.1: the positive acknowledgement of EOF.
void Sender::handle_body(const Ack &ack, TimePoint now) {
    if (ack.of != Directive::kEof) return;
    if (state_ == State::kCancelling)
        return end({.condition = condition_, .status = FileStatus::kUnreported});
    if (state_ != State::kAwaitAck) return;
    state_ = State::kAwaitFinished;
    timer_.start(remote_.inactivity_timeout, now);
    if (suspended_) timer_.suspend(now);
}

void Sender::handle_body(const Finished &finished, TimePoint) {
    finished_ = {.condition = finished.condition,
                 .complete = !finished.incomplete,
                 .status = finished.status};
    for (const Bytes &each : finished.filestore_responses)
        if (auto response = decode_filestore_response(each))
            finished_.responses.push_back(std::move(*response));
    if (header_.unacknowledged) return end(finished_);
    reply_ = Ack{Directive::kFinished, finished.condition, TransactionStatus::kActive};
    state_ = State::kAcknowledging;
    timer_.stop();
}

// Section 4.6.4.2: what is requested is sent again, before what was never sent.
void Sender::handle_body(const Nak &nak, TimePoint) {
    if (header_.unacknowledged || state_ == State::kCancelling || state_ == State::kAcknowledging)
        return;
    for (const SegmentRequest &request : nak.requests) request_again(request);
}

void Sender::request_again(const SegmentRequest &request) {
    if (request.begin == 0 && request.end == 0) {
        metadata_due_ = true;
        return;
    }
    if (again_.count() >= kMostRequests) return;
    again_.add({request.begin, std::min(request.end, next_)});
}

void Sender::handle_body(const KeepAlive &keep_alive, TimePoint now) {
    if (remote_.keep_alive_discrepancy == 0 || state_ != State::kSending) return;
    if (next_ > keep_alive.progress && next_ - keep_alive.progress > remote_.keep_alive_discrepancy)
        fault(ConditionCode::kKeepAliveLimit, now);
}

std::optional<Bytes> Sender::poll_reply() {
    if (!reply_) return std::nullopt;
    Bytes octets = encode(*std::exchange(reply_, std::nullopt));
    if (state_ == State::kAcknowledging) end(finished_);
    return octets;
}

std::optional<Bytes> Sender::poll_pdu(TimePoint now) {
    if (ended()) return std::nullopt;
    if (auto reply = poll_reply()) return reply;
    if (suspended_) return std::nullopt;
    if (state_ != State::kCancelling) {
        if (std::exchange(metadata_due_, false)) return send_metadata();
        if (prompt_) return encode(*std::exchange(prompt_, std::nullopt));
        if (auto data = poll_data(now)) return data;
    }
    // A fault of reading has led to another state.
    if (ended() || suspended_) return std::nullopt;
    if (eof_due_) return send_eof(now);
    return std::nullopt;
}

std::size_t Sender::size_of_next(std::uint64_t offset, std::uint64_t end) const {
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(end - offset, std::max<std::size_t>(remote_.segment_bytes, 1)));
}

std::optional<Bytes> Sender::poll_data(TimePoint now) {
    if (!again_.empty()) {
        const files::Extent first = again_.first();
        const std::size_t size = size_of_next(first.begin, first.end);
        again_.remove({first.begin, first.begin + size});
        repeated_ += size;
        return read_data(first.begin, size, now);
    }
    if (state_ != State::kSending || eof_due_) return std::nullopt;
    if (next_ == size_) {
        // Metadata alone has no EOF; class 2 sends one so that lost Metadata is requested.
        if (!file_ && !request_.acknowledged)
            enter_after_eof(now);
        else
            eof_due_ = true;
        return std::nullopt;
    }
    const std::size_t size = size_of_next(next_, size_);
    return read_data(next_, size, now);
}

std::optional<Bytes> Sender::read_data(std::uint64_t offset, std::size_t size, TimePoint now) {
    const auto data = file_->read(offset, size);
    if (!data) {
        // What cannot be read cannot be left out either.
        if (!fault(ConditionCode::kFilestoreRejection, now))
            cancel(ConditionCode::kFilestoreRejection, now);
        return std::nullopt;
    }
    if (offset == next_) {
        checksum_.add(offset, *data);
        next_ += size;
        if (next_ == size_) eof_due_ = true;
    }
    return encode(FileData{.offset = offset, .data = *data});
}

Bytes Sender::send_metadata() {
    return encode(Metadata{.closure_requested = request_.closure && !request_.acknowledged,
                           .checksum_type = static_cast<std::uint8_t>(request_.checksum),
                           .file_size = size_,
                           .source_name = request_.source_name,
                           .destination_name = request_.destination_name,
                           .options = request_.options});
}

Bytes Sender::send_eof(TimePoint now) {
    eof_due_ = false;
    Eof eof{.condition = condition_,
            .checksum = checksum_.value(next_).value_or(0),
            .file_size = next_};
    if (condition_ != ConditionCode::kNoError) eof.fault_location = header_.id.source;
    Bytes octets = encode(eof);
    enter_after_eof(now);
    return octets;
}

void Sender::enter_after_eof(TimePoint now) {
    if (request_.acknowledged) {
        if (state_ == State::kSending) state_ = State::kAwaitAck;
        timer_.start(remote_.ack_timeout, now);
    } else if (state_ == State::kCancelling) {
        end({.condition = condition_});
    } else if (request_.closure) {
        state_ = State::kAwaitFinished;
        timer_.start(remote_.check_timeout, now);
    } else {
        end({.complete = true});
    }
}

TimePoint Sender::next_timeout() const {
    return ended() ? kNever : timer_.at();
}

void Sender::handle_timeout(TimePoint now) {
    if (ended() || suspended_ || !timer_.due(now)) return;
    timer_.stop();
    if (state_ == State::kAwaitAck || state_ == State::kCancelling) {
        // Section 4.7.2: EOF again, until the limit.
        if (++tries_ <= remote_.ack_limit) {
            eof_due_ = true;
            return;
        }
        if (state_ == State::kCancelling) return end({.condition = condition_, .abandoned = true});
        if (!fault(ConditionCode::kPositiveAckLimit, now)) eof_due_ = true;
        tries_ = 0;
        return;
    }
    if (state_ != State::kAwaitFinished) return;
    if (request_.acknowledged) {
        if (!fault(ConditionCode::kInactivity, now)) timer_.start(remote_.inactivity_timeout, now);
        return;
    }
    // Class 1 with closure: the receiver has not answered in time.
    if (++tries_ < remote_.check_limit) return timer_.start(remote_.check_timeout, now);
    tries_ = 0;
    if (!fault(ConditionCode::kCheckLimit, now)) timer_.start(remote_.check_timeout, now);
}

bool Sender::fault(ConditionCode condition, TimePoint now) {
    condition_ = condition;
    switch (remote_.handlers[static_cast<std::size_t>(condition)]) {
        case FaultHandler::kCancel:
            cancel(condition, now);
            return true;
        case FaultHandler::kSuspend:
            suspend(now);
            return true;
        case FaultHandler::kAbandon:
            end({.condition = condition, .abandoned = true});
            return true;
        case FaultHandler::kIgnore:
            break;
    }
    condition_ = ConditionCode::kNoError;
    return false;
}

// Section 4.11.2.2: EOF with the condition; class 2 awaits its acknowledgement.
void Sender::cancel(ConditionCode why, TimePoint now) {
    if (ended() || state_ == State::kCancelling || state_ == State::kAcknowledging) return;
    if (suspended_) resume(now);
    condition_ = why;
    state_ = State::kCancelling;
    tries_ = 0;
    timer_.stop();
    eof_due_ = true;
    // No more of it is sent.
    file_.reset();
    request_.content.reset();
}

void Sender::suspend(TimePoint now) {
    if (ended() || suspended_ || state_ == State::kCancelling) return;
    suspended_ = true;
    timer_.suspend(now);
}

void Sender::resume(TimePoint now) {
    if (!std::exchange(suspended_, false)) return;
    if (!ended() && state_ != State::kCancelling) condition_ = ConditionCode::kNoError;
    timer_.resume(now);
    // The fault that has suspended it had stopped the timer.
    if (state_ == State::kAwaitAck && !timer_.running()) eof_due_ = true;
    if (state_ == State::kAwaitFinished && !timer_.running())
        timer_.start(request_.acknowledged ? remote_.inactivity_timeout : remote_.check_timeout,
                     now);
}

void Sender::end(Outcome outcome) {
    outcome_ = std::move(outcome);
    state_ = State::kEnded;
    timer_.stop();
    file_.reset();
}

Report Sender::report() const {
    constexpr std::string_view kNames[] = {"sending",           "awaiting ACK of EOF",
                                           "awaiting Finished", "acknowledging",
                                           "cancelling",        "ended"};
    return {.id = header_.id,
            .remote = request_.destination,
            .sending = true,
            .acknowledged = request_.acknowledged,
            .suspended = suspended_,
            .state = std::string(kNames[static_cast<std::size_t>(state_)]),
            .source_name = request_.source_name,
            .destination_name = request_.destination_name,
            .file_size = size_,
            .progress = next_,
            .repeated = repeated_,
            .condition = outcome_ ? outcome_->condition : condition_,
            .messages = messages_in(request_.options),
            .outcome = outcome_};
}

}  // namespace farlink::cfdp
