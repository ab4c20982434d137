// SPDX-License-Identifier: Apache-2.0
// The outcome of an operation: a value, or an error with its reason.
// Values; the library throws no exceptions of its own.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace farlink::client {

enum class ErrorCode : std::uint8_t {
    kConnectionLost,  ///< the node cannot be reached, or no more
    kTimedOut,        ///< nothing came in the time that was given
    kProtocol,        ///< the peer does not speak AAP 2.0
    kRefused,         ///< the node refuses the request
    kInvalidRequest,  ///< likewise: it has no meaning
    kUnauthorized,    ///< likewise: this application may not do that
    kBadArgument,     ///< found before anything was sent
};

struct Error {
    ErrorCode code = ErrorCode::kRefused;
    std::string reason{};  ///< for people; may be empty

    friend bool operator==(const Error &, const Error &) = default;
};

struct Nothing {};

template <class T>
class [[nodiscard]] Result {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): a value is a result, as with std::expected
    Result(T value) : value_(std::move(value)) {}
    // NOLINTNEXTLINE(google-explicit-constructor): likewise an error
    Result(Error error) : error_(std::move(error)) {}

    [[nodiscard]] bool has_value() const { return value_.has_value(); }
    explicit operator bool() const { return has_value(); }
    /// Only where there is a value.
    [[nodiscard]] T &value() { return *value_; }
    [[nodiscard]] const T &value() const { return *value_; }
    T &operator*() { return *value_; }
    const T &operator*() const { return *value_; }
    T *operator->() { return &*value_; }
    const T *operator->() const { return &*value_; }
    /// Only where there is no value.
    [[nodiscard]] const Error &error() const { return error_; }

private:
    std::optional<T> value_;
    Error error_;
};

}  // namespace farlink::client
