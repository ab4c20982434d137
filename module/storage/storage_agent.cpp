// SPDX-License-Identifier: Apache-2.0
#include "module/storage/storage_agent.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::storage {
namespace {

/// How long a stopping store waits for its disk and for what egress has in hand.
constexpr seconds kStopLimit{10};

LogOptions log_options(const config::NodeConfig &config) {
    LogOptions options;
    options.node = config.node;
    options.segment_bytes = config.storage.segment_bytes;
    fill_random(options.fresh_key);
    return options;
}

}  // namespace

StorageAgent::StorageAgent(const config::NodeConfig &config, bus::BusContext &context)
    : log_("storage"),
      directory_(config.storage.directory),
      loop_(context, bus::AgentId::kStorage, {bus::AgentId::kScheduler, bus::AgentId::kRouter},
            {[this](bus::Message message) { handle(std::move(message)); }, [this] { settle(); },
             [this] { core_.handle_timeout(monotonic_now()); }, [this] { on_second(); }}),
      core_(config.storage, config.status_reports, read_wall_clock(), release_limits(config),
            {config.node, config.custody}),
      disk_event_(loop_.io(), ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      disk_(directory_, log_options(config), [this] {
          const std::uint64_t one = 1;
          (void)!::write(disk_event_.native_handle(), &one, sizeof one);
      }) {}

bool StorageAgent::open() {
    const auto recovery =
        disk_.open([this](const RestoredRecord &record) { core_.restore(record); });
    if (!recovery) {
        log_.error("{}: {}", directory_, to_string(recovery.error()));
        return false;
    }
    core_.handle_opened(recovery->key);
    if (recovery->bundles > 0)
        log_.info("{}: {} bundles wait from before", directory_, recovery->bundles);
    for (const Damage &damage : recovery->damages)
        log_.warn("{}: file {} at offset {}, record {}: {}", directory_, damage.file, damage.offset,
                  damage.number, to_string(damage.kind));
    if (recovery->damage_count > recovery->damages.size())
        log_.warn("{}: {} damaged places in all", directory_, recovery->damage_count);
    return true;
}

void StorageAgent::run() {
    wait_for_disk();
    loop_.send(bus::AgentId::kSupervisor, bus::ModuleReady{bus::AgentId::kStorage});
    loop_.run();
}

void StorageAgent::wait_for_disk() {
    disk_event_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [this](const boost::system::error_code &error) {
                               if (error) return;
                               std::uint64_t count = 0;
                               (void)!::read(disk_event_.native_handle(), &count, sizeof count);
                               settle();
                               wait_for_disk();
                           });
}

void StorageAgent::handle(bus::Message message) {
    const TimePoint now = monotonic_now();
    std::visit(
        [&](auto &data) {
            using Data = std::decay_t<decltype(data)>;
            if constexpr (std::is_same_v<Data, bus::Stop>) {
                stopping_ = true;
                stop_deadline_ = now + kStopLimit;
                core_.drain();
            } else if constexpr (requires { core_.handle(std::move(data), now); }) {
                core_.handle(std::move(data), now);
            }
        },
        message);
}

void StorageAgent::take_completions() {
    while (DiskRequestPtr completed = disk_.poll_completion())
        core_.handle(std::move(completed), monotonic_now());
}

void StorageAgent::settle() {
    take_completions();
    const TimePoint now = monotonic_now();
    while (DiskRequestPtr request = core_.poll_disk_request(now)) disk_.submit(std::move(request));
    while (auto outgoing = core_.poll_message()) loop_.send(std::move(*outgoing));
    loop_.arm(core_.next_timeout());
    if (stopping_ && (core_.idle() || now >= stop_deadline_)) {
        report_counters();
        loop_.stop();
    }
}

void StorageAgent::on_second() {
    core_.set_wall_clock(read_wall_clock());
    report_counters();
}

void StorageAgent::report_counters() {
    core_.set_segments(disk_.file_count());
    const auto values = core_.counters().values();
    loop_.send(
        bus::AgentId::kTelemetry,
        bus::CounterReport{bus::AgentId::kStorage, ++reports_, {values.begin(), values.end()}});
}

}  // namespace farlink::storage
