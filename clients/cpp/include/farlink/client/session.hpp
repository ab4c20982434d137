// SPDX-License-Identifier: Apache-2.0
// AAP 2.0 without sockets: octets in, octets and outcomes out. The base of all forms of the client.
// A Sender and a Receiver outlive their connections: what a lost one has not answered is sent again
// with its id, and what is given again is recognised. One thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <farlink/client/types.hpp>

namespace farlink::client {

/// What a connection needs of its direction.
class Direction {
public:
    virtual ~Direction() = default;
    [[nodiscard]] virtual bool subscribes() const = 0;
    /// A message and its content, behind the handshake; the octets of a payload that follows it, or
    /// a negative number. False: the peer does not speak AAP 2.0.
    [[nodiscard]] virtual bool handle_message(Octets message, std::int64_t &payload_bytes) = 0;
    [[nodiscard]] virtual bool handle_payload(std::vector<std::uint8_t> payload) = 0;
};

/// The octets of one connection, from its first one on.
class Session {
public:
    /// Both are borrowed. The registration's endpoint and secret are filled in, once.
    Session(Registration &registration, Direction &direction)
        : registration_(registration), direction_(direction) {}

    /// Ready: the endpoint is registered. An error ends the connection.
    [[nodiscard]] std::optional<Error> feed(Octets octets);
    /// Where the next octets may be read to without a copy, and filled() in place of feed() for
    /// them: a part of a payload. Empty: nowhere.
    [[nodiscard]] std::span<std::uint8_t> space();
    /// `size` octets were read into the beginning of space().
    [[nodiscard]] std::optional<Error> filled(std::size_t size);
    [[nodiscard]] bool ready() const { return stage_ == Stage::kReady; }
    /// What is to be sent for the handshake.
    [[nodiscard]] std::vector<std::uint8_t> take_output() { return std::move(output_); }

private:
    enum class Stage : std::uint8_t { kGreeting, kWelcome, kAnswer, kReady };

    [[nodiscard]] std::optional<Error> handle_message(Octets message);
    [[nodiscard]] std::optional<Error> handle_welcome(Octets message);
    /// The octets of `rest` that were taken; 0: more must come.
    [[nodiscard]] std::size_t take(Octets rest, std::optional<Error> &error);
    void reserve_payload(std::size_t size);
    [[nodiscard]] std::optional<Error> finish_payload();

    Registration &registration_;
    Direction &direction_;
    Stage stage_ = Stage::kGreeting;
    std::vector<std::uint8_t> held_;
    std::vector<std::uint8_t> output_;
    std::int64_t payload_bytes_ = -1;  ///< of the payload that is arriving
    std::vector<std::uint8_t> payload_;
    std::size_t filled_ = 0;  ///< octets of it that have come; those behind are space()
};

/// DTN time in milliseconds, by the clock of the system.
[[nodiscard]] std::uint64_t dtn_now_ms();

/// The messages under way, in their order.
class Sender final : public Direction {
public:
    using OnSent = std::function<void(std::uint64_t number, Sent sent)>;

    /// `registration` is borrowed. `on_sent` is called for each message, in their order.
    Sender(const Registration &registration, OnSent on_sent);

    /// The message's number, from 0 on; its octets are next_head() and the payload. The endpoint
    /// must be known, from a connection. `now_ms`: DTN time.
    std::uint64_t add(const Message &message, std::uint64_t now_ms) {
        return add(message, message.payload.size(), now_ms);
    }
    /// The same for a payload of which the message has nothing: its octets are sent piece by piece
    /// behind last_head(), which excludes that a lost connection is made again.
    std::uint64_t add(const Message &message, std::uint64_t payload_bytes, std::uint64_t now_ms);
    /// Of the message that was added last.
    [[nodiscard]] Octets last_head() const { return pending_.back().head; }

    struct Pending {
        BundleId id;
        std::vector<std::uint8_t> head;
        Octets payload;
        std::uint64_t number = 0;
    };
    /// All that has no answer; a new connection begins with that.
    [[nodiscard]] const std::deque<Pending> &pending() const { return pending_; }
    /// Ends all of them with an error.
    void give_up(const Error &error);

    [[nodiscard]] bool subscribes() const override { return false; }
    [[nodiscard]] bool handle_message(Octets message, std::int64_t &payload_bytes) override;
    [[nodiscard]] bool handle_payload(std::vector<std::uint8_t> payload) override;

private:
    [[nodiscard]] BundleId next_id(const SendOptions &options, std::uint64_t now_ms);

    const Registration &registration_;
    OnSent on_sent_;
    std::deque<Pending> pending_;
    std::uint64_t next_number_ = 0;
    std::uint64_t last_ms_ = 0;
    std::uint64_t sequence_;
    // The fields that many messages have in common.
    std::vector<std::uint8_t> fixed_;
    std::string fixed_source_;
    std::string fixed_destination_;
    std::uint64_t fixed_ms_ = 0;
    std::vector<std::uint8_t> content_;
};

class ReceivedIds;

/// What was given and is not accepted, and what was accepted recently.
class Receiver final : public Direction {
public:
    /// `registration` is borrowed.
    explicit Receiver(const Registration &registration);
    ~Receiver() override;

    /// A connection has ended: what it has given is given again.
    void handle_lost();
    /// What has arrived and was not given to the application yet.
    [[nodiscard]] std::deque<Adu> &arrived() { return arrived_; }
    /// The node may forget it; take_answers() is then to be sent.
    void accept(const Adu &adu);
    /// For what is accepted in front of all that is not: answers are in the order of the ADUs.
    [[nodiscard]] std::vector<std::uint8_t> take_answers();

    [[nodiscard]] bool subscribes() const override { return true; }
    [[nodiscard]] bool handle_message(Octets message, std::int64_t &payload_bytes) override;
    [[nodiscard]] bool handle_payload(std::vector<std::uint8_t> payload) override;

private:
    struct Given {
        bool accepted = false;
        bool keepalive = false;
    };
    /// An ADU that was given and is not accepted.
    struct Held {
        std::uint64_t key = 0;    ///< of ReceivedIds; 0: it has none
        std::uint64_t given = 0;  ///< by this connection; 0: by an earlier one
        bool accepted = false;
    };
    void accept_given(std::uint64_t number);
    [[nodiscard]] bool is_repeat(std::uint64_t key, std::uint64_t given);

    const Registration &registration_;
    std::deque<Adu> arrived_;
    Adu arriving_;
    bool has_arriving_ = false;
    std::deque<Given> given_;  ///< numbers ascend by one
    std::uint64_t first_given_ = 1;
    std::deque<Held> held_;  ///< likewise: they are the Adus' numbers
    std::uint64_t first_held_ = 1;
    std::unique_ptr<ReceivedIds> ids_;
};

}  // namespace farlink::client
