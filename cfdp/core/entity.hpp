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

#include "cfdp/core/transaction/receiver.hpp"
#include "cfdp/core/transaction/sender.hpp"

namespace farlink::cfdp {

/// What has come and was not taken.
struct EntityCounters {
    std::uint64_t malformed[kPduErrors] = {};
    std::uint64_t not_ours = 0;  ///< another destination, or an entity that is not configured
    std::uint64_t too_many = 0;  ///< no room for one more transaction
    std::uint64_t ended = 0;     ///< of a transaction that has ended
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
};

class Entity {
public:
    /// Ended transactions that are remembered, so that late PDUs open none.
    static constexpr std::size_t kMostEnded = 10'000;

    struct Options {
        EntityId local = 0;
        std::size_t most_receiving = 1'000;  ///< transactions at a time
        std::size_t most_sending = 10'000;
    };

    Entity(Options options, Filestore &filestore) : options_(options), filestore_(filestore) {}

    void set_remote(const RemoteSettings &remote) { remotes_[remote.entity] = remote; }
    [[nodiscard]] const std::map<EntityId, RemoteSettings> &remotes() const { return remotes_; }

    /// Begins a transaction of this number. The error is a text for people.
    [[nodiscard]] Result<TransactionId, std::string> put(const PutRequest &request,
                                                         std::uint64_t sequence);
    /// Of an earlier run.
    void restore(Receiver receiver);
    void remember_ended(const TransactionId &id) { note_ended({.id = id}, {}); }
    [[nodiscard]] std::optional<Receiver> load(const ReceiverState &state,
                                               std::unique_ptr<ArrivingCopy> copy, TimePoint now);

    /// `from`: the remote entity that the lower layer has it from. It speaks for itself only.
    void handle_pdu(ByteView octets, EntityId from, TimePoint now);
    /// The next PDU for this remote entity.
    [[nodiscard]] std::optional<Bytes> poll_pdu(EntityId remote, TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);

    /// False: there is no such transaction that is under way.
    [[nodiscard]] bool cancel(const TransactionId &id, TimePoint now);
    [[nodiscard]] bool suspend(const TransactionId &id, TimePoint now);
    [[nodiscard]] bool resume(const TransactionId &id, TimePoint now);

    [[nodiscard]] std::vector<Report> reports() const;
    [[nodiscard]] std::optional<Report> report(const TransactionId &id) const;
    /// Those that have ended since the last call.
    [[nodiscard]] std::vector<Report> take_ended() { return std::exchange(just_ended_, {}); }
    [[nodiscard]] const EntityCounters &counters() const { return counters_; }
    [[nodiscard]] std::size_t active() const { return senders_.size() + receivers_.size(); }

private:
    struct Ended {
        Report report{};
        Bytes finished{};
    };
    struct Ready {
        bool sending = false;
        TransactionId id{};
    };

    void handle_for_sender(const Pdu &pdu, TimePoint now);
    void handle_for_receiver(const Pdu &pdu, TimePoint now);
    void answer_ended(const Pdu &pdu, const Ended &ended);
    [[nodiscard]] Receiver *open_receiver(const Pdu &pdu, TimePoint now);
    void mark_ready(bool sending, const TransactionId &id, EntityId remote);
    [[nodiscard]] std::optional<Bytes> poll_ready(const Ready &ready, TimePoint now);
    void note_ended(Report report, Bytes finished);
    void remove_ended(bool sending, const TransactionId &id);
    /// States and files that are due, in groups: what PDUs confirm is on disk before they leave.
    void commit(TimePoint now);
    void sync_or_reject(std::vector<TransactionId> &due, TimePoint now);
    void perform(std::vector<TransactionId> &due, Receiver::Step step, TimePoint now);
    [[nodiscard]] Result<std::unique_ptr<SourceFile>, std::string> open_source(
        const PutRequest &request);
    void note_due(const TransactionId &id, const Receiver &receiver);
    template <class Action>
    bool with(const TransactionId &id, Action action);

    Options options_;
    Filestore &filestore_;
    std::map<EntityId, RemoteSettings> remotes_;
    std::map<TransactionId, Sender> senders_;
    std::map<TransactionId, Receiver> receivers_;
    std::map<EntityId, std::deque<Ready>> ready_;
    std::map<EntityId, std::deque<Bytes>> replies_;  ///< for transactions that are not here
    std::vector<TransactionId> due_;                 ///< receivers that commit() is for
    std::map<TransactionId, Ended> ended_;
    std::deque<TransactionId> ended_order_;
    std::vector<Report> just_ended_;
    EntityCounters counters_;
};

}  // namespace farlink::cfdp
