// SPDX-License-Identifier: Apache-2.0
// Replies as text: short ones at once, long ones beside the loop.
// Plain functions on values; written() in any thread, reply_later() on the loop.
// A reply is long when its size follows that of the plan.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "module/control/core/work_queue.hpp"

namespace farlink::control {

struct WrittenReply {
    std::string text;     ///< one JSON object
    std::string error{};  ///< of a request that was refused
    bool done = true;
};
using TakeReply = std::function<void(WrittenReply)>;
/// Takes a reply that is short.
using Answer = std::function<void(const nlohmann::ordered_json &)>;

[[nodiscard]] WrittenReply written(const nlohmann::ordered_json &reply);
[[nodiscard]] Answer answer_to(const TakeReply &reply);

/// The reply when the queue is full.
[[nodiscard]] nlohmann::ordered_json too_many_long_replies();

/// `make` is called beside the loop.
void reply_later(WorkQueue &work, std::move_only_function<nlohmann::ordered_json()> make,
                 TakeReply take);

}  // namespace farlink::control
