// SPDX-License-Identifier: Apache-2.0
// The state of a receiver on disk: version, Metadata and EOF as PDUs, extents and checksums, then
// how far its filestore requests are.
// A value; `file` borrows what was decoded.
// Any thread.
#pragma once

#include <optional>

#include "cfdp/core/pdu/options.hpp"
#include "cfdp/core/pdu/pdu.hpp"

namespace farlink::cfdp {

/// The requests of a transaction run once: they are marked on disk before the first one.
enum class RequestStep : std::uint8_t { kBefore = 0, kRunning = 1, kDone = 2 };

struct ReceiverState {
    PduHeader header{};  ///< of the sender's PDUs
    std::optional<Metadata> metadata{};
    std::optional<Eof> eof{};
    ByteView file{};  ///< of ReceivedFile
    RequestStep requests = RequestStep::kBefore;
    std::string name{};  ///< that the file has got
    std::vector<FilestoreResponse> responses{};
};

[[nodiscard]] Bytes encode_state(const ReceiverState &state);
[[nodiscard]] std::optional<ReceiverState> decode_state(ByteView octets);

}  // namespace farlink::cfdp
