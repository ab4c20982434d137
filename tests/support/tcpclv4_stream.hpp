// SPDX-License-Identifier: Apache-2.0
// One direction of a TCPCLv4 connection, octet by octet, cut into its messages (RFC 9174).
// Owned by a relay that cuts between messages, or by a test that reads a dialogue.
// One thread.
#pragma once

#include <algorithm>
#include <optional>

#include "cla/tcpcl/v4/core/message.hpp"

namespace farlink::test {

class Tcpclv4Stream {
public:
    /// The received part of the current message, without the data of a segment.
    [[nodiscard]] ByteView head() const { return head_; }
    /// Empty for the contact header.
    [[nodiscard]] std::optional<cla::tcpclv4::MessageType> type() const {
        if (messages_ == (complete_ ? 1 : 0)) return std::nullopt;
        return static_cast<cla::tcpclv4::MessageType>(head_[0]);
    }
    /// Whole messages so far, the contact header among them.
    [[nodiscard]] std::uint64_t messages() const { return messages_; }

    struct Taken {
        std::size_t octets = 0;
        bool complete = false;  ///< they end the current message
        std::size_t data = 0;   ///< number of last octets that are data of a segment
    };
    /// Consumes octets of one message, at most to its end.
    Taken take(ByteView octets) {
        if (std::exchange(complete_, false)) head_.clear();
        std::size_t used = 0;
        std::size_t data = 0;
        while (used < octets.size() && !complete_) {
            if (data_left_ == 0) {
                head_.push_back(octets[used++]);
                measure();
            } else {
                const auto part = std::min<std::uint64_t>(data_left_, octets.size() - used);
                used += part;
                data += part;
                data_left_ -= part;
                complete_ = data_left_ == 0;
            }
        }
        messages_ += complete_ ? 1 : 0;
        return {used, complete_, data};
    }

private:
    void measure() {
        using cla::tcpclv4::MessageType;
        if (messages_ == 0) {
            complete_ = head_.size() == cla::tcpclv4::kContactBytes;
        } else if (static_cast<MessageType>(head_[0]) == MessageType::kXferSegment) {
            const auto segment = cla::tcpclv4::decode_segment(head_);
            if (!segment) return;
            data_left_ = segment->data_bytes;
            complete_ = data_left_ == 0;
        } else {
            complete_ = head_.size() >= extent();
        }
    }
    [[nodiscard]] std::size_t extent() const {
        using cla::tcpclv4::MessageType;
        switch (static_cast<MessageType>(head_[0])) {
            case MessageType::kXferAck:
                return cla::tcpclv4::kAckBytes;
            case MessageType::kXferRefuse:
                return cla::tcpclv4::kRefuseBytes;
            case MessageType::kSessTerm:
                return cla::tcpclv4::kTermBytes;
            case MessageType::kMsgReject:
                return cla::tcpclv4::kRejectBytes;
            case MessageType::kSessInit:
                return cla::tcpclv4::session_init_extent(head_);
            default:
                return 1;
        }
    }

    Bytes head_;
    std::uint64_t data_left_ = 0;  ///< of the current segment
    std::uint64_t messages_ = 0;
    bool complete_ = false;  ///< head_ contains a whole message
};

}  // namespace farlink::test
