// SPDX-License-Identifier: Apache-2.0
#include <farlink/client/session.hpp>

#include <algorithm>

#include "clients/cpp/src/random_text.hpp"
#include "clients/cpp/src/wire.hpp"

namespace farlink::client {
namespace {

/// Less of a payload is copied: that is cheaper than a second place to read to.
constexpr std::size_t kReadInPlace = 8 * 1024;
constexpr std::size_t kMostInPlace = 256 * 1024;
/// Reserved for a payload whatever its length is.
constexpr std::size_t kReservedBytes = 1024 * 1024;

Error protocol_error(const char *what) {
    return {ErrorCode::kProtocol, what};
}

/// The full endpoint id; a service alone is under the node id of the Welcome.
std::string own_endpoint(std::string_view node, const std::string &wanted) {
    if (wanted.find(':') != std::string::npos) return wanted;
    if (node.starts_with("ipn:"))
        return std::string(node.substr(0, node.rfind('.'))) + '.' +
               (wanted.empty() ? random_number_text() : wanted);
    while (node.ends_with('/')) node.remove_suffix(1);
    return std::string(node) + '/' + (wanted.empty() ? random_text() : wanted);
}

std::vector<std::uint8_t> config_message(const Registration &registration, bool subscribes) {
    wire::Buffer content;
    if (subscribes) wire::append_number(content, 1, 1);
    wire::append_text(content, 3, registration.secret);
    wire::append_text(content, 4, registration.endpoint);
    if (registration.window > 1) wire::append_number(content, 1000, registration.window);
    if (registration.stay_seconds > 0)
        wire::append_number(content, 1001, registration.stay_seconds);
    if (subscribes) wire::append_number(content, 1003, 1);
    wire::Buffer message;
    wire::append_message(message, wire::kConfig, content);
    return message;
}

}  // namespace

std::optional<Error> Session::feed(Octets octets) {
    const bool joined = !held_.empty();
    if (joined) {
        held_.insert(held_.end(), octets.begin(), octets.end());
        octets = held_;
    }
    std::optional<Error> error;
    while (!octets.empty() && !error) {
        const std::size_t taken = take(octets, error);
        if (taken == 0) break;
        octets = octets.subspan(taken);
    }
    if (error) return error;
    if (joined)
        held_.erase(held_.begin(), held_.end() - static_cast<std::ptrdiff_t>(octets.size()));
    else
        held_.assign(octets.begin(), octets.end());
    return std::nullopt;
}

std::size_t Session::take(Octets rest, std::optional<Error> &error) {
    if (stage_ == Stage::kGreeting) {
        if (rest[0] != wire::kGreeting) error = protocol_error("the server does not use AAP 2.0");
        stage_ = Stage::kWelcome;
        return 1;
    }
    if (payload_bytes_ >= 0) {
        const auto left = static_cast<std::size_t>(payload_bytes_) - filled_;
        const std::size_t size = std::min(left, rest.size());
        reserve_payload(filled_ + size);
        payload_.resize(filled_);
        payload_.insert(payload_.end(), rest.begin(),
                        rest.begin() + static_cast<std::ptrdiff_t>(size));
        filled_ += size;
        if (size == left) error = finish_payload();
        return size;
    }
    const wire::Varint length = wire::read_varint(rest);
    if (length.invalid || length.value > wire::kLongestMessage) {
        error = protocol_error("a message that is too long");
        return 0;
    }
    if (length.size == 0 || rest.size() - length.size < length.value) return 0;
    const Octets message = rest.subspan(length.size, static_cast<std::size_t>(length.value));
    error = handle_message(message);
    return length.size + message.size();
}

// Room for all of it at once, unless it is so long that it may be a lie.
void Session::reserve_payload(std::size_t size) {
    if (payload_.capacity() >= size) return;
    const auto whole = static_cast<std::size_t>(payload_bytes_);
    payload_.reserve(std::min(whole, std::max(2 * size, kReservedBytes)));
}

std::span<std::uint8_t> Session::space() {
    if (payload_bytes_ < 0) return {};
    const auto left = static_cast<std::size_t>(payload_bytes_) - filled_;
    if (left < kReadInPlace) return {};
    const std::size_t end = filled_ + std::min(left, kMostInPlace);
    reserve_payload(end);
    if (payload_.size() < end) payload_.resize(end);
    return std::span(payload_).subspan(filled_, end - filled_);
}

std::optional<Error> Session::filled(std::size_t size) {
    filled_ += size;
    return filled_ == static_cast<std::size_t>(payload_bytes_) ? finish_payload() : std::nullopt;
}

std::optional<Error> Session::finish_payload() {
    payload_bytes_ = -1;
    filled_ = 0;
    if (direction_.handle_payload(std::exchange(payload_, {}))) return std::nullopt;
    return protocol_error("a payload without an ADU");
}

std::optional<Error> Session::handle_message(Octets message) {
    if (stage_ == Stage::kWelcome) return handle_welcome(message);
    if (stage_ == Stage::kAnswer) {
        const auto response = wire::read_response(message);
        if (!response) return protocol_error("a malformed answer");
        if (response->status != wire::kSuccess) return wire::error_of(*response);
        stage_ = Stage::kReady;
        return std::nullopt;
    }
    std::int64_t payload_bytes = -1;
    if (!direction_.handle_message(message, payload_bytes))
        return protocol_error("a message that is malformed, or was not expected");
    if (payload_bytes == 0 && !direction_.handle_payload({}))
        return protocol_error("a payload without an ADU");
    if (payload_bytes > 0) payload_bytes_ = payload_bytes;
    return std::nullopt;
}

std::optional<Error> Session::handle_welcome(Octets message) {
    wire::FieldReader reader(message);
    std::optional<std::string> node;
    while (const auto field = reader.next()) {
        if (field->number != wire::kWelcome || !field->has_octets) continue;
        wire::FieldReader welcome(field->octets);
        while (const auto inner = welcome.next())
            if (inner->number == 1 && inner->has_octets) node = text_of(inner->octets);
    }
    if (!node || reader.failed())
        return protocol_error("the first message of the server is not a Welcome");
    // Kept for all further connections, so that a random service stays the same.
    registration_.endpoint = own_endpoint(*node, registration_.endpoint);
    if (registration_.secret.empty()) registration_.secret = random_text();
    const auto config = config_message(registration_, direction_.subscribes());
    output_.insert(output_.end(), config.begin(), config.end());
    stage_ = Stage::kAnswer;
    return std::nullopt;
}

}  // namespace farlink::client
