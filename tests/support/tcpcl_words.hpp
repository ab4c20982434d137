// SPDX-License-Identifier: Apache-2.0
// The messages of one side of a TCPCL connection, as text that a test can compare:
// "CONTACT SESS_INIT MSG_REJECT(3,2) SESS_TERM(0,4)".
// Plain functions for tests; any thread.
// Numbers are the fields of the message, in the order of the standard, without transfer ids and
// lengths of acknowledgements; a message that is repeated N times is written once, with "xN".
#pragma once

#include <string>

#include "cla/tcpcl/v3/core/message.hpp"
#include "tests/support/tcpclv4_stream.hpp"

namespace farlink::test {

class Words {
public:
    void add(const std::string &word) {
        if (word == last_) {
            ++times_;
            return;
        }
        finish();
        last_ = word;
        times_ = 1;
    }
    [[nodiscard]] std::string text() {
        finish();
        return text_;
    }

private:
    void finish() {
        if (times_ == 0) return;
        text_ += (text_.empty() ? "" : " ") + last_;
        if (times_ > 1) text_ += "x" + std::to_string(times_);
        times_ = 0;
        last_.clear();
    }
    std::string text_;
    std::string last_;
    std::size_t times_ = 0;
};

template <class... Numbers>
std::string word(const char *name, Numbers... numbers) {
    std::string text;
    ((text += (text.empty() ? "(" : ",") + std::to_string(numbers)), ...);
    return name + text + (text.empty() ? "" : ")");
}

/// RFC 9174.
inline std::string tcpclv4_word(std::optional<cla::tcpclv4::MessageType> type, ByteView head) {
    using cla::tcpclv4::MessageType;
    if (!type) return "CONTACT";
    switch (*type) {
        case MessageType::kXferSegment:
            return word("XFER_SEGMENT", head[1]);
        case MessageType::kXferAck:
            return word("XFER_ACK", head[1]);
        case MessageType::kXferRefuse:
            return word("XFER_REFUSE", head[1]);
        case MessageType::kKeepAlive:
            return "KEEPALIVE";
        case MessageType::kSessTerm:
            return word("SESS_TERM", head[1], head[2]);
        case MessageType::kMsgReject:
            return word("MSG_REJECT", head[1], head[2]);
        case MessageType::kSessInit:
            return "SESS_INIT";
    }
    return word("?", head[0]);
}

inline std::string tcpclv4_words(ByteView octets) {
    Words words;
    Tcpclv4Stream stream;
    while (!octets.empty()) {
        const auto taken = stream.take(octets);
        octets = octets.subspan(taken.octets);
        words.add(taken.complete ? tcpclv4_word(stream.type(), stream.head()) : "...");
    }
    return words.text();
}

/// RFC 7242.
inline std::string tcpclv3_words(ByteView octets) {
    using cla::tcpclv3::MessageType;
    constexpr std::size_t kNodeIdLengthAt = 8;
    Words words;
    if (octets.empty()) return {};
    const auto length = octets.size() > kNodeIdLengthAt
                            ? codec::decode_sdnv(octets.subspan(kNodeIdLengthAt))
                            : fail(codec::SdnvError::kTruncated);
    if (!length || octets.size() < kNodeIdLengthAt + length->size + length->value) return "...";
    octets = octets.subspan(kNodeIdLengthAt + length->size + length->value);
    words.add("CONTACT");
    while (!octets.empty()) {
        const auto head = cla::tcpclv3::decode_head(octets);
        if (!head) return words.text() + " ...";
        std::size_t size = head->size;
        switch (head->type) {
            case MessageType::kDataSegment:
                words.add(word("DATA_SEGMENT", head->flags));
                size += head->number;
                break;
            case MessageType::kAckSegment:
                words.add("ACK_SEGMENT");
                break;
            case MessageType::kRefuseBundle:
                words.add(word("REFUSE_BUNDLE", head->flags));
                break;
            case MessageType::kKeepAlive:
                words.add("KEEPALIVE");
                break;
            case MessageType::kLength:
                words.add("LENGTH");
                break;
            case MessageType::kShutdown: {
                const auto shutdown = cla::tcpclv3::decode_shutdown(octets);
                if (!shutdown) return words.text() + " ...";
                size = shutdown->size;
                if (!shutdown->reason)
                    words.add("SHUTDOWN");
                else if (!shutdown->reconnection_delay_s)
                    words.add(word("SHUTDOWN", *shutdown->reason));
                else
                    words.add(word("SHUTDOWN", *shutdown->reason, *shutdown->reconnection_delay_s));
                break;
            }
        }
        octets = octets.subspan(std::min(size, octets.size()));
    }
    return words.text();
}

}  // namespace farlink::test
