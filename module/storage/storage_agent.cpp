// SPDX-License-Identifier: Apache-2.0
#include "module/storage/storage_agent.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "common/bus/dispatch.hpp"
#include "common/bus/loop/telemetry_reports.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/clock_sync.hpp"
#include "common/runtime/entropy.hpp"
#include "common/runtime/held_back.hpp"
#include "common/runtime/private_folder.hpp"
#include "module/storage/alive_stamp.hpp"
#include "module/storage/lost_words.hpp"
#include "module/storage/restore_queue.hpp"
#include "module/storage/store/directory/uring_directory.hpp"
#include "module/storage/store/log/store_key.hpp"
#include "module/storage/store/store_room.hpp"

namespace farlink::storage {
namespace {

/// How long a stopping store waits for its disk and for what egress has in hand.
constexpr seconds kStopLimit{10};
/// While a record is taken in, memory for so many further ones is on its way into the cache.
constexpr std::size_t kRestoreAhead = 16;
/// How often the log says that a disk, or the store, takes nothing.
constexpr Duration kFaultsPublishedEach = seconds(10);
constexpr Duration kRefusalsPublishedEach = seconds(60);
constexpr Duration kSignalsPublishedEach = seconds(10);
/// How often the store notes that it is in use.
constexpr Duration kStampedEach = seconds(30);
/// How many files a second with bundles that cannot be read have a line each.
constexpr std::size_t kMaxFilesLogged = 8;

LogOptions log_options(const config::NodeConfig &config) {
    LogOptions options;
    options.node = config.node;
    options.segment_bytes = config.storage.segment_bytes;
    fill_random(options.fresh_key);
    return options;
}

/// Why the system keeps the node from a folder, as far as it says.
std::string obstacle(const std::string &folder) {
    // With the slash, a file is told from a folder.
    const std::string inside = folder + "/";
    if (::faccessat(AT_FDCWD, inside.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) == 0) return {};
    return ": " + std::generic_category().message(errno);
}

}  // namespace

StorageAgent::Disk::Disk(const config::StorageDiskConfig &config, const LogOptions &options,
                         std::function<void()> on_completion)
    : name(config.name),
      directory(config.directory),
      thread(make_directory(config.directory), options, std::move(on_completion)),
      trouble_limiter(kFaultsPublishedEach) {}

StorageAgent::StorageAgent(const config::NodeConfig &config, bus::BusContext &context)
    : log_("storage"),
      loop_(context, bus::AgentId::kStorage, {bus::AgentId::kScheduler, bus::AgentId::kRouter},
            {[this](bus::Message message) { handle(std::move(message)); },
             [this] { drain_outputs(); }, [this] { core_.handle_timeout(monotonic_now()); },
             [this] { on_second(); }, [this] { on_report(); }}),
      core_(config.storage, config.status_reports, read_wall_clock(), release_limits(config),
            {config.node, config.custody}),
      disk_event_(loop_.io(), ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      config_(config.storage),
      reserve_bytes_(config.threads.instances * config.buffer_bytes),
      refusal_limiter_(kRefusalsPublishedEach),
      signal_limiter_(kSignalsPublishedEach) {
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
    DtnTime alive = 0;
    for (const Disk &disk : disks_) alive = std::max(alive, last_alive(disk.directory));
    std::vector<Result<Recovery, StoreError>> opened = read_disks();
    bool any = false;
    for (std::size_t at = 0; at < disks_.size(); ++at) {
        if (!judge(static_cast<DiskIndex>(at), opened[at])) return false;
        any |= disks_[at].open;
    }
    if (!any) return false;
    const WallClock clock = read_wall_clock();
    const OffTime off = judge_off_time(alive, clock.dtn_ms, is_clock_synchronised());
    const bool doubtful = is_doubtful(off) && core_.held() > 0;
    if (doubtful) core_.doubt_clock();
    share_key(opened);
    if (core_.held() > 0) publish_off_time(off, clock.dtn_ms - alive);
    if (!doubtful) publish_clock(ClockState::kTrusted);
    for (const std::string &line : review_room(config_)) log_.warn("{}", line);
    take_reserve();
    stamp_alive();
    return true;
}

/// What expires while a node is off goes all at once, if its clock is right.
void StorageAgent::publish_off_time(OffTime off, std::uint64_t off_ms) {
    constexpr std::uint64_t kHourMs = 3'600'000;
    const std::uint64_t overdue = core_.overdue();
    const std::uint64_t hours = off_ms / kHourMs;
    switch (off) {
        case OffTime::kShort:
            return;
        case OffTime::kLong:
            if (overdue > 0)
                log_.warn(
                    "by the clock the node was off for {} hours: {} of {} stored bundles "
                    "have expired meanwhile",
                    hours, overdue, core_.held());
            return;
        case OffTime::kUnsynchronised:
        case OffTime::kImplausible:
            return log_.warn(
                "by the clock the node was off for {} hours, {}: {} of {} stored bundles would "
                "expire; none does until the clock is confirmed",
                hours,
                off == OffTime::kImplausible ? "which is not likely"
                                             : "and nothing keeps the clock right",
                overdue, core_.held());
    }
}

// While the clock is in doubt, the last time that was believed stays.
void StorageAgent::stamp_alive() {
    const ClockState state = core_.clock_state();
    if (state == ClockState::kUnset || state == ClockState::kSteppedForward) return;
    for (const Disk &disk : disks_)
        if (disk.open) storage::stamp_alive(disk.directory);
    stamped_ = monotonic_now();
}

// Each disk a part, and none more than it may hold at all.
void StorageAgent::take_reserve() {
    const std::uint64_t all = std::min(reserve_bytes_, config_.capacity_bytes);
    for (const Disk &disk : disks_) {
        if (!disk.open) continue;
        const StoreReserve reserve(disk.directory);
        if (reserve.take(all / disks_.size()))
            reserves_.push_back(reserve);
        else
            log_.warn(
                "{}: no room for a reserve of {} bytes: should the disk be full when the node "
                "stops, what is in memory may be lost",
                disk.name, all / disks_.size());
    }
}

void StorageAgent::open_reserve() {
    for (const StoreReserve &reserve : std::exchange(reserves_, {})) reserve.give_back();
    core_.open_reserve(2 * reserve_bytes_);
}

/// All at the same time, each on a thread of its own; this one takes in what they find.
std::vector<Result<Recovery, StoreError>> StorageAgent::read_disks() {
    std::vector<Result<Recovery, StoreError>> opened(disks_.size());
    RestoreQueue found(disks_.size());
    std::vector<std::thread> readers;
    for (std::size_t at = 0; at < disks_.size(); ++at)
        readers.emplace_back([this, at, &opened, &found] {
            const auto disk = static_cast<DiskIndex>(at);
            opened[at] = disks_[at].thread.open(
                [&found, disk](const RestoredRecord &record) { found.add(disk, record); });
            found.end(disk);
        });
    while (const auto chunk = found.take()) {
        const std::size_t ahead = std::min(kRestoreAhead, chunk->size());
        for (std::size_t at = 0; at < ahead; ++at) core_.foresee(chunk->identity(at));
        for (std::size_t at = 0; at < chunk->size(); ++at) {
            if (at + ahead < chunk->size()) core_.foresee(chunk->identity(at + ahead));
            core_.restore(chunk->disk(), chunk->record(at));
        }
    }
    for (std::thread &reader : readers) reader.join();
    return opened;
}

/// False when the node must not start: the disk is another's. One that does not work is left out.
bool StorageAgent::judge(DiskIndex index, const Result<Recovery, StoreError> &opened) {
    Disk &disk = disks_[index];
    disk.open = opened.has_value();
    if (opened) {
        if (is_open_to_others(disk.directory))
            log_.warn("{}: others than this user may look into {}; chmod 700 changes that",
                      disk.name, disk.directory);
        log_recovery(disk, *opened);
        core_.handle_disk_opened(index, opened->disk, opened->sound);
        return true;
    }
    const bool unusable = opened.error() == StoreError::kUnusable;
    log_.error("{}: {}{}", disk.name, to_string(opened.error()),
               unusable ? obstacle(disk.directory) : "");
    if (!unusable) return false;
    disk.published_set_aside = true;
    core_.set_aside(index);
    return true;
}

void StorageAgent::log_recovery(const Disk &disk, const Recovery &recovery) {
    if (recovery.bundles > 0)
        log_.info("{}: {} records of bundles wait from before", disk.name, recovery.bundles);
    for (const Damage &damage : recovery.damages)
        log_.warn("{}: file {} at offset {}, record {}: {}", disk.name, damage.file, damage.offset,
                  name_of(damage.number), to_string(damage.kind));
    for (const IndexFault &fault : recovery.index_faults)
        log_.info("{}: file {} was read as a whole: its index is {}", disk.name, fault.file,
                  to_string(fault.kind));
    for (const FileLoss &loss : recovery.losses) {
        LostWords lost;
        for (const LostBundle &bundle : loss.named)
            lost.add(bundle.number, bundle.bytes, bundle.label);
        log_.error("{}: file {}: {} stored bundles are lost: {}", disk.name, loss.file,
                   loss.bundles, lost.words(loss.bundles));
    }
    if (recovery.damage_count > recovery.damages.size())
        log_.warn("{}: {} damaged places in all", disk.name, recovery.damage_count);
}

void StorageAgent::share_key(const std::vector<Result<Recovery, StoreError>> &opened) {
    std::vector<DiskKey> keys;
    for (std::size_t at = 0; at < disks_.size(); ++at)
        if (disks_[at].open) keys.push_back({opened[at]->fresh, opened[at]->key});
    const SipKey key = common_key(keys);
    for (std::size_t at = 0; at < disks_.size(); ++at) {
        if (!disks_[at].open) continue;
        if (opened[at]->fresh)
            disks_[at].thread.adopt_key(key);
        else if (opened[at]->key != key)
            log_.warn("{}: comes from another store; repeats of its bundles are not recognised",
                      disks_[at].name);
    }
    core_.handle_opened(key);
    for (const LoneStripe &stripe : core_.lone_stripes())
        log_.warn(
            "{}: record {}: stripe {} of {} of a bundle of {} bytes, which is not intact: "
            "another disk is missing or damaged",
            disks_[stripe.disk].name, name_of(stripe.record), stripe.number + 1, stripe.count,
            stripe.bundle_bytes);
}

void StorageAgent::run() {
    wait_for_disks();
    loop_.send(bus::AgentId::kEgress,
               bus::StorageReady{core_.counters().value(StorageCounter::kRestored),
                                 core_.newest_received()});
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
    if (bus::is_back(message, bus::AgentId::kTelemetry)) {
        published_store_.reset();
        published_flushes_ = 0;
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
        } else {
            const ClockState before = core_.clock_state();
            core_.handle(std::move(data), now);
            publish_clock(before);
        }
    });
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
        publish_disks();
        report_counters(true);
        loop_.stop();
    }
}

void StorageAgent::on_second() {
    const ClockState before = core_.clock_state();
    core_.set_wall_clock(read_wall_clock());
    publish_clock(before);
    if (monotonic_now() - stamped_ >= kStampedEach) stamp_alive();
    publish_disks();
    publish_refusals();
    publish_refused_bundles();
    publish_signals();
    tell_of_tasks();
    report_counters(false);
    bus::send_histogram(loop_, bus::AgentId::kStorage, bus::LatencyKind::kStorageFlush,
                        core_.flush_times(), published_flushes_);
    core_.survey_pending();
    report_store();
}

void StorageAgent::on_report() {
    if (auto counted = core_.poll_survey()) {
        pending_ = std::move(*counted);
        report_store();
    }
    if (reported_.take(core_.counters().values())) report_counters(false);
}

void StorageAgent::report_store() {
    bus::StorageReport report;
    report.pending = pending_.pending;
    report.destinations = pending_.destinations;
    for (std::size_t at = 0; at < disks_.size(); ++at) {
        report.disks.push_back(core_.disk_report(static_cast<DiskIndex>(at)));
        const std::string &path = disks_[at].directory;
        report.disks.back().path.assign(path.begin(), path.end());
    }
    if (published_store_ == report) return;
    published_store_ = report;
    loop_.send(bus::AgentId::kTelemetry, std::move(report));
}

void StorageAgent::publish_disks() {
    publish_unreadable();
    for (std::size_t at = 0; at < disks_.size(); ++at) {
        Disk &disk = disks_[at];
        publish_faults(disk, core_.trouble(static_cast<DiskIndex>(at)));
        if (!core_.is_set_aside(static_cast<DiskIndex>(at)) || disk.published_set_aside) continue;
        disk.published_set_aside = true;
        log_.error("{}: fails again and again; nothing more is written to it until the next start",
                   disk.name);
    }
}

// A line for each file. A disk that has failed fails for every record: then a few lines tell of it.
void StorageAgent::publish_unreadable() {
    struct Lost {
        std::uint64_t bundles = 0;
        LostWords words;
    };
    std::map<std::pair<DiskIndex, FileNumber>, Lost> files;
    while (const auto lost = core_.poll_unreadable()) {
        Lost &of = files[{lost->disk, file_of(lost->at.number)}];
        ++of.bundles;
        of.words.add(lost->at.number, lost->bytes, lost->label);
    }
    std::uint64_t nameless = core_.take_nameless_unreadable();
    std::size_t published = 0;
    for (const auto &[place, lost] : files) {
        if (published++ >= kMaxFilesLogged) {
            nameless += lost.bundles;
            continue;
        }
        log_.error("{}: file {}: {} bundles cannot be read; they are kept and not sent: {}",
                   disks_[place.first].name, place.second, lost.bundles,
                   lost.words.words(lost.bundles));
    }
    if (nameless > 0) log_.error("{} further bundles cannot be read", nameless);
}

void StorageAgent::publish_faults(Disk &disk, DiskTrouble trouble) {
    if (trouble == disk.published_faults || !disk.trouble_limiter.admit(monotonic_now())) return;
    disk.published_faults = trouble;
    switch (trouble) {
        case DiskTrouble::kNone:
            return log_.info("{}: takes bundles again", disk.name);
        case DiskTrouble::kFull:
            return log_.warn(
                "{}: the file system is full although capacityBytes is not used up; bundles are "
                "refused, or go to other disks, until there is room",
                disk.name);
        case DiskTrouble::kFailing:
            return log_.error(
                "{}: writing fails; bundles are refused, or go to other disks, until it works",
                disk.name);
    }
}

void StorageAgent::publish_refusals() {
    const std::uint64_t refused = core_.counters().value(StorageCounter::kRefused);
    if (refused == published_refused_ || !refusal_limiter_.admit(monotonic_now())) return;
    log_.warn("no room: {} bundles refused, {} stored in {} bytes",
              refused - std::exchange(published_refused_, refused),
              core_.counters().value(StorageCounter::kStoredNow),
              core_.counters().value(StorageCounter::kStoredBytes));
}

// They are deleted for nothing that a neighbour says, so somebody has to look.
void StorageAgent::publish_refused_bundles() {
    const std::uint64_t waiting = core_.counters().value(StorageCounter::kRefusedNow);
    if (waiting == published_waiting_ || !waiting_limiter_.admit(monotonic_now())) return;
    published_waiting_ = waiting;
    if (waiting == 0) return log_.info("no bundle waits any more that a neighbour has refused");
    log_.warn(
        "{} bundles wait because neighbours refuse them, node {} the last; each is offered again "
        "after longer and longer pauses until its lifetime ends (farlinkctl storage list)",
        waiting, core_.last_refuser().value());
}

void StorageAgent::publish_signals() {
    const auto ignored = core_.poll_ignored_signal();
    if (!ignored) return;
    const auto held_back = signal_limiter_.admit(monotonic_now());
    if (!held_back) return;
    const std::string by = ignored->sender == NodeNumber{}
                               ? ""
                               : " by the link of node " + std::to_string(ignored->sender.value());
    log_.warn("custody signals of {}{} are ignored: {}{}", ignored->source, by,
              ignored->unproven
                  ? "custodySignalProof wants them by the link of that node"
                  : "the bundles were not sent that way; if it is a custodian further on, name it "
                    "in custodySignalsFrom",
              held_back_words(*held_back));
}

// What the operator has asked for.
void StorageAgent::tell_of_tasks() {
    while (const auto ended = core_.poll_ended_task()) {
        const char *how = ended->state == bus::TaskState::kDone ? "done" : "cancelled";
        if (ended->task == bus::StoreTask::kCompact)
            log_.info("compaction {}: {} bundles moved, {} files given up, {} bytes freed", how,
                      ended->bundles, ended->files, ended->freed_bytes);
        else if (ended->damaged == 0)
            log_.info("verification {}: {} bundles in {} bytes read, none damaged", how,
                      ended->bundles, ended->bytes);
        else
            log_.error(
                "verification {}: {} bundles read, {} records damaged; `farlinkctl storage verify "
                "--status` names them",
                how, ended->bundles, ended->damaged);
    }
}

// All modules judge the clock alike; one of them says so.
void StorageAgent::publish_clock(ClockState before) {
    if (core_.clock_state() == before) return;
    switch (core_.clock_state()) {
        case ClockState::kTrusted:
            return log_.info("the clock is trusted again: bundles expire by it");
        case ClockState::kUnset:
            return log_.warn(
                "the clock is not set, or behind the newest stored bundle: no bundle expires until "
                "it is confirmed");
        case ClockState::kSteppedForward:
            return log_.warn(
                "the clock has stepped forward by more than a minute: no bundle expires until it "
                "is confirmed, or back where it was");
        case ClockState::kSteppedBack:
            return log_.warn(
                "the clock has stepped back by more than a minute: until it is confirmed, bundles "
                "expire by the time that has passed");
    }
}

void StorageAgent::report_counters(bool last) {
    std::uint64_t files = 0;
    for (const Disk &disk : disks_) files += disk.thread.file_count();
    core_.set_segments(files);
    const auto values = core_.counters().values();
    loop_.send(bus::AgentId::kTelemetry,
               bus::CounterReport{
                   bus::AgentId::kStorage, ++reports_, {values.begin(), values.end()}, last});
}

}  // namespace farlink::storage
