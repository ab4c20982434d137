// SPDX-License-Identifier: Apache-2.0
// Storage on the bus: joins its core to the disks and to the other modules.
// Made by the program, which opens the store before any thread runs.
// run() is called on a thread of its own.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <deque>
#include <optional>

#include "common/bus/loop/agent_loop.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "common/telemetry/changed_values.hpp"
#include "module/storage/core/storage_core.hpp"
#include "module/storage/core/upkeep/off_time.hpp"
#include "module/storage/store/disk_thread.hpp"
#include "module/storage/store/store_reserve.hpp"

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
    /// One disk and what is said of it.
    struct Disk {
        Disk(const config::StorageDiskConfig &config, const LogOptions &options,
             std::function<void()> on_completion);

        std::string name;
        std::string directory;
        DiskThread thread;
        bool open = false;
        bool published_set_aside = false;
        DiskTrouble published_faults = DiskTrouble::kNone;
        LogLimiter trouble_limiter;
    };

    [[nodiscard]] std::vector<Result<Recovery, StoreError>> read_disks();
    [[nodiscard]] bool judge(DiskIndex index, const Result<Recovery, StoreError> &opened);
    void log_recovery(const Disk &disk, const Recovery &recovery);
    void share_key(const std::vector<Result<Recovery, StoreError>> &opened);
    void handle(bus::Message message);
    void publish_ready();
    void drain_outputs();
    void serve_disks();
    void wait_for_disks();
    void on_second();
    void on_report();
    void report_counters(bool last);
    void report_store();
    void publish_clock(ClockState before);
    void publish_off_time(OffTime off, std::uint64_t off_ms);
    void stamp_alive();
    void publish_disks();
    void publish_unreadable();
    void publish_faults(Disk &disk, DiskTrouble trouble);
    void publish_refusals();
    void take_reserve();
    void open_reserve();
    void publish_refused_bundles();
    void publish_signals();
    void tell_of_tasks();

    Logger log_;
    bus::AgentLoop loop_;
    StorageCore core_;
    boost::asio::posix::stream_descriptor disk_event_;  ///< eventfd, written by every disk
    std::deque<Disk> disks_;
    std::uint64_t reports_ = 0;
    telemetry::ChangedValues reported_;
    std::uint64_t published_flushes_ = 0;  ///< values of the histogram that telemetry has heard of
    PendingSurvey::Result pending_;        ///< by the last survey that is through
    std::optional<bus::StorageReport> published_store_;
    config::StorageConfig config_;
    std::uint64_t reserve_bytes_;  ///< as much as ingress holds in memory
    std::vector<StoreReserve> reserves_;
    std::uint64_t published_refused_ = 0;
    LogLimiter refusal_limiter_;
    std::uint64_t published_waiting_ = 0;
    LogLimiter waiting_limiter_{seconds(60)};
    LogLimiter signal_limiter_;
    TimePoint stamped_{};  ///< when the store was noted to be in use
    TimePoint stop_deadline_ = kNever;
    bool stopping_ = false;
};

}  // namespace farlink::storage
