// SPDX-License-Identifier: Apache-2.0
// Replies as text: short ones at once, long ones beside the supervisor's loop.
// Plain functions on values; written() in any thread, reply_later() in the supervisor's.
// A reply is long when its size follows that of the plan.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "module/control/slow_work.hpp"

namespace farlink::app {

struct WrittenReply {
    std::string text;     ///< one JSON object
    std::string error{};  ///< of a request that was refused
    bool done = true;
};
using TakeReply = std::function<void(WrittenReply)>;

[[nodiscard]] WrittenReply written(const nlohmann::ordered_json &reply);

/// The answer when SlowWork takes no more.
[[nodiscard]] nlohmann::ordered_json too_many_long_replies();

/// `make` is called in the thread of `work`.
void reply_later(SlowWork &work, std::move_only_function<nlohmann::ordered_json()> make,
                 TakeReply take);

}  // namespace farlink::app
