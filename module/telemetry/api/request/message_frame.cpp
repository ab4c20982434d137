// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/request/message_frame.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/bytes.hpp"
#include "common/config/fields/json_document.hpp"

namespace farlink::telemetry {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kLongestRef = 64;
constexpr std::array<std::string_view, 9> kParameters{
    "source",  "destination", "reportTo",     "lifetimeSeconds", "priority",
    "reports", "hopLimit",    "creationTime", "sequence"};

std::optional<Json> parse_head(std::string_view text) {
    if (text.size() > kMostFrameHeadBytes || config::nested_too_deeply(text)) return std::nullopt;
    Json head = Json::parse(text, nullptr, false);
    if (!head.is_object()) return std::nullopt;
    return head;
}

/// A text or a whole number as a parameter of a query.
std::optional<std::string> parameter_of(const Json &value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
    return std::nullopt;
}

bool read_ref(const Json &value, Json &to) {
    const auto text = parameter_of(value);
    if (!text || text->size() > kLongestRef) return false;
    to = value;
    return true;
}

/// False: it has a member that is not known, or of another type.
bool read_members(const Json &head, SendFrame &frame) {
    for (const auto &[key, value] : head.items()) {
        if (key == "type") continue;
        if (key == "ref") {
            if (!read_ref(value, frame.ref)) return false;
            continue;
        }
        auto text = parameter_of(value);
        if (!text) return false;
        if (key == "idempotencyKey")
            frame.key = std::move(*text);
        else if (std::ranges::find(kParameters, key) != kParameters.end())
            frame.target.query[key] = std::move(*text);
        else
            return false;
    }
    return true;
}

std::optional<ClientFrame> parse_send(std::string_view message, const std::string &source) {
    if (message.size() < kLengthBytes) return std::nullopt;
    const auto length = load_be<std::uint32_t>(as_bytes(message).data());
    message.remove_prefix(kLengthBytes);
    if (length > message.size()) return std::nullopt;
    const auto head = parse_head(message.substr(0, length));
    if (!head || text_of(*head, "type") != "send") return std::nullopt;
    SendFrame frame;
    if (!read_members(*head, frame)) return std::nullopt;
    frame.target.query.try_emplace("source", source);
    frame.payload = message.substr(length);
    return frame;
}

}  // namespace

std::optional<ClientFrame> parse_frame(std::string_view message, bool binary,
                                       const std::string &source) {
    if (binary) return parse_send(message, source);
    const auto head = parse_head(message);
    if (!head || text_of(*head, "type") != "accept" || head->size() != 2) return std::nullopt;
    const auto number = head->find("number");
    if (number == head->end() || !number->is_number_unsigned()) return std::nullopt;
    return AcceptFrame{number->get<std::uint64_t>()};
}

std::string binary_frame(const Json &head, std::string_view payload) {
    const std::string text = to_text(head);
    std::string frame;
    frame.reserve(kLengthBytes + text.size() + payload.size());
    for (unsigned shift = 32; shift > 0;)
        frame += static_cast<char>(text.size() >> (shift -= 8) & 0xff);
    frame += text;
    frame += payload;
    return frame;
}

}  // namespace farlink::telemetry
