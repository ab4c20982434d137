// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/entity.hpp"

#include <algorithm>
#include <utility>

namespace farlink::cfdp {
namespace {

constexpr std::size_t kLongestName = 255;
/// They fit into one Metadata PDU.
constexpr std::size_t kMostOptionBytes = 60'000;
constexpr std::size_t kTlvHead = 2;

/// What a group does, and what is synced then, before the next stage.
struct Stage {
    std::optional<CommitStep> step{};  ///< none: all octets so far are synced
    SyncScope scope = SyncScope::kAll;
};
constexpr Stage kStages[] = {{{}, SyncScope::kAll},
                             {CommitStep::kSave, SyncScope::kStates},
                             {CommitStep::kDeliver, SyncScope::kNames},
                             {CommitStep::kMark, SyncScope::kStates},
                             {CommitStep::kRun, SyncScope::kAll}};

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

Result<std::unique_ptr<SourceFile>, std::string> open_source(const PutRequest &request,
                                                             Filestore &filestore) {
    if (request.source_name.empty()) return nullptr;
    if (request.content) return std::make_unique<GivenSource>(*request.content);
    auto file = filestore.open(request.source_name);
    if (!file) return fail("cannot read " + request.source_name);
    return std::move(*file);
}

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
    if (is_full()) return fail(std::string("too many transactions in progress"));
    auto file = open_source(request, filestore_);
    if (!file) return fail(file.error());
    const TransactionId id{options_.local, sequence};
    senders_.emplace(id, Sending{Sender(id, request, remote->second, std::move(*file))});
    outboxes_[request.destination].wait(id);
    begin_waiting(request.destination);
    return id;
}

std::optional<Receiver> Entity::load(const ReceiverState &state, std::unique_ptr<ArrivingCopy> copy,
                                     TimePoint now) {
    const auto remote = remotes_.find(state.header.id.source);
    if (remote == remotes_.end() || state.header.destination != options_.local) return std::nullopt;
    return Receiver::load(state, remote->second, options_.local, filestore_, std::move(copy), now);
}

void Entity::restore(Receiver receiver) {
    const TransactionId id = receiver.id();
    note_changed(receivers_.emplace(id, Receiving{std::move(receiver)}).first->second);
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
    if (found != senders_.end() && found->second.sender.remote() == pdu.header.destination) {
        found->second.sender.handle(pdu, now);
        return note_changed(found->second);
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
    Outbox &outbox = outboxes_[pdu.header.destination];
    if (!outbox.has_room_for_replies(1)) return;
    PduHeader header = pdu.header;
    header.towards_sender = false;
    outbox.add_reply(
        encode_pdu(header, Ack{Directive::kFinished, finished->condition,
                               ended_.find(id) != nullptr ? TransactionStatus::kTerminated
                                                          : TransactionStatus::kUnrecognized}));
}

void Entity::handle_for_receiver(const Pdu &pdu, TimePoint now) {
    const TransactionId &id = pdu.header.id;
    if (pdu.header.destination != options_.local || !remotes_.contains(id.source)) {
        ++counters_.not_ours;
        return;
    }
    const auto found = receivers_.find(id);
    Receiving *each = found == receivers_.end() ? nullptr : &found->second;
    if (each == nullptr) {
        if (const auto *const ended = ended_.find(id)) return answer_ended(pdu, ended->finished);
        if (ended_.was_delivered(id)) return answer_ended(pdu, {});
        each = open_receiver(pdu, now);
        if (each == nullptr) return;
    }
    if (each->receiver.handle(pdu, now)) arriving_.renew(each->arriving);
    note_changed(*each);
}

// A sender that repeats EOF, or begins anew after a restart, gets the same end.
void Entity::answer_ended(const Pdu &pdu, const Bytes &finished) {
    ++counters_.ended;
    Outbox &outbox = outboxes_[pdu.header.id.source];
    const auto *eof = std::get_if<Eof>(&pdu.body);
    if (eof == nullptr || pdu.header.unacknowledged || !outbox.has_room_for_replies(2)) return;
    PduHeader header = pdu.header;
    header.towards_sender = true;
    outbox.add_reply(
        encode_pdu(header, Ack{Directive::kEof, eof->condition, TransactionStatus::kTerminated}));
    if (eof->condition != ConditionCode::kNoError) return;
    outbox.add_reply(!finished.empty()
                         ? finished
                         : encode_pdu(header, Finished{.status = FileStatus::kRetained}));
}

Entity::Receiving *Entity::open_receiver(const Pdu &pdu, TimePoint now) {
    const bool opens = std::holds_alternative<Metadata>(pdu.body) ||
                       std::holds_alternative<FileData>(pdu.body) ||
                       std::holds_alternative<Eof>(pdu.body);
    const TransactionId &id = pdu.header.id;
    if (!opens || !make_room(id.source, now)) return nullptr;
    Receiver receiver(pdu.header, remotes_.at(id.source), options_.local, filestore_, now);
    return &receivers_.emplace(id, Receiving{std::move(receiver)}).first->second;
}

// Without a share for each, one entity would close this one to all others. Whoever holds most gives
// one up; those of a group that is under way are about to leave their places.
bool Entity::make_room(EntityId source, TimePoint now) {
    const std::size_t most = options_.most_receiving;
    const std::size_t share = Places::share(most, remotes_.size());
    const std::size_t held = arriving_.held_by(source);
    bool room = held < share && held + confirming_.held_by(source) < kReceiversForEach * share;
    const auto may_end = [this](const TransactionId &id) { return !receivers_.at(id).committing; };
    const auto give_up = [&](const Places &places) {
        const auto id = places.idlest_of_others(source, may_end);
        if (!id) return false;
        ++counters_.given_up;
        ++counters_.shortages[id->source].given_up;
        Receiving &each = receivers_.at(*id);
        each.receiver.give_up(now);
        note_changed(each);
        return true;
    };
    if (room && arriving_.size() >= most) room = give_up(arriving_);
    if (room && receivers_.size() >= kReceiversForEach * most) room = give_up(confirming_);
    if (room) return true;
    ++counters_.too_many;
    ++counters_.shortages[source].refused;
    return false;
}

// Octets, states, names, requests: each is on disk before the next is written.
void Entity::commit(TimePoint now) {
    while (!syncing_ && (!group_.empty() || !due_.empty())) {
        if (group_.empty()) begin_group(now);
        if (stage_ == std::size(kStages)) {
            end_group();
            continue;
        }
        const Stage &stage = kStages[stage_];
        if (stage.step && !perform(*stage.step, now)) {
            ++stage_;
            continue;
        }
        syncing_ = filestore_.start_sync(stage.scope);
        if (!syncing_) take_synced(filestore_.sync(stage.scope).has_value(), now);
    }
}

void Entity::begin_group(TimePoint now) {
    group_ = std::exchange(due_, {});
    stage_ = 0;
    for (const TransactionId &id : group_) receivers_.at(id).receiver.begin_commit(now);
}

bool Entity::perform(CommitStep step, TimePoint now) {
    bool done = false;
    for (const TransactionId &id : group_) {
        Receiver &receiver = receivers_.at(id).receiver;
        if (!receiver.steps().has_begun(step)) continue;
        receiver.perform(step, now);
        done = true;
    }
    return done;
}

void Entity::handle_synced(bool done, TimePoint now) {
    syncing_ = false;
    take_synced(done, now);
    commit(now);
}

void Entity::take_synced(bool done, TimePoint now) {
    ++stage_;
    if (done) return;
    for (const TransactionId &id : group_) receivers_.at(id).receiver.reject(now);
    stage_ = std::size(kStages);
}

void Entity::end_group() {
    for (const TransactionId &id : std::exchange(group_, {})) {
        Receiving &each = receivers_.at(id);
        each.committing = false;
        note_changed(each);
    }
}

void Entity::note_changed(Sending &each) {
    each.begun = true;
    if (update(each) && !std::exchange(each.ready, true))
        outboxes_[each.sender.remote()].add({true, each.sender.id()});
}

void Entity::note_changed(Receiving &each) {
    if (update(each) && !each.committing && !std::exchange(each.ready, true))
        outboxes_[each.receiver.id().source].add({false, each.receiver.id()});
}

bool Entity::update(Sending &each) {
    const TransactionId id = each.sender.id();
    const EntityId remote = each.sender.remote();
    const bool ended = each.sender.ended();
    due_times_.move({true, id}, each.due, each.sender.next_timeout());
    Outbox &outbox = outboxes_[remote];
    const std::size_t before = outbox.senders();
    outbox.count_sender(each.counted, !ended && !each.sender.suspended());
    if (ended) {
        note_ended(each.sender.report(), {});
        senders_.erase(id);
    }
    if (outbox.senders() < before) begin_waiting(remote);
    return !ended;
}

bool Entity::update(Receiving &each) {
    const TransactionId id = each.receiver.id();
    if (!each.committing && each.receiver.steps().any()) {
        each.committing = true;
        due_.push_back(id);
    }
    if (each.receiver.arriving()) {
        arriving_.take(each.arriving, id.source, id);
    } else {
        arriving_.give_back(each.arriving);
        confirming_.take(each.confirming, id.source, id);
    }
    due_times_.move({false, id}, each.due, each.receiver.next_timeout());
    if (each.committing || !each.receiver.ended()) return true;
    // PDUs that it has queued are sent before it is forgotten.
    Outbox &outbox = outboxes_[id.source];
    while (auto octets = each.receiver.poll_pdu(kNever))
        if (outbox.has_room_for_replies(1)) outbox.add_reply(std::move(*octets));
    note_ended(each.receiver.report(), each.receiver.finished_pdu());
    confirming_.give_back(each.confirming);
    receivers_.erase(id);
    return false;
}

void Entity::note_ended(Report report, Bytes finished) {
    just_ended_.push_back(report);
    ended_.add(std::move(report), std::move(finished));
}

// Each has room once another has ended.
void Entity::begin_waiting(EntityId remote) {
    Outbox &outbox = outboxes_[remote];
    const std::size_t most = std::max<std::size_t>(remotes_.at(remote).most_sending, 1);
    while (outbox.senders() < most) {
        const auto id = outbox.take_waiting();
        if (!id) return;
        const auto found = senders_.find(*id);
        if (found != senders_.end() && !found->second.begun) note_changed(found->second);
    }
}

std::optional<Bytes> Entity::poll_pdu(EntityId remote, TimePoint now) {
    commit(now);
    Outbox &outbox = outboxes_[remote];
    std::optional<Bytes> octets = outbox.take_reply();
    while (!octets) {
        const auto turn = outbox.current();
        if (!turn) return octets;
        octets = poll_turn(*turn, now);
        octets ? outbox.use(octets->size()) : outbox.next();
    }
    ++counters_.sent;
    return octets;
}

std::optional<Bytes> Entity::poll_turn(const Turn &turn, TimePoint now) {
    std::optional<Bytes> octets;
    if (turn.sending) {
        const auto found = senders_.find(turn.id);
        if (found == senders_.end()) return octets;
        octets = found->second.sender.poll_pdu(now);
        found->second.ready = octets.has_value();
        update(found->second);
        return octets;
    }
    const auto found = receivers_.find(turn.id);
    if (found == receivers_.end()) return octets;
    // What it has to say is on disk first.
    if (!found->second.committing) octets = found->second.receiver.poll_pdu(now);
    found->second.ready = octets.has_value();
    update(found->second);
    return octets;
}

TimePoint Entity::next_timeout() const {
    return due_times_.first();
}

void Entity::handle_timeout(TimePoint now) {
    for (const Turn &each : due_times_.due(now)) {
        if (const auto found = senders_.find(each.id); each.sending && found != senders_.end()) {
            found->second.sender.handle_timeout(now);
            note_changed(found->second);
        }
        if (const auto found = receivers_.find(each.id);
            !each.sending && found != receivers_.end()) {
            found->second.receiver.handle_timeout(now);
            note_changed(found->second);
        }
    }
}

template <class Action>
bool Entity::with(const TransactionId &id, Action action) {
    if (const auto found = senders_.find(id); found != senders_.end()) {
        action(found->second.sender);
        note_changed(found->second);
        return true;
    }
    if (const auto found = receivers_.find(id); found != receivers_.end()) {
        action(found->second.receiver);
        note_changed(found->second);
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

std::vector<Report> Entity::reports() const {
    std::vector<Report> reports;
    for (std::uint64_t number = ended_.first(); number < ended_.count(); ++number)
        reports.push_back(ended_.report(number));
    for (const auto &[id, each] : senders_) reports.push_back(each.sender.report());
    for (const auto &[id, each] : receivers_) reports.push_back(each.receiver.report());
    return reports;
}

std::optional<Report> Entity::report(const TransactionId &id) const {
    if (const auto found = senders_.find(id); found != senders_.end())
        return found->second.sender.report();
    if (const auto found = receivers_.find(id); found != receivers_.end())
        return found->second.receiver.report();
    const auto *const ended = ended_.find(id);
    return ended == nullptr ? std::nullopt : std::optional(ended->report);
}

}  // namespace farlink::cfdp
