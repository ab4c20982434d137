// SPDX-License-Identifier: Apache-2.0
// Echo requests that this node has sent: the payload of each, and the request of each answer.
// Owned by LocalDeliveries; one thread.
// The payload alone, which comes back octet for octet, identifies the request.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/bytes.hpp"
#include "common/base/time.hpp"
#include "common/bus/messages.hpp"
#include "common/ping/outstanding.hpp"

namespace farlink::ingress {

/// The payload of a request, big-endian: 8 octets that differ from start to start, the number of
/// the request, and octets that follow from both.
class Pings {
public:
    static constexpr std::uint32_t kLeastBytes = 16;
    /// Requests that are remembered; beyond that the oldest is dropped.
    static constexpr std::size_t kMost = 1024;

    /// `run` differs from start to start.
    explicit Pings(std::uint64_t run) : run_(run) {}

    /// Begins a round trip: the payload to send, of kLeastBytes at least.
    [[nodiscard]] Bytes begin(const bus::PingRequest &request, TimePoint now);
    /// The reply to the operator; empty when the payload matches no open request.
    [[nodiscard]] std::optional<bus::PingReply> handle_answer(ByteView payload, TimePoint now);

    [[nodiscard]] std::size_t open() const { return open_.size(); }

private:
    struct Expected {
        bus::RequestId id{};  ///< of the operator
        std::uint32_t payload_bytes = 0;
    };
    [[nodiscard]] Bytes payload_of(std::uint64_t number, std::uint32_t bytes) const;

    std::uint64_t run_;
    std::uint64_t next_ = 1;
    /// Without timeouts: control has those, and an answer that it does not await any more matches
    /// no request there.
    ping::Outstanding<Expected> open_;
};

}  // namespace farlink::ingress
