// SPDX-License-Identifier: Apache-2.0
#include "module/storage/storage_agent.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "common/bus/dispatch.hpp"
#include "common/config/reload/settings_change.hpp"
#include "common/history/file/open_history.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"
#include "common/runtime/kernel_clock_state.hpp"
#include "common/runtime/process/freed_memory.hpp"
#include "module/storage/alive_stamp.hpp"
#include "module/storage/store/store_room.hpp"
#include "module/storage/store_opener.hpp"

namespace farlink::storage {
namespace {

/// How long a stopping store waits for its disk and for what egress has in hand.
constexpr seconds kStopLimit{10};
/// How often the store notes that it is in use.
constexpr Duration kStampedEach = seconds(30);

LogOptions log_options(const config::NodeConfig &config) {
    LogOptions options;
    options.node = config.node;
    options.segment_bytes = config.storage.segment_bytes;
    options.discard = !config.storage.restore;
    fill_random(options.fresh_key);
    return options;
}

}  // namespace

StorageAgent::StorageAgent(const config::NodeConfig &config, bus::BusContext &context)
    : log_("storage"),
      loop_(context, bus::AgentId::kStorage, {bus::AgentId::kScheduler, bus::AgentId::kRouter},
            {[this](bus::Message message) { handle(std::move(message)); },
             [this] { drain_outputs(); }, [this] { core_.handle_timeout(monotonic_now()); },
             [this] { on_second(); }, [this] { on_report(); }}),
      core_(config.storage, config.status_reports, read_wall_clock(), release_limits(config),
            {config.node, config.custody, config.applications.wanted() ? config.echo_service : 0},
            history::open_history(config, bus::name_of(bus::AgentId::kStorage), log_)),
      disk_event_(loop_.io(), ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      applications_(context.placement().applications()),
      config_(config.storage),
      reserve_(log_, config.stop_reserve_bytes()) {
    core_.set_policies(config.routing);
    core_.set_placement(context.placement());
    LogOptions options = log_options(config);
    for (const config::StorageDiskConfig &disk : config.storage.disks) {
        std::array<std::uint8_t, sizeof(DiskId)> random{};
        fill_random(random);
        options.fresh_disk = load_be<DiskId>(random.data());
        disks_.emplace_back(disk, options, [this] {
            const std::uint64_t one = 1;
            (void)!::write(disk_event_.native_handle(), &one, sizeof one);
        });
    }
}

bool StorageAgent::open() {
    StoreOpener opener(log_, notices_, core_, disks_);
    if (!opener.open()) return false;
    trusted_ = opener.last_used();
    awaits_synchronisation_ = opener.awaits_synchronisation();
    for (const std::string &line : review_room(config_, reserve_.bytes())) log_.warn("{}", line);
    reserve_.take(disks_);
    core_.placement().set_reserve_missing(!reserve_.is_complete());
    stamp_alive();
    return true;
}

// While the clock is in doubt, the last trusted time stays, also for the next start.
void StorageAgent::stamp_alive() {
    const ClockState state = core_.clock().state();
    const bool doubted = state == ClockState::kUnset || state == ClockState::kSteppedForward;
    if (!doubted) trusted_ = read_wall_clock().dtn_ms;
    for (const StorageDisk &disk : disks_) {
        if (!disk.open) continue;
        if (doubted)
            keep_stamp(disk.directory, trusted_);
        else
            storage::stamp_alive(disk.directory);
    }
    stamped_ = monotonic_now();
}

void StorageAgent::handle_clock(ClockState before) {
    notices_.log_clock(before);
    if (core_.clock().state() != before) stamp_alive();
}

void StorageAgent::confirm_clock(TimePoint now) {
    const ClockState before = core_.clock().state();
    core_.handle(bus::ClockConfirm{}, now);
    notices_.log_confirmation(core_.figures().overdue());  // they are deleted in the next turns
    handle_clock(before);
}

// The clock was only doubted because it was not synchronised.
void StorageAgent::await_synchronisation() {
    if (!awaits_synchronisation_) return;
    awaits_synchronisation_ = core_.clock().state() == ClockState::kUnset;
    if (!awaits_synchronisation_ || !is_clock_synchronised()) return;
    log_.info("the clock is synchronised");
    loop_.send(bus::AgentId::kSupervisor, bus::ClockConfirm{});
}

void StorageAgent::publish_reserve() {
    loop_.send(bus::AgentId::kIngress, bus::StorageReserve{reserve_.memory_bytes()});
}

// Room that became free, because bundles left or other files were removed.
void StorageAgent::look_at_reserve() {
    if (!reserve_.grow()) return;
    core_.placement().set_reserve_missing(!reserve_.is_complete());
    publish_reserve();
}

// Data that the kernel holds for STCP and MTCP inducts come on top of the memory of ingress, and
// their senders take them for sent: the capacity does not apply to them, only the room on disk.
void StorageAgent::open_reserve() {
    reserve_.give_back();
    std::uint64_t room = 2 * reserve_.bytes();
    for (const StorageDisk &disk : disks_)
        if (disk.open) room = std::max(room, free_bytes_at(disk.directory));
    core_.placement().open_reserve(room);
}

void StorageAgent::run() {
    publish_reserve();
    wait_for_disks();
    const bus::StorageReady ready{core_.figures().counters().value(StorageCounter::kRestored),
                                  core_.newest_received()};
    loop_.send(bus::AgentId::kEgress, ready);
    if (applications_) loop_.send(bus::AgentId::kApplications, ready);
    publish_ready();
    loop_.run();
}

void StorageAgent::publish_ready() {
    loop_.send(bus::AgentId::kSupervisor, bus::ModuleReady{.module = bus::AgentId::kStorage});
}

void StorageAgent::wait_for_disks() {
    disk_event_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [this](const boost::system::error_code &error) {
                               if (error) return;
                               std::uint64_t count = 0;
                               (void)!::read(disk_event_.native_handle(), &count, sizeof count);
                               drain_outputs();
                               wait_for_disks();
                           });
}

void StorageAgent::handle(bus::Message message) {
    const TimePoint now = monotonic_now();
    if (bus::is_back(message, bus::AgentId::kSupervisor)) publish_ready();
    if (const auto *back = std::get_if<bus::ModuleBack>(&message);
        back != nullptr && bus::is_ingress(back->module))
        publish_reserve();
    if (bus::is_back(message, bus::AgentId::kTelemetry)) {
        published_store_.reset();
        reported_flushes_.count = 0;
    }
    static_assert(bus::kListsHandlersOf<bus::StorageMessages, StorageCore>);
    bus::dispatch<bus::StorageMessages>(message, [&](auto &data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, bus::Stop>) {
            open_reserve();
            if (data.drain) return;
            stopping_ = true;
            stop_deadline_ = now + kStopLimit;
            core_.drain();
        } else if constexpr (std::is_same_v<Data, bus::SettingsChange>) {
            handle_settings(data);
        } else if constexpr (std::is_same_v<Data, bus::ClockConfirm>) {
            confirm_clock(now);
        } else {
            const ClockState before = core_.clock().state();
            core_.handle(std::move(data), now);
            handle_clock(before);
        }
    });
}

void StorageAgent::handle_settings(const bus::SettingsChange &change) {
    const auto settings = config::settings_from_json(as_text(change.settings));
    if (!settings)
        return log_.error(
            "cannot apply the reloaded settings; the previous ones stay in effect: {}",
            settings.error().to_string());
    core_.set_settings(*settings);
}

void StorageAgent::serve_disks() {
    for (std::size_t at = 0; at < disks_.size(); ++at)
        while (DiskRequestPtr completed = disks_[at].thread.poll_completion())
            core_.handle(static_cast<DiskIndex>(at), std::move(completed), monotonic_now());
    const TimePoint now = monotonic_now();
    for (bool more = true; more;) {
        more = false;
        for (std::size_t at = 0; at < disks_.size(); ++at) {
            const auto index = static_cast<DiskIndex>(at);
            while (DiskRequestPtr request = core_.poll_disk_request(index, now)) {
                disks_[at].thread.submit(std::move(request));
                more = true;
            }
        }
    }
}

void StorageAgent::drain_outputs() {
    serve_disks();
    while (auto outgoing = core_.poll_message()) loop_.send(std::move(*outgoing));
    loop_.arm(core_.next_timeout());
    if (stopping_ && (core_.idle() || monotonic_now() >= stop_deadline_)) {
        stamp_alive();
        notices_.log_disks();
        report_counters(true);
        loop_.stop();
    }
}

void StorageAgent::on_second() {
    const ClockState before = core_.clock().state();
    core_.clock().handle_reading(read_wall_clock());
    handle_clock(before);
    await_synchronisation();
    if (monotonic_now() - stamped_ >= kStampedEach) stamp_alive();
    look_for_room();
    look_at_reserve();
    notices_.on_second();
    report_counters(false);
    bus::send_histogram(loop_, bus::AgentId::kStorage, bus::LatencyKind::kStorageFlush,
                        core_.figures().flush_times(), reported_flushes_, monotonic_now());
    core_.figures().survey_pending();
    report_store();
    note_freed_memory(core_.figures().free_memory());
}

/// A full disk that gets no bundles would stay full until one is written to it.
void StorageAgent::look_for_room() {
    for (std::size_t at = 0; at < disks_.size(); ++at) {
        const auto index = static_cast<DiskIndex>(at);
        if (core_.figures().trouble(index) != DiskTrouble::kFull) continue;
        // A log file takes so many octets when it is begun.
        if (has_room_for(disks_[at].directory, config_.segment_bytes))
            core_.figures().handle_room(index);
    }
}

void StorageAgent::on_report() {
    if (auto counted = core_.figures().poll_survey()) {
        pending_ = std::move(*counted);
        report_store();
    }
    if (reported_.take(core_.figures().counters().values())) report_counters(false);
}

void StorageAgent::report_store() {
    bus::StorageReport report;
    report.pending = pending_.pending;
    report.destinations = pending_.destinations;
    report.reserve_missing = !reserve_.is_complete();
    for (std::size_t at = 0; at < disks_.size(); ++at) {
        report.disks.push_back(core_.figures().disk_report(static_cast<DiskIndex>(at)));
        const std::string &path = disks_[at].directory;
        report.disks.back().path.assign(path.begin(), path.end());
        if (reserve_.is_short(path)) report.disks.back().state = bus::DiskState::kFull;
    }
    if (published_store_ == report) return;
    published_store_ = report;
    loop_.send(bus::AgentId::kTelemetry, std::move(report));
}

void StorageAgent::report_counters(bool last) {
    std::uint64_t files = 0;
    for (const StorageDisk &disk : disks_) files += disk.thread.file_count();
    core_.figures().set_segments(files);
    const auto values = core_.figures().counters().values();
    loop_.send(bus::AgentId::kTelemetry,
               bus::CounterReport{
                   bus::AgentId::kStorage, ++reports_, {values.begin(), values.end()}, last});
}

}  // namespace farlink::storage
