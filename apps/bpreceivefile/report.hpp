// SPDX-License-Identifier: Apache-2.0
// What has been received: counted, and printed as text or JSON.
// Owned by Receiving; one thread.
// Refusals go to standard error at once, the first ones with their reasons.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/bpreceivefile/file_writer.hpp"
#include "apps/shared/messages/octet_writer.hpp"

namespace farlink::bpreceivefile {

class Report {
public:
    Report(bool json, bool progress);

    void add(const std::vector<Event> &events);
    void add_octets(std::uint64_t octets) { octets_ += octets; }
    /// A line for those who wait, at most once a second.
    void show_progress(std::size_t open_files);
    /// A line on standard error.
    static void complain(const std::string &what);
    /// The last line. `error`: why it ends; empty: in order.
    void finish(const std::string &endpoint, const FileWriter &writer, const std::string &error);

    /// Files that are beneath the folder, whether or not another one was there.
    [[nodiscard]] std::uint64_t files() const { return files_; }

private:
    using Clock = std::chrono::steady_clock;

    void add(const Event &event);
    void add_refusal(const Event &event);
    void print_line(const Event &event);
    void print(const std::string &line);

    messages::OctetWriter lines_;
    bool json_;
    bool progress_;
    std::uint64_t files_ = 0;
    std::uint64_t kept_others_ = 0;
    std::uint64_t folders_ = 0;
    std::uint64_t refused_ = 0;
    std::uint64_t file_octets_ = 0;
    std::uint64_t octets_ = 0;
    Clock::time_point shown_ = Clock::now();
};

}  // namespace farlink::bpreceivefile
