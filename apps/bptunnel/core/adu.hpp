// SPDX-License-Identifier: Apache-2.0
// The octets of a tunnel's ADUs (docs/formats/tunnel.md): a head, and datagrams or messages of
// streams behind it.
// Plain functions and values; readers borrow.
// Any thread. Readers take anything and never read beyond its end.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/bytes.hpp"

namespace farlink::bptunnel {

enum class Kind : std::uint8_t { kHello = 0, kDatagrams = 1, kStreams = 2 };

struct Head {
    Kind kind = Kind::kHello;
    std::uint64_t from = 0;    ///< the session of the sender
    std::uint64_t to = 0;      ///< the session of the receiver; 0: not known
    std::uint64_t number = 0;  ///< of the ADU in its session, from 0 on
};

inline constexpr std::size_t kHeadBytes = 28;

void write_head(const Head &head, std::uint8_t *to);
/// None: not an ADU of a tunnel, or of another version.
[[nodiscard]] std::optional<Head> read_head(ByteView adu);

struct Datagram {
    std::uint32_t flow = 0;
    ByteView octets{};
};

inline constexpr std::size_t kDatagramHeadBytes = 6;

void append_datagram(Bytes &to, const Datagram &datagram);

/// Reads records one after another; none: the end, or a fault.
class DatagramReader {
public:
    explicit DatagramReader(ByteView records) : left_(records) {}
    [[nodiscard]] std::optional<Datagram> next();
    [[nodiscard]] bool failed() const { return failed_; }

private:
    ByteView left_;
    bool failed_ = false;
};

enum class MessageType : std::uint8_t { kOpen = 1, kData = 2, kEnd = 3, kCredit = 4, kReset = 5 };

enum class ResetReason : std::uint8_t {
    kNotConnected = 1,  ///< the target of the tunnel cannot be reached
    kBroken = 2,        ///< the connection of the application is broken
    kTooMany = 3,       ///< no room for a further stream
    kFault = 4,         ///< a message that is not allowed
    kIdle = 5,          ///< nothing has happened for long
};

struct Message {
    MessageType type = MessageType::kOpen;
    std::uint32_t stream = 0;
    /// kData: of the first octet; kEnd: of the end; kOpen and kCredit: up to where to send.
    std::uint64_t offset = 0;
    ResetReason reason = ResetReason::kBroken;
    ByteView octets{};
};

inline constexpr std::size_t kDataHeadBytes = 17;

void append_message(Bytes &to, const Message &message);

class MessageReader {
public:
    explicit MessageReader(ByteView messages) : left_(messages) {}
    [[nodiscard]] std::optional<Message> next();
    [[nodiscard]] bool failed() const { return failed_; }

private:
    [[nodiscard]] std::optional<Message> fault();

    ByteView left_;
    bool failed_ = false;
};

}  // namespace farlink::bptunnel
