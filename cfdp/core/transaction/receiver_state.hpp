// SPDX-License-Identifier: Apache-2.0
// The state of a receiver on disk: version, Metadata and EOF as PDUs, then extents and checksums.
// A value; `file` borrows what was decoded.
// Any thread.
#pragma once

#include <optional>

#include "cfdp/core/pdu/pdu.hpp"

namespace farlink::cfdp {

struct ReceiverState {
    PduHeader header{};  ///< of the sender's PDUs
    std::optional<Metadata> metadata{};
    std::optional<Eof> eof{};
    ByteView file{};  ///< of ReceivedFile
};

[[nodiscard]] Bytes encode_state(const ReceiverState &state);
[[nodiscard]] std::optional<ReceiverState> decode_state(ByteView octets);

}  // namespace farlink::cfdp
