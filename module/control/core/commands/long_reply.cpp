// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/long_reply.hpp"

#include <memory>
#include <utility>

#include "module/control/core/json/replies.hpp"

namespace farlink::control {

using nlohmann::ordered_json;

WrittenReply written(const ordered_json &reply) {
    // Text of a client that is not UTF-8 must not make the reply invalid.
    WrittenReply made{.text = reply.dump(-1, ' ', false, ordered_json::error_handler_t::replace)};
    made.done = reply.value("ok", false);
    if (!made.done) made.error = reply.value("error", std::string());
    return made;
}

Answer answer_to(const TakeReply &reply) {
    return [reply](const ordered_json &body) { reply(written(body)); };
}

ordered_json too_many_long_replies() {
    return error_reply(Refusal::kUnavailable, "too many long replies are being written; try again");
}

void reply_later(WorkQueue &work, std::move_only_function<ordered_json()> make, TakeReply take) {
    const auto reply = std::make_shared<WrittenReply>();
    const auto shared = std::make_shared<TakeReply>(std::move(take));
    const bool taken = work.add(
        [make = std::move(make), reply](const std::stop_token &stop) mutable {
            if (!stop.stop_requested()) *reply = written(make());
        },
        [reply, shared](const WallClock &) { (*shared)(std::move(*reply)); });
    if (!taken) (*shared)(written(too_many_long_replies()));
}

}  // namespace farlink::control
