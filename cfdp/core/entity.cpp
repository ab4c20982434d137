// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/entity.hpp"

#include <algorithm>
#include <utility>

namespace farlink::cfdp {
namespace {

constexpr std::size_t kLongestName = 255;
/// Answers that wait for the lower layer; a sender repeats what was not answered.
constexpr std::size_t kMostReplies = 1'000;
/// They fit into one Metadata PDU.
constexpr std::size_t kMostOptionBytes = 60'000;
constexpr std::size_t kTlvHead = 2;
/// Kept of what others have sent, for operators.
constexpr std::size_t kMostKept = 16;

/// What is in memory already.
class GivenSource final : public SourceFile {
public:
    explicit GivenSource(Bytes content) : content_(std::move(content)) {}
    std::uint64_t size() const override { return content_.size(); }
    Result<Bytes, FileFault> read(std::uint64_t offset, std::size_t size) override {
        const ByteView part = ByteView(content_).subspan(static_cast<std::size_t>(offset), size);
        return Bytes(part.begin(), part.end());
    }

private:
    Bytes content_;
};

std::string wrong_request(const PutRequest &request) {
    const bool named = !request.source_name.empty() && !request.destination_name.empty();
    const bool alone = request.source_name.empty() && request.destination_name.empty();
    if (!named && !(alone && !request.options.empty())) return "a name is empty";
    if (request.source_name.size() > kLongestName || request.destination_name.size() > kLongestName)
        return "a name has more than 255 bytes";
    std::size_t size = 0;
    for (const Tlv &each : request.options) {
        if (each.value.size() > kLongestName)
            return "a message or filestore request has more than 255 bytes";
        size += each.value.size() + kTlvHead;
    }
    return size > kMostOptionBytes ? "too many messages and filestore requests" : "";
}

}  // namespace

Result<TransactionId, std::string> Entity::put(const PutRequest &request, std::uint64_t sequence) {
    const auto remote = remotes_.find(request.destination);
    if (remote == remotes_.end())
        return fail("entity " + std::to_string(request.destination) + " is not configured");
    if (request.destination == options_.local)
        return fail(std::string("the destination is this entity"));
    if (std::string wrong = wrong_request(request); !wrong.empty()) return fail(std::move(wrong));
    if (senders_.size() >= options_.most_sending)
        return fail(std::string("too many transactions in progress"));
    auto file = open_source(request);
    if (!file) return fail(file.error());
    const TransactionId id{options_.local, sequence};
    senders_.emplace(id, Sender(id, request, remote->second, std::move(*file)));
    mark_ready(true, id, request.destination);
    return id;
}

Result<std::unique_ptr<SourceFile>, std::string> Entity::open_source(const PutRequest &request) {
    if (request.source_name.empty()) return nullptr;
    if (request.content) return std::make_unique<GivenSource>(*request.content);
    auto file = filestore_.open(request.source_name);
    if (!file) return fail("cannot read " + request.source_name);
    return std::move(*file);
}

std::optional<Receiver> Entity::load(const ReceiverState &state, std::unique_ptr<ArrivingCopy> copy,
                                     TimePoint now) {
    const auto remote = remotes_.find(state.header.id.source);
    if (remote == remotes_.end() || state.header.destination != options_.local) return std::nullopt;
    return Receiver::load(state, remote->second, options_.local, filestore_, std::move(copy), now);
}

void Entity::restore(Receiver receiver) {
    const TransactionId id = receiver.id();
    note_due(id, receivers_.emplace(id, std::move(receiver)).first->second);
    mark_ready(false, id, id.source);
    remove_ended(false, id);
}

void Entity::mark_ready(bool sending, const TransactionId &id, EntityId remote) {
    auto &queue = ready_[remote];
    const bool is_last = !queue.empty() && queue.back().sending == sending && queue.back().id == id;
    if (!is_last) queue.push_back({sending, id});
}

void Entity::handle_pdu(ByteView octets, EntityId from, TimePoint now) {
    ++counters_.received;
    const auto pdu = decode_pdu(octets);
    if (!pdu) {
        ++counters_.malformed[static_cast<std::size_t>(pdu.error())];
        return;
    }
    const PduHeader &header = pdu->header;
    if (from != (header.towards_sender ? header.destination : header.id.source)) {
        ++counters_.not_ours;
        return;
    }
    if (header.towards_sender)
        handle_for_sender(*pdu, now);
    else
        handle_for_receiver(*pdu, now);
}

void Entity::handle_for_sender(const Pdu &pdu, TimePoint now) {
    const TransactionId &id = pdu.header.id;
    const auto found = senders_.find(id);
    if (found != senders_.end() && found->second.remote() == pdu.header.destination) {
        found->second.handle(pdu, now);
        mark_ready(true, id, found->second.remote());
        return remove_ended(true, id);
    }
    const bool ours = id.source == options_.local && remotes_.contains(pdu.header.destination);
    if (!ours) {
        ++counters_.not_ours;
        return;
    }
    ++counters_.ended;
    // Section 4.7.2: Finished is acknowledged again, so that the receiver ends.
    const auto *finished = std::get_if<Finished>(&pdu.body);
    if (finished == nullptr || pdu.header.unacknowledged) return;
    auto &replies = replies_[pdu.header.destination];
    if (replies.size() >= kMostReplies) return;
    PduHeader header = pdu.header;
    header.towards_sender = false;
    replies.push_back(
        encode_pdu(header, Ack{Directive::kFinished, finished->condition,
                               ended_.contains(id) ? TransactionStatus::kTerminated
                                                   : TransactionStatus::kUnrecognized}));
}

void Entity::handle_for_receiver(const Pdu &pdu, TimePoint now) {
    const TransactionId &id = pdu.header.id;
    if (pdu.header.destination != options_.local || !remotes_.contains(id.source)) {
        ++counters_.not_ours;
        return;
    }
    const auto found = receivers_.find(id);
    Receiver *receiver = found == receivers_.end() ? nullptr : &found->second;
    if (receiver == nullptr) {
        const auto ended = ended_.find(id);
        if (ended != ended_.end()) return answer_ended(pdu, ended->second);
        receiver = open_receiver(pdu, now);
        if (receiver == nullptr) return;
    }
    receiver->handle(pdu, now);
    note_due(id, *receiver);
    mark_ready(false, id, id.source);
    if (receiver->ended()) remove_ended(false, id);
}

// A sender that repeats EOF, or begins anew after a restart, gets the same end.
void Entity::answer_ended(const Pdu &pdu, const Ended &ended) {
    ++counters_.ended;
    auto &replies = replies_[pdu.header.id.source];
    const auto *eof = std::get_if<Eof>(&pdu.body);
    if (eof == nullptr || pdu.header.unacknowledged || replies.size() + 1 >= kMostReplies) return;
    PduHeader header = pdu.header;
    header.towards_sender = true;
    replies.push_back(
        encode_pdu(header, Ack{Directive::kEof, eof->condition, TransactionStatus::kTerminated}));
    if (eof->condition != ConditionCode::kNoError) return;
    replies.push_back(!ended.finished.empty()
                          ? ended.finished
                          : encode_pdu(header, Finished{.status = FileStatus::kRetained}));
}

Receiver *Entity::open_receiver(const Pdu &pdu, TimePoint now) {
    const bool opens = std::holds_alternative<Metadata>(pdu.body) ||
                       std::holds_alternative<FileData>(pdu.body) ||
                       std::holds_alternative<Eof>(pdu.body);
    if (!opens) return nullptr;
    if (receivers_.size() >= options_.most_receiving) {
        ++counters_.too_many;
        return nullptr;
    }
    const TransactionId &id = pdu.header.id;
    const RemoteSettings &remote = remotes_.at(id.source);
    return &receivers_.emplace(id, Receiver(pdu.header, remote, options_.local, filestore_, now))
                .first->second;
}

void Entity::note_due(const TransactionId &id, const Receiver &receiver) {
    const bool due = receiver.is_due(Receiver::kSave) || receiver.is_due(Receiver::kDeliver) ||
                     receiver.is_due(Receiver::kMark);
    if (!due) return;
    if (due_.empty() || due_.back() != id) due_.push_back(id);
}

void Entity::sync_or_reject(std::vector<TransactionId> &due, TimePoint now) {
    if (due.empty() || filestore_.sync()) return;
    for (const TransactionId &id : due) {
        const auto found = receivers_.find(id);
        if (found != receivers_.end()) found->second.reject(now);
    }
    due.clear();
}

void Entity::perform(std::vector<TransactionId> &due, Receiver::Step step, TimePoint now) {
    bool done = false;
    for (const TransactionId &id : due) {
        const auto found = receivers_.find(id);
        if (found == receivers_.end() || !found->second.is_due(step)) continue;
        found->second.perform(step, now);
        done = true;
    }
    if (done) sync_or_reject(due, now);
}

// Octets, states, names, requests: each is on disk before the next is written.
void Entity::commit(TimePoint now) {
    if (due_.empty()) return;
    const std::vector<TransactionId> all = std::exchange(due_, {});
    std::vector<TransactionId> due = all;
    sync_or_reject(due, now);
    for (const auto step : {Receiver::kSave, Receiver::kDeliver, Receiver::kMark, Receiver::kRun})
        perform(due, step, now);
    for (const TransactionId &id : all) {
        mark_ready(false, id, id.source);
        remove_ended(false, id);
    }
}

std::optional<Bytes> Entity::poll_pdu(EntityId remote, TimePoint now) {
    commit(now);
    if (const auto replies = replies_.find(remote); replies != replies_.end()) {
        if (!replies->second.empty()) {
            Bytes octets = std::move(replies->second.front());
            replies->second.pop_front();
            ++counters_.sent;
            return octets;
        }
    }
    auto &queue = ready_[remote];
    while (!queue.empty()) {
        const Ready ready = queue.front();
        queue.pop_front();
        if (auto octets = poll_ready(ready, now)) {
            // Transactions take turns.
            queue.push_back(ready);
            ++counters_.sent;
            return octets;
        }
    }
    return std::nullopt;
}

std::optional<Bytes> Entity::poll_ready(const Ready &ready, TimePoint now) {
    std::optional<Bytes> octets;
    if (ready.sending) {
        const auto found = senders_.find(ready.id);
        if (found != senders_.end()) octets = found->second.poll_pdu(now);
    } else {
        const auto found = receivers_.find(ready.id);
        if (found != receivers_.end()) octets = found->second.poll_pdu(now);
    }
    remove_ended(ready.sending, ready.id);
    return octets;
}

TimePoint Entity::next_timeout() const {
    TimePoint next = kNever;
    for (const auto &[id, sender] : senders_) next = std::min(next, sender.next_timeout());
    for (const auto &[id, receiver] : receivers_) next = std::min(next, receiver.next_timeout());
    return next;
}

void Entity::handle_timeout(TimePoint now) {
    std::vector<Ready> due;
    for (auto &[id, sender] : senders_)
        if (sender.next_timeout() <= now) due.push_back({true, id});
    for (auto &[id, receiver] : receivers_)
        if (receiver.next_timeout() <= now) due.push_back({false, id});
    for (const Ready &each : due) {
        if (each.sending) {
            Sender &sender = senders_.at(each.id);
            sender.handle_timeout(now);
            mark_ready(true, each.id, sender.remote());
        } else {
            Receiver &receiver = receivers_.at(each.id);
            receiver.handle_timeout(now);
            note_due(each.id, receiver);
            mark_ready(false, each.id, each.id.source);
        }
        remove_ended(each.sending, each.id);
    }
}

template <class Action>
bool Entity::with(const TransactionId &id, Action action) {
    if (const auto found = senders_.find(id); found != senders_.end()) {
        action(found->second);
        mark_ready(true, id, found->second.remote());
        remove_ended(true, id);
        return true;
    }
    if (const auto found = receivers_.find(id); found != receivers_.end()) {
        action(found->second);
        note_due(id, found->second);
        mark_ready(false, id, id.source);
        remove_ended(false, id);
        return true;
    }
    return false;
}

bool Entity::cancel(const TransactionId &id, TimePoint now) {
    return with(id, [&](auto &each) { each.cancel(ConditionCode::kCancelRequested, now); });
}

bool Entity::suspend(const TransactionId &id, TimePoint now) {
    return with(id, [&](auto &each) { each.suspend(now); });
}

bool Entity::resume(const TransactionId &id, TimePoint now) {
    return with(id, [&](auto &each) { each.resume(now); });
}

// PDUs that an ended receiver has queued are sent before it is forgotten.
void Entity::remove_ended(bool sending, const TransactionId &id) {
    if (sending) {
        const auto found = senders_.find(id);
        if (found == senders_.end() || !found->second.ended()) return;
        note_ended(found->second.report(), {});
        senders_.erase(found);
        return;
    }
    const auto found = receivers_.find(id);
    if (found == receivers_.end() || !found->second.ended()) return;
    auto &replies = replies_[id.source];
    while (auto octets = found->second.poll_pdu(kNever)) replies.push_back(std::move(*octets));
    note_ended(found->second.report(), found->second.finished_pdu());
    receivers_.erase(found);
}

void Entity::note_ended(Report report, Bytes finished) {
    const TransactionId id = report.id;
    if (report.outcome) just_ended_.push_back(report);
    if (report.outcome && !report.sending && report.messages.size() > kMostKept)
        report.messages.resize(kMostKept);
    if (report.outcome && !report.sending && report.outcome->responses.size() > kMostKept)
        report.outcome->responses.resize(kMostKept);
    if (!ended_.emplace(id, Ended{std::move(report), std::move(finished)}).second) return;
    ended_order_.push_back(id);
    if (ended_order_.size() <= kMostEnded) return;
    ended_.erase(ended_order_.front());
    ended_order_.pop_front();
}

std::vector<Report> Entity::reports() const {
    std::vector<Report> reports;
    for (const TransactionId &id : ended_order_)
        if (const Report &report = ended_.at(id).report; report.outcome) reports.push_back(report);
    for (const auto &[id, sender] : senders_) reports.push_back(sender.report());
    for (const auto &[id, receiver] : receivers_) reports.push_back(receiver.report());
    return reports;
}

std::optional<Report> Entity::report(const TransactionId &id) const {
    if (const auto found = senders_.find(id); found != senders_.end())
        return found->second.report();
    if (const auto found = receivers_.find(id); found != receivers_.end())
        return found->second.report();
    if (const auto found = ended_.find(id); found != ended_.end()) return found->second.report;
    return std::nullopt;
}

}  // namespace farlink::cfdp
