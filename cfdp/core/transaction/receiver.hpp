// SPDX-License-Identifier: Apache-2.0
// The receiving end of a transaction, class 1 and class 2 (CCSDS 727.0-B-5 section 4.6).
// Owned by the entity; one thread. The filestore is borrowed.
// No socket, no clock: PDUs in, PDUs out, the time is an argument.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "cfdp/core/pdu/pdu.hpp"
#include "cfdp/core/transaction/commit_steps.hpp"
#include "cfdp/core/transaction/deadline.hpp"
#include "cfdp/core/transaction/filestore.hpp"
#include "cfdp/core/transaction/received_file.hpp"
#include "cfdp/core/transaction/receiver_state.hpp"
#include "cfdp/core/transaction/request_run.hpp"
#include "cfdp/core/transaction/transaction.hpp"

namespace farlink::cfdp {

class Receiver {
public:
    /// Octets between two states on disk.
    static constexpr std::uint64_t kSaveBytes = 64 * 1024 * 1024;

    /// `first`: of the first PDU.
    Receiver(const PduHeader &first, const RemoteSettings &remote, EntityId local,
             Filestore &filestore, TimePoint now);
    /// By the state of an earlier run; none: it is useless. `copy`: none if the file has got its
    /// name.
    [[nodiscard]] static std::optional<Receiver> load(const ReceiverState &state,
                                                      const RemoteSettings &remote, EntityId local,
                                                      Filestore &filestore,
                                                      std::unique_ptr<ArrivingCopy> copy,
                                                      TimePoint now);

    /// Whether it has brought what was not there: octets, Metadata or EOF.
    bool handle(const Pdu &pdu, TimePoint now);
    [[nodiscard]] std::optional<Bytes> poll_pdu(TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);

    void cancel(ConditionCode why, TimePoint now);
    /// Its place is needed: it is cancelled, or its end is no longer to be confirmed.
    void give_up(TimePoint now);
    void suspend(TimePoint now);
    void resume(TimePoint now);

    /// What is due before the next PDU is polled. Before, between and after these steps the
    /// filestore is synced, while other PDUs may come.
    [[nodiscard]] const CommitSteps &steps() const { return steps_; }
    /// What was written so far is synced, and then these steps follow.
    void begin_commit(TimePoint now);
    void perform(CommitStep step, TimePoint now);
    /// The filestore could not be synced.
    void reject(TimePoint now);

    [[nodiscard]] bool ended() const { return state_ == State::kEnded; }
    /// Its file is on its way.
    [[nodiscard]] bool arriving() const {
        return state_ == State::kReceiving || state_ == State::kAwaitData;
    }
    [[nodiscard]] Report report() const;
    [[nodiscard]] const TransactionId &id() const { return header_.id; }
    /// Of class 2: the PDU that has ended it, for a sender that repeats EOF.
    [[nodiscard]] const Bytes &finished_pdu() const { return finished_pdu_; }

private:
    // kReceiving ──EOF──► kAwaitData ──all there──► kFinishing ──ACK of Finished──► kEnded
    //   │                  (class 2: NAKs;            ▲  (class 1: at once)
    //   │                   class 1: checks)          │
    //   ├── fault or cancel ──────────────────────────┘
    //   └── EOF with a condition: ACK (class 2) ──► kEnded
    // kNamed comes before kFinishing if there are requests: the file has its name, and nothing
    // cancels or suspends the transaction any more.
    enum class State : std::uint8_t { kReceiving, kAwaitData, kNamed, kFinishing, kEnded };

    void handle_body(const Metadata &metadata, TimePoint now);
    void handle_body(const FileData &data, TimePoint now);
    void handle_body(const Eof &eof, TimePoint now);
    void handle_body(const Ack &ack, TimePoint now);
    void handle_body(const Prompt &prompt, TimePoint now);
    template <class Other>
    void handle_body(const Other &, TimePoint) {}

    [[nodiscard]] bool open_file(TimePoint now);
    void take_cancel(const Eof &eof);
    [[nodiscard]] bool save_step(RequestStep step);
    void finish_or_request(Outcome outcome);
    void try_finish(TimePoint now);
    void deliver(TimePoint now);
    void enter_finishing(Outcome outcome);
    void close();
    void start_waiting(TimePoint now);
    void end();

    void queue_naks(std::uint64_t from, std::uint64_t to);
    void note_gap(std::uint64_t before, std::uint64_t offset, TimePoint now);
    void handle_state_timeout(TimePoint now);
    void queue(const PduBody &body);

    /// False: the fault has been ignored.
    bool fault(ConditionCode condition, TimePoint now);

    PduHeader header_;  ///< of what is sent
    RemoteSettings remote_;
    EntityId local_;
    Filestore *filestore_;
    State state_ = State::kReceiving;
    std::optional<Metadata> metadata_;
    std::optional<Eof> eof_;
    std::optional<ReceivedFile> file_;
    CommitSteps steps_;
    Bytes to_save_;                     ///< the state of what was there when the group began
    std::uint64_t saved_at_ = 0;        ///< octets that were there then
    std::uint64_t naked_progress_ = 0;  ///< octets that were there at the last NAK
    std::uint64_t repeated_ = 0;        ///< of the file that was closed
    bool metadata_asked_ = false;
    bool suspended_ = false;
    ConditionCode condition_ = ConditionCode::kNoError;
    RequestRun requests_;
    Outcome ending_{};
    std::optional<Outcome> outcome_;
    std::deque<Bytes> out_;
    Bytes finished_pdu_;
    bool finished_due_ = false;
    Deadline timer_;  ///< NAKs, checks, or the repeat of Finished
    Deadline inactivity_;
    Deadline keep_alive_;
    std::uint32_t tries_ = 0;
};

}  // namespace farlink::cfdp
