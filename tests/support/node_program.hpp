// SPDX-License-Identifier: Apache-2.0
// A node as a program under test: reads its ports and the counters that it prints.
// Owned by one test; one thread.
// Counters come once a second, and a last time when the node has ended.
#pragma once

#include <algorithm>
#include <fstream>

#include "tests/support/temp_folder.hpp"
#include "tests/support/tool_programs.hpp"

namespace farlink::test {

/// A sanitizer needs more memory, so that no limit applies.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// The gateway on the space station: 1600 MB of memory, two processors. A sanitizer's shadow
/// memory does not fit.
inline ChildLimits gateway_limits() {
    return {.address_space_bytes = kSanitized ? 0 : 1'600'000'000, .processors = 2};
}

class NodeProgram : public ChildProcess {
public:
    /// Writes `config` to `name` in the folder, to which its files are relative. `launcher`: the
    /// words before the program's own.
    NodeProgram(const TempFolder &folder, const nlohmann::json &config,
                const std::string &name = "node.json",
                const std::vector<std::string> &launcher = {})
        : ChildProcess(joined(launcher, {program("farlink"), "--config",
                                         written(folder, name, config), "--counters"}),
                       gateway_limits()) {
        const auto ready = nlohmann::json::parse(line(kOut), nullptr, false);
        if (ready.is_object() && ready.contains("ports"))
            ports_ = ready["ports"].get<std::vector<std::uint16_t>>();
        else
            ADD_FAILURE() << "not ready: " << unread(kErr);
    }
    /// The port of an induct, by its place in the configuration.
    [[nodiscard]] std::uint16_t port(std::size_t induct = 0) const {
        return induct < ports_.size() ? ports_[induct] : std::uint16_t{0};
    }
    /// As read last.
    [[nodiscard]] std::uint64_t value(const std::string &counter) const {
        return counters_.value(counter, std::uint64_t{0});
    }
    [[nodiscard]] const nlohmann::json &counters() const { return counters_; }
    /// Reads counters until `done`; false at the limit.
    template <class Done>
    [[nodiscard]] bool wait_until(Done done, int most_seconds = 20) {
        for (int i = 0; i < most_seconds; ++i) {
            if (!read_counters()) return false;
            if (done()) return true;
        }
        ADD_FAILURE() << counters_;
        return false;
    }
    /// Likewise, with counters that the node read after this call: printed counters are older, and
    /// the next ones may have been read just before the call.
    template <class Done>
    [[nodiscard]] bool wait_until_now(Done done, int most_seconds = 20) {
        look();
        return read_counters() && wait_until(done, most_seconds);
    }
    /// Reads the counters that the node has printed already.
    void look() {
        take_output();
        while (has_line(kOut) && read_counters()) {
        }
    }
    /// Stops the node by SIGTERM, and reads its last counters; its ledger must balance.
    void stop() {
        signal(SIGTERM);
        EXPECT_EQ(wait(), 0) << unread(kErr);
        while (!unread(kOut).empty() && read_counters()) {
        }
    }

private:
    static std::string written(const TempFolder &folder, const std::string &name,
                               const nlohmann::json &config) {
        folder.write(name, config.dump());
        return folder / name;
    }
    bool read_counters() {
        auto said = nlohmann::json::parse(line(kOut), nullptr, false);
        if (!said.is_object()) return false;
        counters_ = std::move(said);
        return true;
    }

    std::vector<std::uint16_t> ports_;
    nlohmann::json counters_ = nlohmann::json::object();
};

}  // namespace farlink::test
