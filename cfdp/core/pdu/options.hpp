// SPDX-License-Identifier: Apache-2.0
// What is in the TLVs of a Metadata PDU: filestore requests, messages, fault handlers.
// Values.
// Any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

inline constexpr std::size_t kFilestoreActions = 9;

/// What has come of a request. On the wire each action has numbers of its own (section 5.4.2).
enum class FilestoreResult : std::uint8_t {
    kDone,
    kFirstMissing,
    kSecondMissing,
    kExists,  ///< the new name is taken
    kRefused,
    kNotPerformed,  ///< an earlier one has failed, or this entity does not do it
};

struct FilestoreResponse {
    FilestoreRequest request{};
    FilestoreResult result = FilestoreResult::kNotPerformed;
    friend bool operator==(const FilestoreResponse &, const FilestoreResponse &) = default;
};

[[nodiscard]] constexpr bool has_second_name(FilestoreRequest::Action action) {
    return action == FilestoreRequest::Action::kRename ||
           action == FilestoreRequest::Action::kAppend ||
           action == FilestoreRequest::Action::kReplace;
}

/// "create", "denyFolder".
[[nodiscard]] std::string_view name_of(FilestoreRequest::Action action);
[[nodiscard]] std::optional<FilestoreRequest::Action> action_named(std::string_view name);
/// "done", "not allowed".
[[nodiscard]] std::string_view name_of(FilestoreResult result);

[[nodiscard]] std::optional<FilestoreRequest> decode_filestore_request(ByteView value);
/// At most 255 octets of a TLV; none: the names do not fit.
[[nodiscard]] std::optional<Bytes> encode_filestore_request(const FilestoreRequest &request);
[[nodiscard]] std::optional<FilestoreResponse> decode_filestore_response(ByteView value);
/// Names that leave no room for the message are left out.
[[nodiscard]] Bytes encode_filestore_response(const FilestoreResponse &response);

struct HandlerOverride {
    ConditionCode condition = ConditionCode::kNoError;
    FaultHandler handler = FaultHandler::kCancel;
};
[[nodiscard]] std::optional<HandlerOverride> decode_handler_override(ByteView value);

/// The messages to the user among the options of a Metadata PDU.
[[nodiscard]] std::vector<Bytes> messages_in(const std::vector<Tlv> &options);

/// The type of a reserved message to the user, which begins with "cfdp" (section 6.1); none: it is
/// another's message.
[[nodiscard]] std::optional<std::uint8_t> reserved_message_type(ByteView value);

}  // namespace farlink::cfdp
