// SPDX-License-Identifier: Apache-2.0
// A TCPCLv3 sender with its queue and its events, written and answered by hand.
// Owned by the test.
// One thread.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <deque>

#include "cla/tcpcl/v3/core/sender.hpp"
#include "tests/support/octets.hpp"

namespace farlink::cla::tcpclv3 {

inline constexpr SessionTerms kAll{.acknowledgements = true, .refusal = true, .length = true};

/// A message of the stream, its bundle octets apart.
struct Message {
    MessageHead head;
    Bytes data;
};

struct Desk {
    explicit Desk(const SessionTerms &terms, std::uint64_t max_segment = 100,
                  std::uint64_t max_unsent = 1000, std::uint32_t max_transfers = 100,
                  bool strict = false)
        : events(strict), sender(config_of(max_segment, max_unsent, max_transfers), queue, events) {
        sender.agree(terms);
    }
    static SessionConfig config_of(std::uint64_t max_segment, std::uint64_t max_unsent,
                                   std::uint32_t max_transfers) {
        SessionConfig config;
        config.max_segment = max_segment;
        config.max_unsent = max_unsent;
        config.max_transfers = max_transfers;
        return config;
    }

    void send(std::size_t size) {
        const Bytes &bundle = sent.emplace_back(test::octets_of(size, token + 1));
        const std::size_t head = std::min<std::size_t>(size, 7);
        const Bytes transient(bundle.begin(), bundle.begin() + static_cast<std::ptrdiff_t>(head));
        const ByteView body = ByteView(bundle).subspan(head);
        const std::array<ByteView, 1> rest{body.subspan(body.size() / 2)};
        const TxBundle tx{transient, body.first(body.size() / 2), rest, size, token++};
        sender.handle_send({&tx, 1});
    }
    void send_piece(std::size_t size, bool further, std::uint64_t left) {
        const ByteView piece(sent.emplace_back(test::octets_of(size, token + 1)));
        TxBundle tx{piece.first(size / 4), piece.subspan(size / 4), {}, size, token++};
        tx.is_further_piece = further;
        tx.left = left;
        sender.handle_send({&tx, 1});
    }
    /// Lets the kernel take `most` octets.
    void write(std::uint64_t most = ~std::uint64_t{0}) {
        std::array<iovec, 8> pieces;
        while (most > 0 && queue.pending() > 0) {
            const std::size_t count = queue.gather(pieces, 1);
            ASSERT_EQ(count, 1U);
            const auto size = std::min<std::uint64_t>(pieces[0].iov_len, most);
            append(stream, {static_cast<const std::uint8_t *>(pieces[0].iov_base), size});
            most -= size;
            queue.written(size);
            sender.handle_written();
        }
        sender.report();
    }
    /// The messages of the stream so far; the last one may be cut.
    [[nodiscard]] std::vector<Message> messages() const {
        std::vector<Message> all;
        for (ByteView rest(stream); !rest.empty();) {
            const auto head = decode_head(rest);
            if (!head) break;
            rest = rest.subspan(head->size);
            Message &message = all.emplace_back(Message{*head, {}});
            if (head->type != MessageType::kDataSegment) continue;
            const ByteView data = rest.first(std::min<std::uint64_t>(rest.size(), head->number));
            message.data.assign(data.begin(), data.end());
            rest = rest.subspan(data.size());
        }
        return all;
    }
    /// The bundles of whole messages.
    [[nodiscard]] std::vector<Bytes> bundles() const {
        std::vector<Bytes> all;
        for (const Message &message : messages()) {
            if (message.head.type != MessageType::kDataSegment) continue;
            if ((message.head.flags & kStartFlag) != 0) all.emplace_back();
            append(all.back(), message.data);
        }
        return all;
    }
    LinkFault acknowledge(std::uint64_t length) {
        const LinkFault fault = sender.handle_acknowledgement(length);
        sender.handle_answers_read();
        return fault;
    }
    LinkFault refuse(std::uint8_t code = 2) {
        const LinkFault fault = sender.handle_refusal(code);
        sender.handle_answers_read();
        return fault;
    }
    /// Every bundle below this token is done.
    std::uint64_t done() {
        while (const auto event = events.poll()) {
            if (event->kind == SessionEvent::Kind::kTransmitted) done_below = event->token;
            if (event->kind == SessionEvent::Kind::kRefused)
                refused.emplace_back(event->token, event->refusal);
        }
        return done_below;
    }

    TxQueue queue;
    Events events;
    Sender sender;
    std::deque<Bytes> sent;
    Bytes stream;
    std::uint64_t token = 0;
    std::uint64_t done_below = 0;
    std::vector<std::pair<std::uint64_t, Refusal>> refused;
};

}  // namespace farlink::cla::tcpclv3
