// SPDX-License-Identifier: Apache-2.0
// Storage on the bus: joins its core to the disks and to the other modules.
// Made by the program, which opens the store before any thread runs.
// run() is called on a thread of its own.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <deque>
#include <optional>

#include "common/bus/loop/agent_loop.hpp"
#include "common/bus/loop/telemetry_reports.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "common/telemetry/changed_values.hpp"
#include "module/storage/core/storage_core.hpp"
#include "module/storage/stop_reserve.hpp"
#include "module/storage/storage_disk.hpp"
#include "module/storage/storage_notices.hpp"

namespace farlink::storage {

class StorageAgent {
public:
    StorageAgent(const config::NodeConfig &config, bus::BusContext &context);

    /// Reads what is on the disks; false, with the reason in the log, when the store cannot be
    /// used. Of several disks some may be missing.
    [[nodiscard]] bool open();
    /// Serves until a Stop message has been carried out.
    void run();

private:
    void handle(bus::Message message);
    void handle_settings(const bus::SettingsChange &change);
    void publish_ready();
    void drain_outputs();
    void serve_disks();
    void wait_for_disks();
    void on_second();
    void on_report();
    void look_for_room();
    void report_counters(bool last);
    void report_store();
    void handle_clock(ClockState before);
    void confirm_clock(TimePoint now);
    void stamp_alive();
    void await_synchronisation();
    void publish_reserve();
    void look_at_reserve();
    void open_reserve();

    Logger log_;
    bus::AgentLoop loop_;
    StorageCore core_;
    boost::asio::posix::stream_descriptor disk_event_;  ///< eventfd, written by every disk
    std::deque<StorageDisk> disks_;
    StorageNotices notices_{log_, core_, disks_};
    std::uint64_t reports_ = 0;
    telemetry::ChangedValues reported_;
    bus::ReportedHistogram reported_flushes_;  ///< as telemetry has it
    PendingSurvey::Result pending_;            ///< by the last survey that is complete
    std::optional<bus::StorageReport> published_store_;
    const bool applications_;  ///< there is such a module
    config::StorageConfig config_;
    StopReserve reserve_;
    TimePoint stamped_{};  ///< when the store was noted to be in use
    DtnTime trusted_ = 0;  ///< the same, by the last time that was not in doubt; 0: not known
    bool awaits_synchronisation_ = false;
    TimePoint stop_deadline_ = kNever;
    bool stopping_ = false;
};

}  // namespace farlink::storage
