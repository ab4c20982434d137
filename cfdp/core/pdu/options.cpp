// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/pdu/options.hpp"

#include <utility>

namespace farlink::cfdp {
namespace {

constexpr std::size_t kLargestValue = 255;
constexpr std::string_view kReserved = "cfdp";

constexpr std::array<std::string_view, kFilestoreActions> kActionNames{
    "create",       "delete",       "rename",   "append",    "replace",
    "createFolder", "removeFolder", "denyFile", "denyFolder"};

constexpr std::array<std::string_view, 6> kResultNames{
    "done",       "first name missing", "second name missing",
    "name taken", "not allowed",        "not performed"};

/// Status of any action that was not carried out (section 5.4.2).
constexpr std::uint8_t kNotPerformed = 15;
/// By FilestoreResult, for each action: its numbers of the wire. A result that an action does not
/// have is a refusal.
using Statuses = std::array<std::uint8_t, 6>;
constexpr std::array<Statuses, kFilestoreActions> kStatuses{{
    {0, 1, 1, 1, 1, kNotPerformed},  // create
    {0, 1, 2, 2, 2, kNotPerformed},  // delete
    {0, 1, 3, 2, 3, kNotPerformed},  // rename
    {0, 1, 2, 3, 3, kNotPerformed},  // append
    {0, 1, 2, 3, 3, kNotPerformed},  // replace
    {0, 1, 1, 1, 1, kNotPerformed},  // create folder
    {0, 1, 2, 2, 2, kNotPerformed},  // remove folder
    {0, 0, 2, 2, 2, kNotPerformed},  // deny file
    {0, 0, 2, 2, 2, kNotPerformed},  // deny folder
}};

const Statuses &statuses_of(FilestoreRequest::Action action) {
    return kStatuses.at(static_cast<std::size_t>(action));
}

/// A refusal before the others that share its number.
std::optional<FilestoreResult> result_of(FilestoreRequest::Action action, unsigned status) {
    using enum FilestoreResult;
    const Statuses &statuses = statuses_of(action);
    for (const auto each : {kDone, kRefused, kFirstMissing, kSecondMissing, kExists, kNotPerformed})
        if (statuses.at(static_cast<std::size_t>(each)) == status) return each;
    return std::nullopt;
}

bool take_name(ByteView &left, std::string &name) {
    if (left.empty() || left.size() - 1 < left[0]) return false;
    name = as_text(left.subspan(1, left[0]));
    left = left.subspan(1U + left[0]);
    return true;
}

void append_name(Bytes &to, std::string_view name) {
    to.push_back(static_cast<std::uint8_t>(name.size()));
    append(to, as_bytes(name));
}

Bytes begin_with(unsigned first, const FilestoreRequest &request) {
    Bytes value{static_cast<std::uint8_t>(first)};
    append_name(value, request.first_name);
    if (has_second_name(request.action)) append_name(value, request.second_name);
    return value;
}

/// What both TLVs begin with: the action, and the names it has.
std::optional<FilestoreRequest> take_request(ByteView value, ByteView &left) {
    if (value.empty() || value[0] >> 4 >= kFilestoreActions) return std::nullopt;
    FilestoreRequest request{static_cast<FilestoreRequest::Action>(value[0] >> 4), {}, {}};
    left = value.subspan(1);
    if (!take_name(left, request.first_name)) return std::nullopt;
    if (has_second_name(request.action) && !take_name(left, request.second_name))
        return std::nullopt;
    return request;
}

}  // namespace

std::string_view name_of(FilestoreRequest::Action action) {
    return kActionNames.at(static_cast<std::size_t>(action));
}

std::optional<FilestoreRequest::Action> action_named(std::string_view name) {
    for (std::size_t i = 0; i < kActionNames.size(); ++i)
        if (kActionNames[i] == name) return static_cast<FilestoreRequest::Action>(i);
    return std::nullopt;
}

std::string_view name_of(FilestoreResult result) {
    return kResultNames.at(static_cast<std::size_t>(result));
}

std::optional<FilestoreRequest> decode_filestore_request(ByteView value) {
    ByteView left;
    auto request = take_request(value, left);
    if (!left.empty()) return std::nullopt;
    return request;
}

std::optional<Bytes> encode_filestore_request(const FilestoreRequest &request) {
    const std::size_t most = kLargestValue - 2;
    if (request.first_name.size() > most || request.second_name.size() > most) return std::nullopt;
    Bytes value = begin_with(static_cast<unsigned>(request.action) << 4, request);
    if (value.size() > kLargestValue) return std::nullopt;
    return value;
}

std::optional<FilestoreResponse> decode_filestore_response(ByteView value) {
    ByteView left;
    auto request = take_request(value, left);
    if (!request) return std::nullopt;
    const auto result = result_of(request->action, value[0] & 15U);
    std::string message;
    if (!result || !take_name(left, message) || !left.empty()) return std::nullopt;
    return FilestoreResponse{std::move(*request), *result};
}

Bytes encode_filestore_response(const FilestoreResponse &response) {
    const FilestoreRequest &request = response.request;
    const unsigned status =
        statuses_of(request.action).at(static_cast<std::size_t>(response.result));
    const unsigned first = static_cast<unsigned>(request.action) << 4 | status;
    Bytes value = begin_with(first, request);
    if (value.size() >= kLargestValue) value = begin_with(first, {request.action, {}, {}});
    value.push_back(0);  // no message
    return value;
}

std::optional<HandlerOverride> decode_handler_override(ByteView value) {
    if (value.size() != 1) return std::nullopt;
    const unsigned handler = value[0] & 15;
    if (handler < 1 || handler > 4) return std::nullopt;
    return HandlerOverride{static_cast<ConditionCode>(value[0] >> 4),
                           static_cast<FaultHandler>(handler)};
}

std::vector<Bytes> messages_in(const std::vector<Tlv> &options) {
    std::vector<Bytes> messages;
    for (const Tlv &each : options)
        if (each.type == Tlv::kMessageToUser) messages.push_back(each.value);
    return messages;
}

std::optional<std::uint8_t> reserved_message_type(ByteView value) {
    if (value.size() <= kReserved.size() || as_text(value.first(kReserved.size())) != kReserved)
        return std::nullopt;
    return value[kReserved.size()];
}

}  // namespace farlink::cfdp
