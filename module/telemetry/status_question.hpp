// SPDX-License-Identifier: Apache-2.0
// Keeps links, modules and plan of the node's view up to date: asks the supervisor for `status`.
// Owned by the telemetry agent, on whose thread it lives.
// One question at a time; who asks meanwhile makes it ask again. One that is not answered in time
// tells that the supervisor is silent.
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
        // Not so after a pause of the whole machine: nobody has asked meanwhile.
        if (std::exchange(waited_, 0) >= kMostWaited) view_.handle_silence();
        until_ = monotonic_now() + kLimit;
        ask_(++last_id_, "telemetry", R"({"command":"status"})");
    }
    /// Another supervisor is there: the one that was asked does not answer any more.
    void ask_anew() {
        until_ = {};
        waited_ = 0;
        ask();
    }
    /// False: it is the answer to something else.
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
    /// Those of the API's commands count from 1.
    static constexpr std::uint64_t kFirstId = std::uint64_t{1} << 63;

    NodeView &view_;
    Ask ask_;
    std::uint64_t last_id_ = kFirstId;
    TimePoint until_{};  ///< then the answer is not waited for
    int waited_ = 0;     ///< times that somebody asked before that: it is asked again then
};

}  // namespace farlink::telemetry
