// SPDX-License-Identifier: Apache-2.0
// The sending end of a transaction, class 1 and class 2 (CCSDS 727.0-B-5 section 4.6).
// Owned by the entity; one thread.
// No socket, no clock: PDUs in, PDUs out, the time is an argument.
#pragma once

#include <memory>
#include <optional>

#include "cfdp/core/pdu/pdu.hpp"
#include "cfdp/core/transaction/deadline.hpp"
#include "cfdp/core/transaction/filestore.hpp"
#include "cfdp/core/transaction/transaction.hpp"

namespace farlink::cfdp {

class Sender {
public:
    /// Of segments that were requested again; further requests wait for the next NAK.
    static constexpr std::size_t kMostRequests = 65'536;

    /// `file`: none, Metadata alone is sent.
    Sender(TransactionId id, PutRequest request, const RemoteSettings &remote,
           std::unique_ptr<SourceFile> file);

    /// ACK of EOF, Finished, NAK, Keep Alive.
    void handle(const Pdu &pdu, TimePoint now);
    /// The next PDU to send; none: nothing is to be sent now.
    [[nodiscard]] std::optional<Bytes> poll_pdu(TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);

    void cancel(ConditionCode why, TimePoint now);
    void suspend(TimePoint now);
    void resume(TimePoint now);
    /// Asks the receiver for a NAK, or for a Keep Alive.
    void prompt(bool keep_alive) { prompt_ = Prompt{keep_alive}; }

    [[nodiscard]] bool ended() const { return state_ == State::kEnded; }
    [[nodiscard]] bool suspended() const { return suspended_; }
    [[nodiscard]] Report report() const;
    [[nodiscard]] const TransactionId &id() const { return header_.id; }
    [[nodiscard]] EntityId remote() const { return request_.destination; }

private:
    // kSending ──EOF──► kAwaitAck ──ACK──► kAwaitFinished ──Finished──► kAcknowledging ──► kEnded
    //   │   │            (class 2)            ▲ (class 1 with closure: from kSending)
    //   │   └── class 1: EOF ends it          │
    //   └── cancel ──► kCancelling ──ACK of EOF (class 2), or EOF sent (class 1)──► kEnded
    enum class State : std::uint8_t {
        kSending,
        kAwaitAck,
        kAwaitFinished,
        kAcknowledging,
        kCancelling,
        kEnded,
    };

    void handle_body(const Ack &ack, TimePoint now);
    void handle_body(const Finished &finished, TimePoint now);
    void handle_body(const Nak &nak, TimePoint now);
    void handle_body(const KeepAlive &keep_alive, TimePoint now);
    template <class Other>
    void handle_body(const Other &, TimePoint) {}

    void request_again(const SegmentRequest &request);
    [[nodiscard]] std::optional<Bytes> poll_reply();
    [[nodiscard]] std::optional<Bytes> poll_data(TimePoint now);
    [[nodiscard]] std::optional<Bytes> read_data(std::uint64_t offset, std::size_t size,
                                                 TimePoint now);
    [[nodiscard]] Bytes send_metadata();
    [[nodiscard]] Bytes send_eof(TimePoint now);
    void enter_after_eof(TimePoint now);
    [[nodiscard]] Bytes encode(const PduBody &body) const { return encode_pdu(header_, body); }
    [[nodiscard]] std::size_t size_of_next(std::uint64_t offset, std::uint64_t end) const;

    /// False: the fault has been ignored.
    bool fault(ConditionCode condition, TimePoint now);
    void end(Outcome outcome);

    PduHeader header_;
    PutRequest request_;
    RemoteSettings remote_;
    std::unique_ptr<SourceFile> file_;
    std::uint64_t size_;
    State state_ = State::kSending;
    FileChecksum checksum_;
    std::uint64_t next_ = 0;  ///< the first octet that was never sent
    files::Extents again_;    ///< requested by NAKs
    std::uint64_t repeated_ = 0;
    bool metadata_due_ = true;
    bool eof_due_ = false;
    std::optional<Ack> reply_;
    std::optional<Prompt> prompt_;
    bool suspended_ = false;
    ConditionCode condition_ = ConditionCode::kNoError;
    Deadline timer_;           ///< of what is awaited in this state
    std::uint32_t tries_ = 0;  ///< of EOF, or checks of class 1
    Outcome finished_{};       ///< what Finished has reported
    std::optional<Outcome> outcome_;
};

}  // namespace farlink::cfdp
