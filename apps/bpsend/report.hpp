// SPDX-License-Identifier: Apache-2.0
// What became of the messages: counted, and printed as text or JSON.
// Owned by bpsend's main(); one thread.
// Refusals go to standard error at once, the first ones with their reasons.
#pragma once

#include <chrono>
#include <cstdint>
#include <farlink/client/types.hpp>
#include <string>

namespace farlink::bpsend {

class Report {
public:
    Report(bool json, bool progress);

    /// `number`: from 1 on.
    void add(const client::Sent &sent, std::uint64_t bytes);
    /// A line for those who wait, at most once a second.
    void show_progress();
    /// The last line. `error`: why not everything was sent; empty: it was.
    void finish(const std::string &destination, const std::string &source,
                const std::string &error) const;

    /// Whether the connection has failed: the messages that follow would, too.
    [[nodiscard]] bool lost() const { return unknown_ > 0; }
    [[nodiscard]] bool all_accepted() const { return accepted_ == number_; }

private:
    using Clock = std::chrono::steady_clock;

    void complain(const client::Sent &sent);
    void print_line(const client::Sent &sent, std::uint64_t bytes) const;

    bool json_;
    bool progress_;
    std::uint64_t number_ = 0;
    std::uint64_t accepted_ = 0;
    std::uint64_t refused_ = 0;
    std::uint64_t unknown_ = 0;  ///< they may have been accepted
    std::uint64_t accepted_bytes_ = 0;
    Clock::time_point begun_ = Clock::now();
    Clock::time_point shown_ = begun_;
};

}  // namespace farlink::bpsend
