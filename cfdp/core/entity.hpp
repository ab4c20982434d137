// SPDX-License-Identifier: Apache-2.0
// A CFDP entity: its transactions, in both directions, with all remote entities.
// Owned by the daemon, or a test; one thread. The filestore is borrowed.
// No socket, no clock: PDUs in, PDUs out, the time is an argument.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cfdp/core/due_times.hpp"
#include "cfdp/core/ended_transactions.hpp"
#include "cfdp/core/outbox.hpp"
#include "cfdp/core/places.hpp"
#include "cfdp/core/transaction/receiver.hpp"
#include "cfdp/core/transaction/sender.hpp"

namespace farlink::cfdp {

/// What has come and was not taken.
struct EntityCounters {
    std::uint64_t malformed[kPduErrors] = {};
    std::uint64_t not_ours = 0;  ///< another destination, or an entity that is not configured
    std::uint64_t too_many = 0;  ///< no room for one more transaction
    std::uint64_t given_up = 0;  ///< transactions that have made room for those of other entities
    Shortages shortages{};       ///< these two, by source entity
    std::uint64_t ended = 0;     ///< of a transaction that has ended
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
};

class Entity {
public:
    /// Of those whose files arrive: with those of which only the end is to be confirmed.
    static constexpr std::size_t kReceiversForEach = 10;

    struct Options {
        EntityId local = 0;
        std::size_t most_receiving = 4'000;  ///< files that arrive at a time
        std::size_t most_sending = 10'000;
    };

    Entity(Options options, Filestore &filestore) : options_(options), filestore_(filestore) {}

    void set_remote(const RemoteSettings &remote) { remotes_[remote.entity] = remote; }
    [[nodiscard]] const std::map<EntityId, RemoteSettings> &remotes() const { return remotes_; }

    /// put() takes no more before others have ended.
    [[nodiscard]] bool is_full() const { return senders_.size() >= options_.most_sending; }
    /// Begins a transaction of this number. The error is a text for people.
    [[nodiscard]] Result<TransactionId, std::string> put(const PutRequest &request,
                                                         std::uint64_t sequence);
    /// Of an earlier run.
    void restore(Receiver receiver);
    void remember_delivered(EndedNumbers numbers) { ended_.remember(std::move(numbers)); }
    [[nodiscard]] std::optional<Receiver> load(const ReceiverState &state,
                                               std::unique_ptr<ArrivingCopy> copy, TimePoint now);

    /// `from`: the remote entity that the lower layer has it from. It speaks for itself only.
    void handle_pdu(ByteView octets, EntityId from, TimePoint now);
    /// The next PDU for this remote entity.
    [[nodiscard]] std::optional<Bytes> poll_pdu(EntityId remote, TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);
    /// After Filestore::start_sync(). False: it has failed.
    void handle_synced(bool done, TimePoint now);

    /// False: there is no such transaction that is under way.
    [[nodiscard]] bool cancel(const TransactionId &id, TimePoint now);
    [[nodiscard]] bool suspend(const TransactionId &id, TimePoint now);
    [[nodiscard]] bool resume(const TransactionId &id, TimePoint now);

    [[nodiscard]] std::vector<Report> reports() const;
    [[nodiscard]] std::optional<Report> report(const TransactionId &id) const;
    /// Those that have ended since the last call.
    [[nodiscard]] std::vector<Report> take_ended() { return std::exchange(just_ended_, {}); }
    [[nodiscard]] const EndedTransactions &ended() const { return ended_; }
    [[nodiscard]] const EntityCounters &counters() const { return counters_; }
    [[nodiscard]] std::size_t active() const { return senders_.size() + receivers_.size(); }

private:
    struct Sending {
        Sender sender;
        bool begun = false;
        bool counted = false;  ///< as one that is under way
        bool ready = false;    ///< it has a turn
        TimePoint due = kNever;
    };
    struct Receiving {
        Receiver receiver;
        bool committing = false;  ///< its PDUs wait until its group is on disk
        bool ready = false;
        TimePoint due = kNever;
        Places::Place arriving{};    ///< while its file arrives
        Places::Place confirming{};  ///< then, until the sender has confirmed the end
    };

    void handle_for_sender(const Pdu &pdu, TimePoint now);
    void handle_for_receiver(const Pdu &pdu, TimePoint now);
    void answer_ended(const Pdu &pdu, const Bytes &finished);
    [[nodiscard]] Receiving *open_receiver(const Pdu &pdu, TimePoint now);
    /// For one more of this source. False: it is refused, and counted.
    [[nodiscard]] bool make_room(EntityId source, TimePoint now);

    /// After anything that may have changed it; it may be removed.
    void note_changed(Sending &each);
    void note_changed(Receiving &each);
    /// The same after a poll. False: it is removed.
    bool update(Sending &each);
    bool update(Receiving &each);
    void begin_waiting(EntityId remote);
    void note_ended(Report report, Bytes finished);
    [[nodiscard]] std::optional<Bytes> poll_turn(const Turn &turn, TimePoint now);
    template <class Action>
    bool with(const TransactionId &id, Action action);

    /// States and files that are due, in groups: what PDUs confirm is on disk before they leave.
    void commit(TimePoint now);
    void begin_group(TimePoint now);
    /// True: what was done is to be synced.
    [[nodiscard]] bool perform(CommitStep step, TimePoint now);
    void take_synced(bool done, TimePoint now);
    void end_group();

    Options options_;
    Filestore &filestore_;
    std::map<EntityId, RemoteSettings> remotes_;
    std::map<EntityId, Outbox> outboxes_;
    std::map<TransactionId, Sending> senders_;
    std::map<TransactionId, Receiving> receivers_;
    Places arriving_;
    Places confirming_;
    DueTimes<Turn> due_times_;
    std::vector<TransactionId> due_;    ///< receivers of the next group
    std::vector<TransactionId> group_;  ///< those that commit() is at
    std::size_t stage_ = 0;             ///< of the group
    bool syncing_ = false;
    EndedTransactions ended_;
    std::vector<Report> just_ended_;
    EntityCounters counters_;
};

}  // namespace farlink::cfdp
