// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/pdu/options.hpp"

namespace farlink::cfdp {
namespace {

constexpr unsigned kActions = 9;
/// Status of any action that was not carried out (section 5.4.2).
constexpr unsigned kNotPerformed = 15;
constexpr std::size_t kLargestValue = 255;
constexpr std::string_view kReserved = "cfdp";

bool has_second_name(FilestoreRequest::Action action) {
    return action == FilestoreRequest::Action::kRename ||
           action == FilestoreRequest::Action::kAppend ||
           action == FilestoreRequest::Action::kReplace;
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

}  // namespace

std::optional<FilestoreRequest> decode_filestore_request(ByteView value) {
    if (value.empty() || value[0] >> 4 >= kActions) return std::nullopt;
    FilestoreRequest request{static_cast<FilestoreRequest::Action>(value[0] >> 4), {}, {}};
    ByteView left = value.subspan(1);
    if (!take_name(left, request.first_name)) return std::nullopt;
    if (has_second_name(request.action) && !take_name(left, request.second_name))
        return std::nullopt;
    if (!left.empty()) return std::nullopt;
    return request;
}

Bytes encode_filestore_request(const FilestoreRequest &request) {
    return begin_with(static_cast<unsigned>(request.action) << 4, request);
}

Bytes refused_filestore_response(const FilestoreRequest &request) {
    const unsigned first = static_cast<unsigned>(request.action) << 4 | kNotPerformed;
    Bytes value = begin_with(first, request);
    // With a message, names that have filled a TLV do not fit.
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

std::optional<std::uint8_t> reserved_message_type(ByteView value) {
    if (value.size() <= kReserved.size() || as_text(value.first(kReserved.size())) != kReserved)
        return std::nullopt;
    return value[kReserved.size()];
}

}  // namespace farlink::cfdp
