// SPDX-License-Identifier: Apache-2.0
#include "clients/cpp/src/wire.hpp"

namespace farlink::client::wire {

void append_text(Buffer &to, std::uint32_t field, std::string_view text) {
    if (text.empty()) return;
    append_varint(to, std::uint64_t{field} << 3 | 2);
    append_varint(to, text.size());
    to.insert(to.end(), text.begin(), text.end());
}

void append_message(Buffer &to, std::uint32_t field, Octets content) {
    constexpr std::size_t kLongestHeads = 3 * kLongestVarint;
    const std::uint64_t tag = std::uint64_t{field} << 3 | 2;
    to.reserve(to.size() + kLongestHeads + content.size());
    append_varint(to, varint_size(tag) + varint_size(content.size()) + content.size());
    append_varint(to, tag);
    append_varint(to, content.size());
    to.insert(to.end(), content.begin(), content.end());
}

void append_response(Buffer &to, std::uint64_t status, std::uint64_t count) {
    Buffer content;
    append_number(content, 1, status);
    if (count != 1) append_number(content, 1000, count);
    append_varint(to, content.size());
    to.insert(to.end(), content.begin(), content.end());
}

std::optional<Field> FieldReader::next() {
    while (!left_.empty() && !failed_) {
        const Varint tag = read_varint(left_);
        failed_ = tag.size == 0;
        if (failed_) break;
        left_ = left_.subspan(tag.size);
        const std::uint64_t kind = tag.value & 7;
        if (kind == 1 || kind == 5) {
            const std::size_t size = kind == 1 ? 8 : 4;
            failed_ = left_.size() < size;
            if (!failed_) left_ = left_.subspan(size);
            continue;
        }
        const Varint value = read_varint(left_);
        failed_ = value.size == 0 || (kind != 0 && kind != 2);
        if (failed_) break;
        left_ = left_.subspan(value.size);
        Field field{tag.value >> 3, value.value, {}, kind == 2};
        if (kind == 0) return field;
        failed_ = value.value > left_.size();
        if (failed_) break;
        field.octets = left_.first(static_cast<std::size_t>(value.value));
        left_ = left_.subspan(field.octets.size());
        return field;
    }
    return std::nullopt;
}

std::optional<Response> read_response(Octets octets) {
    Response response;
    FieldReader reader(octets);
    while (const auto field = reader.next()) {
        if (field->number == 1 && !field->has_octets) response.status = field->value;
        if (field->number == 1000 && !field->has_octets) response.count = field->value;
        if (field->number == 1001 && field->has_octets) response.reason = text_of(field->octets);
    }
    if (reader.failed()) return std::nullopt;
    return response;
}

Error error_of(const Response &response) {
    constexpr std::uint64_t kInvalidRequest = 10;
    constexpr std::uint64_t kUnauthorized = 12;
    const ErrorCode code = response.status == kInvalidRequest ? ErrorCode::kInvalidRequest
                           : response.status == kUnauthorized ? ErrorCode::kUnauthorized
                                                              : ErrorCode::kRefused;
    return {code, std::string(response.reason)};
}

}  // namespace farlink::client::wire
