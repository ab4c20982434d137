// SPDX-License-Identifier: Apache-2.0
// What is in the TLVs of a Metadata PDU: filestore requests, messages, fault handlers.
// Values.
// Any thread.
#pragma once

#include <optional>
#include <string>

#include "cfdp/core/pdu/pdu.hpp"

namespace farlink::cfdp {

/// Section 5.4.1.
struct FilestoreRequest {
    enum class Action : std::uint8_t {
        kCreate = 0,
        kDelete = 1,
        kRename = 2,
        kAppend = 3,
        kReplace = 4,
        kCreateFolder = 5,
        kRemoveFolder = 6,
        kDenyFile = 7,
        kDenyFolder = 8,
    };
    Action action = Action::kCreate;
    std::string first_name{};
    std::string second_name{};  ///< of rename, append and replace
    friend bool operator==(const FilestoreRequest &, const FilestoreRequest &) = default;
};

[[nodiscard]] std::optional<FilestoreRequest> decode_filestore_request(ByteView value);
[[nodiscard]] Bytes encode_filestore_request(const FilestoreRequest &request);
/// The answer to a request that this entity does not carry out: status "not performed".
[[nodiscard]] Bytes refused_filestore_response(const FilestoreRequest &request);

struct HandlerOverride {
    ConditionCode condition = ConditionCode::kNoError;
    FaultHandler handler = FaultHandler::kCancel;
};
[[nodiscard]] std::optional<HandlerOverride> decode_handler_override(ByteView value);

/// The type of a reserved message to the user, which begins with "cfdp" (section 6.1); none: it is
/// another's message.
[[nodiscard]] std::optional<std::uint8_t> reserved_message_type(ByteView value);

}  // namespace farlink::cfdp
