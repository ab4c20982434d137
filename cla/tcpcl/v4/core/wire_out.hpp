// SPDX-License-Identifier: Apache-2.0
// Puts the small messages of a session into its queue, and counts how much of that waits.
// Owned by one session, lent to its parts; one thread.
// The sender's window does not bound answers: a peer that sends and never reads is found here.
#pragma once

#include <algorithm>

#include "cla/tcpcl/v4/core/message.hpp"
#include "common/buffer/tx_queue.hpp"

namespace farlink::cla::tcpclv4 {

class WireOut {
public:
    [[nodiscard]] TxQueue &queue() { return queue_; }
    [[nodiscard]] const TxQueue &queue() const { return queue_; }

    void send(const ContactHeader &contact) { put(contact, kContactBytes); }
    void send(const SessionInit &init) { put(init, init.encoded_bytes()); }
    void send(const Ack &ack) { put(ack, kAckBytes); }
    void send(const Refuse &refuse) { put(refuse, kRefuseBytes); }
    void send(TermReason reason) { send(Term{0, static_cast<std::uint8_t>(reason)}); }
    void send(const Term &term) { put(term, kTermBytes); }
    void reject(RejectReason reason, MessageType type) {
        put(Reject{reason, static_cast<std::uint8_t>(type)}, kRejectBytes);
    }
    void send_keep_alive() {
        *queue_.reserve(1).data() = static_cast<std::uint8_t>(MessageType::kKeepAlive);
        commit(1);
    }

    /// Room for `bytes` of small messages in a row; fill, then commit().
    [[nodiscard]] std::uint8_t *reserve(std::size_t bytes) { return queue_.reserve(bytes).data(); }
    void commit(std::size_t bytes) {
        queue_.commit(bytes);
        small_bytes_ += bytes;
    }

    void handle_written() { small_bytes_ = std::min(small_bytes_, queue_.pending()); }
    /// An upper bound of the small messages that wait, bytes.
    [[nodiscard]] std::uint64_t small_bytes() const { return small_bytes_; }

private:
    template <class Message>
    void put(const Message &message, std::size_t bytes) {
        encode(reserve(bytes), message);
        commit(bytes);
    }

    TxQueue queue_;
    std::uint64_t small_bytes_ = 0;
};

}  // namespace farlink::cla::tcpclv4
