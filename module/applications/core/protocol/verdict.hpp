// SPDX-License-Identifier: Apache-2.0
// The answer to a message of an application, with its reason for people.
// A value; the text is constant.
// Any thread.
#pragma once

#include <string_view>

#include "module/applications/core/protocol/aap2.hpp"

namespace farlink::applications {

struct Verdict {
    ResponseStatus status = ResponseStatus::kSuccess;
    std::string_view reason{};

    [[nodiscard]] bool good() const { return status == ResponseStatus::kSuccess; }
    friend bool operator==(const Verdict &, const Verdict &) = default;
};

inline constexpr Verdict kNoDispatch{
    ResponseStatus::kUnauthorized,
    "dispatching by applications is not supported: the node computes its own routes"};
inline constexpr Verdict kNodePartLost{ResponseStatus::kError,
                                       "a module of the node has restarted; try again"};

}  // namespace farlink::applications
