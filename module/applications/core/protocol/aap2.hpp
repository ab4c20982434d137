// SPDX-License-Identifier: Apache-2.0
// The messages of AAP 2.0, the application agent protocol of uD3TN, and farlink's fields in them.
// Decoded messages borrow the octets that they were read from; plain functions.
// Any thread.
//
// Fields from 1000 on are farlink's own. Other servers and clients skip them, as Protocol Buffers
// have it (docs/formats/aap2.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "common/base/bytes.hpp"
#include "common/base/types.hpp"

namespace farlink::applications {

/// The first octet that a server sends.
inline constexpr std::uint8_t kAap2Greeting = 0x2f;

enum class ResponseStatus : std::uint8_t {
    kUnspecified = 0,
    kSuccess = 1,
    kAck = 2,  ///< to a keepalive
    kError = 8,
    kTimeout = 9,
    kInvalidRequest = 10,
    kNotFound = 11,
    kUnauthorized = 12,
};

/// `ConnectionConfig`
struct ConnectionConfig {
    bool subscribes = false;
    std::uint64_t auth_type = 0;
    std::string_view secret;
    std::string_view endpoint;  ///< as text
    std::uint64_t keep_alive_seconds = 0;
    // ---- farlink's
    std::uint64_t window = 0;        ///< ADUs under way at a time; 0 and 1: one
    std::uint64_t stay_seconds = 0;  ///< how long a dynamic endpoint stays after its connections
    bool wants_metadata = false;     ///< with each ADU
};

/// `BundleADUFlags`, one bit each.
inline constexpr std::uint8_t kAduIsBpdu = 1U << 1;
inline constexpr std::uint8_t kAduHasDispatchAuthority = 1U << 2;
inline constexpr std::uint8_t kAduIsStatusReport = 1U << 3;

/// What a client asks for an ADU that it sends, beyond AAP 2.0.
struct SendOptions {
    std::uint64_t lifetime_ms = 0;            ///< 0: the default
    std::optional<Priority> priority{};       ///< by policy if not given
    std::optional<std::uint8_t> reports{};    ///< kReport* bits
    std::optional<std::uint64_t> crc_type{};  ///< of all blocks
    std::optional<std::uint64_t> hop_limit{};
    std::optional<std::uint64_t> version{};  ///< of the bundle: 7 or 6
};

/// What is known of an ADU that a client receives, beyond AAP 2.0.
struct Reception {
    std::uint64_t previous_node = 0;  ///< 0: none
    std::uint64_t hop_count = 0;
    std::uint64_t hop_limit = 0;  ///< 0: none
    std::uint64_t age_ms = 0;     ///< since its creation
    bool repeated = false;        ///< it may have been given to a receiver before
    std::uint64_t identity = 0;   ///< the same each time it is given
    std::uint64_t priority = 0;   ///< as Priority, above 0: plus one
};

/// `BundleADU`; the payload follows it.
struct BundleAdu {
    std::string_view source;
    std::string_view destination;
    std::string_view report_to;
    std::uint64_t creation_ms = 0;  ///< DTN milliseconds
    std::uint64_t sequence = 0;
    std::uint64_t payload_bytes = 0;
    std::uint8_t flags = 0;
    SendOptions options;  ///< of a client
};

/// `AAPResponse`
struct Response {
    ResponseStatus status = ResponseStatus::kUnspecified;
    // ---- farlink's
    std::uint64_t count = 1;  ///< it answers so many messages, in their order
    std::string_view reason;  ///< of a refusal, for people
};

struct KeepAliveMessage {};
/// Messages of uD3TN's external routing and contact configuration.
struct OtherMessage {};

using ClientMessage = std::variant<ConnectionConfig, BundleAdu, KeepAliveMessage, OtherMessage>;

/// Reads an `AAPMessage`; empty when it is not well formed or has no content.
[[nodiscard]] std::optional<ClientMessage> decode_message(ByteView octets);
/// Reads a bare `AAPResponse`.
[[nodiscard]] std::optional<Response> decode_response(ByteView octets);

/// Appends messages, each behind its length. Owned by a session; it keeps its memory.
class Aap2Writer {
public:
    void welcome(Bytes &to, std::string_view node_id);
    void keep_alive(Bytes &to);
    /// The fields that both directions have; `reception` where the client asked for it.
    void adu(Bytes &to, const BundleAdu &adu, const Reception *reception);
    void response(Bytes &to, const Response &response);

private:
    void message(Bytes &to, std::uint32_t field);
    void delimited(Bytes &to, ByteView octets);

    Bytes content_;
};

}  // namespace farlink::applications
