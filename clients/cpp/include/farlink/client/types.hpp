// SPDX-License-Identifier: Apache-2.0
// What is sent and received.
// Values; spans borrow.
// Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <farlink/client/result.hpp>

namespace farlink::client {

using Octets = std::span<const std::uint8_t>;

[[nodiscard]] inline Octets octets_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}
[[nodiscard]] inline std::string_view text_of(Octets octets) {
    return {reinterpret_cast<const char *>(octets.data()), octets.size()};
}

enum class Priority : std::uint8_t { kBulk = 0, kNormal = 1, kExpedited = 2 };

/// Status reports that a bundle requests, to be joined by |.
inline constexpr std::uint8_t kReportForwarding = 1;
inline constexpr std::uint8_t kReportDeletion = 2;
inline constexpr std::uint8_t kReportReception = 4;
inline constexpr std::uint8_t kReportDelivery = 8;
/// The reports state when the event was.
inline constexpr std::uint8_t kReportTimes = 16;

/// The identity of a bundle.
struct BundleId {
    std::string source;
    std::uint64_t creation_ms = 0;  ///< DTN time: milliseconds since 2000-01-01 UTC
    std::uint64_t sequence = 0;

    /// "SOURCE/TIME/SEQUENCE"
    [[nodiscard]] std::string to_string() const;
    friend bool operator==(const BundleId &, const BundleId &) = default;
};

/// What is not given is left to the node.
struct SendOptions {
    std::string source{};  ///< the endpoint itself if empty
    std::string report_to{};
    std::optional<std::chrono::milliseconds> lifetime{};
    std::optional<Priority> priority{};
    std::optional<std::uint8_t> reports{};
    std::optional<std::uint8_t> crc_type{};  ///< 0 none, 1 CRC-16, 2 CRC-32C
    std::optional<std::uint8_t> hop_limit{};
    /// 7, or 6: a BPv6 bundle has neither CRCs nor a hop limit, and its times are whole seconds.
    std::optional<std::uint8_t> bp_version{};
    /// The id of a bundle that may have been sent before: a repeat is harmless then.
    std::optional<BundleId> id{};
};

/// An ADU to send. The payload must stay valid until its outcome is known.
struct Message {
    std::string destination;
    Octets payload;
    SendOptions options{};
};

/// What became of a message.
struct Sent {
    BundleId id;
    std::optional<Error> error{};  ///< none: the node has accepted it
};

/// An ADU that was received. It is given again, to this receiver or another, unless accepted.
struct Adu {
    std::string source;
    std::string destination;
    std::string report_to;
    std::uint64_t creation_ms = 0;
    std::uint64_t sequence = 0;
    std::vector<std::uint8_t> payload;
    bool is_status_report = false;
    bool repeated = false;            ///< it may have been given to a receiver before
    std::uint64_t previous_node = 0;  ///< 0: none
    std::uint64_t hop_count = 0;
    std::uint64_t hop_limit = 0;  ///< 0: none
    std::uint64_t age_ms = 0;
    std::uint64_t number = 0;  ///< of the receiver, for accept()

    [[nodiscard]] BundleId id() const { return {source, creation_ms, sequence}; }
};

/// How an endpoint is registered.
struct Registration {
    /// "ipn:10.42", "dtn://node/name", a service of the node ("42", "name"); empty: a random one.
    std::string endpoint{};
    std::string secret{};            ///< a random one if empty
    std::uint32_t stay_seconds = 0;  ///< how long a dynamic endpoint stays after its connections
    std::uint32_t window = 64;       ///< ADUs under way at a time
};

}  // namespace farlink::client
