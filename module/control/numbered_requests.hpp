// SPDX-License-Identifier: Apache-2.0
// Who waits for answers that name their question by a number, `id`.
// Owned by the supervisor's Questions; its thread only.
// A module that dies takes questions with it, and whoever comes back answers the others: so the
// order says nothing, and each waiter is told in time that nothing has come.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "common/runtime/clock.hpp"

namespace farlink::app {

template <class Answer>
class NumberedReplies {
public:
    /// Called once: with the answer, or with nothing.
    using Handler = std::function<void(std::optional<Answer>)>;

    NumberedReplies(boost::asio::io_context &io, Duration patience)
        : timer_(io), patience_(patience) {}

    /// The number for the question.
    [[nodiscard]] std::uint64_t add(Handler handler) {
        waiting_.emplace(++last_, Waiter{std::move(handler), monotonic_now() + patience_});
        if (waiting_.size() == 1) arm();
        return last_;
    }
    void handle(const Answer &answer) {
        auto found = waiting_.extract(answer.id);
        if (!found.empty()) found.mapped().handler(answer);
    }

private:
    struct Waiter {
        Handler handler;
        TimePoint until;
    };

    // All have the same patience, so the oldest is the first to lose it.
    void arm() {
        if (waiting_.empty()) return;
        timer_.expires_after(waiting_.begin()->second.until - monotonic_now());
        timer_.async_wait([this](const boost::system::error_code &error) {
            if (!error) give_up();
        });
    }
    void give_up() {
        while (!waiting_.empty() && waiting_.begin()->second.until <= monotonic_now())
            waiting_.extract(waiting_.begin()).mapped().handler(std::nullopt);
        arm();
    }

    boost::asio::steady_timer timer_;
    Duration patience_;
    std::map<std::uint64_t, Waiter> waiting_;
    std::uint64_t last_ = 0;
};

}  // namespace farlink::app
