// SPDX-License-Identifier: Apache-2.0
// Storage on the bus: joins its core to the disk and to the other modules.
// Made by the program, which opens the store before any thread runs.
// run() is called on a thread of its own.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>

#include "common/bus/agent_loop.hpp"
#include "common/config/node_config.hpp"
#include "common/runtime/log.hpp"
#include "module/storage/core/storage_core.hpp"
#include "module/storage/store/disk_thread.hpp"

namespace farlink::storage {

class StorageAgent {
public:
    StorageAgent(const config::NodeConfig &config, bus::BusContext &context);

    /// Reads what is on disk; false, with the reason in the log, when the store cannot be used.
    [[nodiscard]] bool open();
    /// After open(): the newest time of reception in the store, for those who judge the clock.
    [[nodiscard]] DtnTime newest_received() const { return core_.newest_received(); }
    /// Serves until a Stop message has been carried out.
    void run();

private:
    void handle(bus::Message message);
    void settle();
    void take_completions();
    void wait_for_disk();
    void on_second();
    void report_counters();
    void tell_of_clock(ClockState before);

    Logger log_;
    std::string directory_;
    bus::AgentLoop loop_;
    StorageCore core_;
    boost::asio::posix::stream_descriptor disk_event_;  ///< eventfd, written by the disk
    DiskThread disk_;
    std::uint64_t reports_ = 0;
    TimePoint stop_deadline_ = kNever;
    bool stopping_ = false;
};

}  // namespace farlink::storage
