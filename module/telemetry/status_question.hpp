// SPDX-License-Identifier: Apache-2.0
// Requests `status` from the supervisor, for links, modules and plan in the node's view.
// Owned by the telemetry agent; its thread.
// One request at a time; a request meanwhile is sent after the reply. Without a reply in time, the
// supervisor is shown as silent.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "common/runtime/clock.hpp"
#include "module/telemetry/core/node_view.hpp"

namespace farlink::telemetry {

class StatusQuestion {
public:
    using Ask = std::function<void(std::uint64_t id, const std::string &caller,
                                   const std::string &request)>;

    /// `view` is borrowed.
    StatusQuestion(NodeView &view, Ask ask) : view_(view), ask_(std::move(ask)) {}

    void ask() {
        if (until_ > monotonic_now()) {
            ++waited_;
            return;
        }
        // After a pause of the whole machine no request was sent, so the time does not count.
        if (std::exchange(waited_, 0) >= kMostWaited) view_.handle_silence();
        until_ = monotonic_now() + kLimit;
        ask_(++last_id_, "telemetry", R"({"command":"status"})");
    }
    /// The supervisor has restarted: the pending request gets no reply.
    void ask_anew() {
        until_ = {};
        waited_ = 0;
        ask();
    }
    /// False when it is the reply to another request.
    bool handle_reply(std::uint64_t id, std::string_view reply, const Moment &moment) {
        if (id < kFirstId) return false;
        if (id != last_id_) return true;
        until_ = {};
        if (std::exchange(waited_, 0) > 0) ask();
        view_.handle_status(Json::parse(reply, nullptr, false), moment);
        return true;
    }

private:
    static constexpr seconds kLimit{3};
    static constexpr int kMostWaited = 2;
    /// Above those of the API's commands, which count from 1.
    static constexpr std::uint64_t kFirstId = std::uint64_t{1} << 63;

    NodeView &view_;
    Ask ask_;
    std::uint64_t last_id_ = kFirstId;
    TimePoint until_{};  ///< time limit of the reply
    int waited_ = 0;     ///< requests meanwhile; above 0: request again after the reply
};

}  // namespace farlink::telemetry
