// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/transaction/receiver.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cfdp/core/transaction/acceptance.hpp"
#include "cfdp/core/transaction/nak_list.hpp"

namespace farlink::cfdp {
namespace {

PduHeader answer_to(PduHeader header, bool crc) {
    header.towards_sender = true;
    header.crc = crc;
    header.record_boundaries = false;
    return header;
}

}  // namespace

Receiver::Receiver(const PduHeader &first, const RemoteSettings &remote, EntityId local,
                   Filestore &filestore, TimePoint now)
    : header_(answer_to(first, remote.crc)),
      remote_(remote),
      local_(local),
      filestore_(&filestore) {
    inactivity_.start(remote_.inactivity_timeout, now);
    if (remote_.keep_alive_interval > Duration{} && !header_.unacknowledged)
        keep_alive_.start(remote_.keep_alive_interval, now);
}

bool Receiver::save_step(RequestStep step) {
    ReceiverState state{header_, metadata_, eof_, {}, step, ending_.name, requests_.responses()};
    state.header.towards_sender = false;
    return filestore_->save(header_.id, encode_state(state)).has_value();
}

std::optional<Receiver> Receiver::load(const ReceiverState &state, const RemoteSettings &remote,
                                       EntityId local, Filestore &filestore,
                                       std::unique_ptr<ArrivingCopy> copy, TimePoint now) {
    Receiver receiver(state.header, remote, local, filestore, now);
    if (state.metadata &&
        !take_options(state.metadata->options, receiver.requests_, receiver.remote_.handlers))
        return std::nullopt;
    receiver.metadata_ = state.metadata;
    receiver.eof_ = state.eof;
    // A state without a copy is one whose file has got its name, or of Metadata alone.
    if (!copy || state.requests != RequestStep::kBefore) {
        if (!state.metadata) return std::nullopt;
        const bool alone = !state.metadata->has_file();
        if (!receiver.eof_ && !alone) return std::nullopt;
        Outcome outcome{.complete = true, .name = state.name};
        outcome.status = alone ? FileStatus::kUnreported : FileStatus::kRetained;
        receiver.requests_.restore(state.responses);
        // A cut while requests ran leaves open which of them did.
        if (state.requests == RequestStep::kBefore)
            receiver.finish_or_request(std::move(outcome));
        else
            receiver.enter_finishing(std::move(outcome));
        return receiver;
    }
    receiver.file_.emplace(std::move(copy));
    if (!receiver.file_->load_state(state.file)) return std::nullopt;
    receiver.saved_at_ = receiver.file_->extents().octets();
    if (!receiver.eof_) return receiver;
    receiver.state_ = State::kAwaitData;
    receiver.try_finish(now);
    receiver.start_waiting(now);
    return receiver;
}

void Receiver::queue(const PduBody &body) {
    out_.push_back(encode_pdu(header_, body));
}

bool Receiver::handle(const Pdu &pdu, TimePoint now) {
    if (ended()) return false;
    // Section 4.6.1.2.4: a transaction has one mode.
    if (pdu.header.unacknowledged != header_.unacknowledged) {
        if (state_ < State::kNamed) fault(ConditionCode::kInvalidMode, now);
        return false;
    }
    // Section 4.10: any PDU shows that the sender is there.
    if (!suspended_ && state_ < State::kNamed) inactivity_.start(remote_.inactivity_timeout, now);
    const auto parts = [this] {
        return (file_ ? file_->extents().octets() : 0) + (metadata_ ? 1U : 0U) + (eof_ ? 1U : 0U);
    };
    const std::uint64_t before = parts();
    std::visit([&](const auto &body) { handle_body(body, now); }, pdu.body);
    return parts() != before;
}

bool Receiver::open_file(TimePoint now) {
    if (file_) return true;
    auto copy = filestore_->create(header_.id);
    if (!copy) {
        fault(ConditionCode::kFilestoreRejection, now);
        return false;
    }
    file_.emplace(std::move(*copy));
    if (metadata_) file_->choose(algorithm_of(metadata_->checksum_type).value_or(Algorithm::kNull));
    return true;
}

void Receiver::handle_body(const Metadata &metadata, TimePoint now) {
    if (metadata_ || state_ >= State::kNamed) return;
    const ConditionCode wrong = wrong_metadata(metadata, eof_, remote_, *filestore_);
    metadata_ = metadata;
    if (!take_options(metadata.options, requests_, remote_.handlers)) {
        fault(ConditionCode::kInvalidFileStructure, now);
        return;
    }
    if (wrong != ConditionCode::kNoError) {
        // What is not allowed stays so, whatever the handler.
        if (!fault(wrong, now)) cancel(wrong, now);
        return;
    }
    if (!algorithm_of(metadata.checksum_type) && fault(ConditionCode::kUnsupportedChecksum, now))
        return;
    if (file_) file_->choose(algorithm_of(metadata.checksum_type).value_or(Algorithm::kNull));
    // A state that was saved with EOF does not have the requests.
    if (!header_.unacknowledged && (eof_ || !metadata.has_file())) steps_.add(CommitStep::kSave);
    // Section 4.6.1: without a file Metadata is all there is.
    if (metadata.has_file()) return try_finish(now);
    steps_.add(CommitStep::kDeliver);
}

void Receiver::handle_body(const FileData &data, TimePoint now) {
    if (state_ >= State::kNamed || !open_file(now)) return;
    // Section 4.6.1.2.7: octets beyond the end.
    if (!fits(data.offset + data.data.size(), metadata_, eof_, remote_)) {
        fault(ConditionCode::kSizeError, now);
        return;
    }
    const std::uint64_t before = file_->progress();
    const std::uint64_t had = file_->extents().octets();
    if (!file_->write(data.offset, data.data)) {
        fault(ConditionCode::kFilestoreRejection, now);
        return;
    }
    if (header_.unacknowledged) return try_finish(now);
    note_gap(before, data.offset, now);
    const std::uint64_t has = file_->extents().octets();
    if (has >= saved_at_ + kSaveBytes) steps_.add(CommitStep::kSave);
    // NAKs wait until what they have brought has come.
    if (state_ == State::kAwaitData && has > had && !suspended_)
        timer_.start(remote_.nak_timeout, now);
    try_finish(now);
}

void Receiver::note_gap(std::uint64_t before, std::uint64_t offset, TimePoint now) {
    if (remote_.nak_mode != NakMode::kImmediate || suspended_) return;
    if (!metadata_ && !std::exchange(metadata_asked_, true)) queue(Nak{.requests = {{0, 0}}});
    if (offset <= before) return;
    queue_naks(before, offset);
    if (!timer_.running()) timer_.start(remote_.nak_timeout, now);
}

// Section 4.6.1.2.9.
void Receiver::handle_body(const Eof &eof, TimePoint now) {
    if (eof.condition != ConditionCode::kNoError && state_ < State::kNamed) return take_cancel(eof);
    const bool first = !eof_ && state_ == State::kReceiving;
    const std::uint64_t progress = file_ ? file_->progress() : 0;
    const bool contradicts =
        metadata_ && metadata_->file_size != 0 && metadata_->file_size != eof.file_size;
    if (first) eof_ = eof;
    if (first && !header_.unacknowledged) steps_.add(CommitStep::kSave);
    // It leaves once the state is on disk.
    if (!header_.unacknowledged)
        queue(Ack{Directive::kEof, eof.condition, TransactionStatus::kActive});
    if (!first) return;
    if (progress > eof.file_size || contradicts || eof.file_size > remote_.largest_file) {
        if (!fault(ConditionCode::kSizeError, now)) cancel(ConditionCode::kSizeError, now);
        return;
    }
    state_ = State::kAwaitData;
    try_finish(now);
    start_waiting(now);
}

void Receiver::start_waiting(TimePoint now) {
    if (state_ != State::kAwaitData || steps_.has(CommitStep::kDeliver)) return;
    tries_ = 0;
    if (header_.unacknowledged) {
        timer_.start(remote_.check_timeout, now);
    } else {
        queue_naks(0, eof_->file_size);
        timer_.start(remote_.nak_timeout, now);
    }
    if (suspended_) timer_.suspend(now);
}

// Section 4.11.2.3: the sender has cancelled.
void Receiver::take_cancel(const Eof &eof) {
    if (!header_.unacknowledged)
        queue(Ack{Directive::kEof, eof.condition, TransactionStatus::kTerminated});
    if (file_) file_->copy().discard();
    condition_ = eof.condition;
    ending_ = {.condition = eof.condition, .status = FileStatus::kDiscarded};
    end();
}

void Receiver::handle_body(const Ack &ack, TimePoint) {
    if (ack.of == Directive::kFinished && state_ == State::kFinishing && !header_.unacknowledged)
        end();
}

void Receiver::handle_body(const Prompt &prompt, TimePoint) {
    if (header_.unacknowledged || state_ >= State::kNamed || suspended_) return;
    const std::uint64_t progress = file_ ? file_->progress() : 0;
    if (prompt.keep_alive) return queue(KeepAlive{progress});
    queue_naks(0, eof_ ? eof_->file_size : progress);
}

void Receiver::try_finish(TimePoint now) {
    if (state_ != State::kAwaitData || steps_.has(CommitStep::kDeliver) || !metadata_ || !eof_)
        return;
    const files::Extent whole{0, eof_->file_size};
    if (whole.size() > 0 && (!file_ || !file_->extents().covers(whole))) return;
    if (!open_file(now)) return;
    const auto sum = file_->checksum(eof_->file_size);
    const bool null = !algorithm_of(metadata_->checksum_type) ||
                      algorithm_of(metadata_->checksum_type) == Algorithm::kNull;
    if (!null && sum != eof_->checksum && fault(ConditionCode::kChecksumFailure, now)) return;
    timer_.stop();
    steps_.add(CommitStep::kDeliver);
}

void Receiver::begin_commit(TimePoint now) {
    steps_.begin();
    if (!steps_.has_begun(CommitStep::kSave) || state_ >= State::kNamed) return;
    // Also for a state without octets: one without a copy is that of a file that has its name.
    const bool with_copy = !metadata_ || metadata_->has_file() || file_;
    if (with_copy && !open_file(now)) return reject(now);
    Bytes file;
    if (file_) file_->append_state(file);
    if (file_) saved_at_ = file_->extents().octets();
    ReceiverState state{header_, metadata_, eof_, file};
    state.header.towards_sender = false;
    to_save_ = encode_state(state);
}

void Receiver::perform(CommitStep step, TimePoint now) {
    if (!steps_.take(step) || ended() || state_ == State::kFinishing) return;
    switch (step) {
        case CommitStep::kSave:
            if (!(file_ ? file_->copy().save(to_save_) : filestore_->save(header_.id, to_save_)))
                reject(now);
            to_save_ = {};
            return;
        case CommitStep::kDeliver:
            return deliver(now);
        case CommitStep::kMark:
            steps_.add(CommitStep::kRun);
            if (!header_.unacknowledged && !save_step(RequestStep::kRunning)) reject(now);
            return;
        case CommitStep::kRun:
            requests_.run(header_.id.source, remote_.may, *filestore_);
            // Without it a restart reports them as not performed.
            if (!header_.unacknowledged) (void)save_step(RequestStep::kDone);
            return enter_finishing(ending_);
    }
}

void Receiver::reject(TimePoint now) {
    const bool named = state_ >= State::kNamed;
    for (const CommitStep each :
         {CommitStep::kSave, CommitStep::kDeliver, CommitStep::kMark, CommitStep::kRun})
        steps_.drop(each);
    if (named) {
        // Its name may be lost by a power cut: it is not reported as retained. Of others the end is
        // as it is.
        if (ending_.complete)
            enter_finishing({.condition = ConditionCode::kFilestoreRejection,
                             .status = FileStatus::kUnreported});
        return;
    }
    if (!fault(ConditionCode::kFilestoreRejection, now))
        cancel(ConditionCode::kFilestoreRejection, now);
}

void Receiver::deliver(TimePoint now) {
    Outcome outcome{.complete = true, .status = FileStatus::kRetained};
    if (!metadata_->destination_name.empty()) {
        auto name = file_->copy().finish(metadata_->destination_name);
        if (!name) {
            if (!fault(ConditionCode::kFilestoreRejection, now))
                cancel(ConditionCode::kFilestoreRejection, now);
            return;
        }
        outcome.name = std::move(*name);
    } else {
        outcome.status = FileStatus::kUnreported;
    }
    finish_or_request(std::move(outcome));
}

void Receiver::finish_or_request(Outcome outcome) {
    if (requests_.empty()) return enter_finishing(std::move(outcome));
    ending_ = std::move(outcome);
    state_ = State::kNamed;
    steps_.add(CommitStep::kMark);
    close();
}

// Thousands may wait for the confirmation of their ends: their files are not kept open.
void Receiver::close() {
    steps_.drop(CommitStep::kSave);
    steps_.drop(CommitStep::kDeliver);
    condition_ = ending_.condition;
    suspended_ = false;
    timer_.stop();
    inactivity_.stop();
    keep_alive_.stop();
    if (file_) repeated_ = file_->repeated();
    file_.reset();
}

void Receiver::enter_finishing(Outcome outcome) {
    requests_.close();
    outcome.responses = requests_.responses();
    ending_ = std::move(outcome);
    state_ = State::kFinishing;
    close();
    tries_ = 0;
    const bool answers = !header_.unacknowledged || (metadata_ && metadata_->closure_requested);
    if (!answers) return end();
    Finished finished{
        .condition = ending_.condition, .incomplete = !ending_.complete, .status = ending_.status};
    for (const FilestoreResponse &each : ending_.responses)
        finished.filestore_responses.push_back(encode_filestore_response(each));
    if (ending_.condition != ConditionCode::kNoError) finished.fault_location = local_;
    finished_pdu_ = encode_pdu(header_, finished);
    finished_due_ = true;
}

std::optional<Bytes> Receiver::poll_pdu(TimePoint now) {
    if (!out_.empty()) {
        Bytes octets = std::move(out_.front());
        out_.pop_front();
        return octets;
    }
    if (ended() || !std::exchange(finished_due_, false)) return std::nullopt;
    if (header_.unacknowledged)
        end();
    else
        timer_.start(remote_.ack_timeout, now);
    return finished_pdu_;
}

void Receiver::queue_naks(std::uint64_t from, std::uint64_t to) {
    const files::Extent scope{from, std::max(from, to)};
    const auto gaps = file_ ? file_->extents().missing(scope) : std::vector<files::Extent>{scope};
    for (const Nak &nak : make_naks(scope, gaps, !metadata_, header_, remote_.pdu_bytes))
        queue(nak);
    naked_progress_ = file_ ? file_->extents().octets() : 0;
}

TimePoint Receiver::next_timeout() const {
    if (ended()) return kNever;
    return std::min({timer_.at(), inactivity_.at(), keep_alive_.at()});
}

void Receiver::handle_timeout(TimePoint now) {
    if (ended() || suspended_) return;
    if (keep_alive_.due(now)) {
        queue(KeepAlive{file_ ? file_->progress() : 0});
        keep_alive_.start(remote_.keep_alive_interval, now);
    }
    if (inactivity_.due(now)) {
        inactivity_.stop();
        if (!fault(ConditionCode::kInactivity, now))
            inactivity_.start(remote_.inactivity_timeout, now);
        return;
    }
    if (timer_.due(now)) {
        timer_.stop();
        handle_state_timeout(now);
    }
}

void Receiver::handle_state_timeout(TimePoint now) {
    if (state_ == State::kFinishing) {
        // Section 4.7.2: Finished again, until the limit.
        if (++tries_ <= remote_.ack_limit) {
            finished_due_ = true;
            return;
        }
        // The file is what it is; only the sender has not confirmed it.
        ending_.abandoned = true;
        return end();
    }
    const std::uint64_t has = file_ ? file_->extents().octets() : 0;
    if (header_.unacknowledged) {
        // Section 4.6.3.3: the file is looked at again, until the limit.
        if (++tries_ < remote_.check_limit || !fault(ConditionCode::kCheckLimit, now))
            timer_.start(remote_.check_timeout, now);
        return;
    }
    tries_ = has > naked_progress_ ? 1 : tries_ + 1;
    if (tries_ > remote_.nak_limit) {
        tries_ = 0;
        if (fault(ConditionCode::kNakLimit, now)) return;
    }
    queue_naks(0, eof_ ? eof_->file_size : (file_ ? file_->progress() : 0));
    timer_.start(remote_.nak_timeout, now);
}

bool Receiver::fault(ConditionCode condition, TimePoint now) {
    condition_ = condition;
    switch (remote_.handlers[static_cast<std::size_t>(condition)]) {
        case FaultHandler::kCancel:
            cancel(condition, now);
            return true;
        case FaultHandler::kSuspend:
            suspend(now);
            return true;
        case FaultHandler::kAbandon:
            if (file_) file_->copy().discard();
            ending_ = {.condition = condition, .status = FileStatus::kDiscarded, .abandoned = true};
            end();
            return true;
        case FaultHandler::kIgnore:
            break;
    }
    condition_ = ConditionCode::kNoError;
    return false;
}

void Receiver::cancel(ConditionCode why, TimePoint now) {
    if (state_ >= State::kNamed) return;
    if (suspended_) resume(now);
    if (file_) file_->copy().discard();
    const bool rejected = why == ConditionCode::kFilestoreRejection;
    enter_finishing(
        {.condition = why, .status = rejected ? FileStatus::kRejected : FileStatus::kDiscarded});
}

void Receiver::give_up(TimePoint now) {
    if (state_ != State::kFinishing) return cancel(ConditionCode::kCancelRequested, now);
    ending_.abandoned = true;
    end();
}

void Receiver::suspend(TimePoint now) {
    if (suspended_ || state_ >= State::kNamed) return;
    suspended_ = true;
    timer_.suspend(now);
    inactivity_.suspend(now);
    keep_alive_.suspend(now);
}

void Receiver::resume(TimePoint now) {
    if (!std::exchange(suspended_, false) || ended()) return;
    condition_ = ConditionCode::kNoError;
    timer_.resume(now);
    inactivity_.resume(now);
    keep_alive_.resume(now);
    if (state_ == State::kAwaitData && !timer_.running()) {
        try_finish(now);
        start_waiting(now);
    }
    if (!inactivity_.running()) inactivity_.start(remote_.inactivity_timeout, now);
}

void Receiver::end() {
    state_ = State::kEnded;
    outcome_ = ending_;
    finished_due_ = false;
    close();
}

Report Receiver::report() const {
    constexpr std::string_view kNames[] = {"receiving", "awaiting data", "running requests",
                                           "finishing", "ended"};
    Report report{.id = header_.id,
                  .remote = header_.id.source,
                  .acknowledged = !header_.unacknowledged,
                  .suspended = suspended_,
                  .state = std::string(kNames[static_cast<std::size_t>(state_)]),
                  .condition = outcome_ ? outcome_->condition : condition_,
                  .outcome = outcome_};
    if (metadata_) {
        report.source_name = metadata_->source_name;
        report.destination_name = metadata_->destination_name;
        report.file_size = metadata_->file_size;
        report.messages = messages_in(metadata_->options);
    }
    if (eof_) report.file_size = eof_->file_size;
    if (file_) report.progress = file_->extents().octets();
    if (ending_.complete) report.progress = report.file_size;
    report.repeated = file_ ? file_->repeated() : repeated_;
    return report;
}

}  // namespace farlink::cfdp
