// SPDX-License-Identifier: Apache-2.0
// Bundles from the node to files: accepted once files and folders are on disk.
// Owned by bpreceivefile's main(); one thread.
// What comes within 50 ms is flushed and accepted together, while more is received and written.
#pragma once

#include <chrono>
#include <cstdint>
#include <farlink/client/endpoint.hpp>
#include <string>
#include <vector>

#include "apps/bpreceivefile/file_writer.hpp"
#include "apps/bpreceivefile/options.hpp"
#include "apps/bpreceivefile/report.hpp"
#include "apps/shared/messages/interruption.hpp"

namespace farlink::bpreceivefile {

class Receiving {
public:
    /// All are borrowed.
    Receiving(client::Endpoint &endpoint, const Arguments &arguments, FileWriter &writer,
              const messages::Interruption &interruption);

    /// Returns at the count, after a time without a bundle, at an interruption or with an error.
    /// The exit code.
    [[nodiscard]] int run();

private:
    using Clock = std::chrono::steady_clock;

    void receive();
    /// What is there, together: waits for the first one only.
    [[nodiscard]] std::vector<client::Adu> collect();
    [[nodiscard]] bool collect_more(std::vector<client::Adu> &adus, std::chrono::milliseconds wait);
    /// False: it ends.
    [[nodiscard]] bool write(std::vector<client::Adu> adus);
    /// Waits for the group that another thread has, and accepts it.
    [[nodiscard]] bool end_group();
    void accept(const std::vector<client::Adu> &adus);
    template <class Action>
    [[nodiscard]] bool until_done(Action action);
    [[nodiscard]] bool wait_for_room();
    void handle_idle();
    [[nodiscard]] bool ends() const;

    client::Endpoint &endpoint_;
    const Arguments &arguments_;
    FileWriter &writer_;
    const messages::Interruption &interruption_;
    Report report_;
    std::vector<client::Adu> group_;  ///< what another thread makes durable
    std::string error_;
    bool lost_ = false;
    bool idle_too_long_ = false;
    bool without_room_ = false;
    Clock::time_point last_ = Clock::now();     ///< when something came or was accepted
    Clock::time_point expired_ = Clock::now();  ///< when what is too old was removed
};

}  // namespace farlink::bpreceivefile
