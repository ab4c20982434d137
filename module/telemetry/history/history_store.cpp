// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/history/history_store.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/base/counted.hpp"
#include "module/telemetry/core/history/event_block.hpp"

namespace farlink::telemetry {
namespace {

constexpr const char *kTotalsFile = "totals.json";
constexpr std::uint64_t kMostFileBytes = 4ULL * 1024 * 1024;
/// The limit is kept with several files of each kind.
constexpr std::uint64_t kFilesInLimit = 16;
constexpr std::uint64_t kHourMs = 3600 * kMsPerSecond;
/// Writing begins again with so much more than `freeSpaceBytes`.
constexpr std::uint64_t kMargin = 8;

std::string written_by_newer(const std::string &path) {
    return path + ": written by a newer version of farlink; expected version " +
           std::to_string(kHistoryVersion) + "; move the folder away, or set history.folder";
}

std::vector<std::string> folders_of_store(const config::NodeConfig &config) {
    std::vector<std::string> folders;
    for (const config::StorageDiskConfig &disk : config.storage.disks)
        folders.push_back(disk.directory);
    return folders;
}

}  // namespace

HistoryStore::HistoryStore(const config::NodeConfig &config)
    : limits_(config.history),
      stores_(folders_of_store(config)),
      node_(config.node),
      folder_(config.history.folder),
      writer_(folder_, config.node,
              std::min(kMostFileBytes, config.history.max_bytes / kFilesInLimit)) {}

// ---- opening

EarlierRuns HistoryStore::open(DtnTime now) {
    EarlierRuns earlier;
    std::string wrong = open_folder();
    if (wrong.empty()) wrong = read_totals(earlier);
    set_stopped(wrong);
    if (!wrong.empty()) return earlier;
    totals_read_ = true;
    read_last_events(earlier);
    std::map<DtnTime, RateRow> rows;
    read_rows(HistoryKind::kFineRates, now - std::min(now, kHourMs), now,
              [&](const HistoryBlock &block, const std::string &name, std::uint64_t value) {
                  RateRow &row = rows[block.from];
                  row.begin = block.from;
                  row.values.emplace_back(name, value);
              });
    for (auto &[begin, row] : rows) earlier.rows.push_back(std::move(row));
    return earlier;
}

std::string HistoryStore::open_folder() {
    if (std::string wrong = folder_.open(); !wrong.empty()) return wrong;
    if (std::string wrong = check_files(); !wrong.empty()) return wrong;
    shared_ = std::ranges::any_of(
        stores_, [this](const std::string &store) { return folder_.shares_file_system(store); });
    opened_ = true;
    return {};
}

// A file without a readable header is kept until its days are over, and never continued.
std::string HistoryStore::check_files() {
    for (const KeptFile &each : folder_.list()) {
        writer_.reserve_number(each.file.number);
        const auto octets = folder_.read(each.file, kHistoryHeaderBytes);
        const auto header = octets
                                ? decode_header(*octets)
                                : Result<HistoryHeader, HeaderError>(fail(HeaderError::kDamaged));
        if (header && header->kind == each.file.kind) {
            writer_.continue_with(each);
            continue;
        }
        const bool newer = !header && header.error() == HeaderError::kNewer;
        if (newer) return written_by_newer(folder_.path_of(each.file));
        if (octets)
            log_.warn("{}: header damaged; the file is not used", folder_.path_of(each.file));
        else
            log_.warn("{}; the file is not used", octets.error());
        damages_[each.file] = 1;
    }
    return {};
}

std::string HistoryStore::read_totals(EarlierRuns &earlier) {
    const auto text = folder_.read_text(kTotalsFile);
    if (!text) return {};
    auto totals = LifetimeTotals::parse(*text);
    if (totals) {
        earlier.totals = std::move(*totals);
        return {};
    }
    const std::string path = folder_.path() + '/' + kTotalsFile;
    if (totals.error() == HeaderError::kNewer) {
        opened_ = false;
        return written_by_newer(path);
    }
    log_.warn(
        "{}: file damaged; totals over all runs start again at 0; the file is kept as {}.damaged",
        path, kTotalsFile);
    folder_.set_aside(kTotalsFile);
    return {};
}

void HistoryStore::read_last_events(EarlierRuns &earlier) {
    std::map<std::uint64_t, Json> found;
    const auto files = files_of(HistoryKind::kEvents, 0, kDtnNever);
    for (auto file = files.rbegin(); file != files.rend() && found.size() < kMostEvents; ++file)
        scan(*file, [&](const HistoryBlock &block) {
            telemetry::read_events(block, [&](Json event) {
                const auto number = event["id"].get<std::uint64_t>();
                found.insert_or_assign(number, std::move(event));
            });
        });
    while (found.size() > kMostEvents) found.erase(found.begin());
    for (auto &[number, event] : found) earlier.events.push_back(std::move(event));
}

// ---- writing

void HistoryStore::write(HistoryBatch batch) {
    keep(batch);
    set_stopped(write_pending(batch));
}

void HistoryStore::keep(HistoryBatch &batch) {
    for (Json &event : batch.events) pending_.events.push_back(std::move(event));
    std::ranges::move(batch.rows, std::back_inserter(pending_.rows));
    const auto surplus = [](std::size_t size, std::size_t most) {
        return static_cast<std::ptrdiff_t>(size - std::min(size, most));
    };
    pending_.events.erase(pending_.events.begin(),
                          pending_.events.begin() + surplus(pending_.events.size(), kMostEvents));
    pending_.rows.erase(pending_.rows.begin(),
                        pending_.rows.begin() + surplus(pending_.rows.size(), kMostRows));
}

std::string HistoryStore::write_pending(const HistoryBatch &batch) {
    if (!opened_)
        if (std::string wrong = open_folder(); !wrong.empty()) return wrong;
    if (std::string wrong = make_room(batch.wall); !wrong.empty()) return wrong;
    if (std::string wrong = writer_.write(pending_.events); !wrong.empty()) return wrong;
    if (std::string wrong = writer_.write(pending_.rows); !wrong.empty()) return wrong;
    if (batch.totals.empty()) return {};
    if (std::string wrong = folder_.flush(); !wrong.empty()) return wrong;
    // Totals of earlier runs that could not be read at the start are not overwritten.
    if (!totals_read_) return {};
    return folder_.replace_text(kTotalsFile, batch.totals);
}

void HistoryStore::remove(const HistoryFile &file) {
    folder_.remove(file);
    damages_.erase(file);
}

bool HistoryStore::give_way() {
    const auto oldest = next_to_delete(folder_.list());
    if (oldest) remove(*oldest);
    return oldest.has_value();
}

std::string HistoryStore::make_room(DtnTime now) {
    const std::vector<KeptFile> files = folder_.list();
    std::uint64_t bytes = 0;
    for (const KeptFile &each : files) {
        if (is_outdated(each.file, limits_, now))
            remove(each.file);
        else
            bytes += each.bytes;
    }
    while (bytes > limits_.max_bytes - limits_.max_bytes / kFilesInLimit && give_way()) {
        const auto left = folder_.list();
        bytes = std::accumulate(
            left.begin(), left.end(), std::uint64_t{0},
            [](std::uint64_t sum, const KeptFile &each) { return sum + each.bytes; });
    }
    const std::uint64_t margin = why_stopped_.empty() ? 0 : limits_.free_space_bytes / kMargin;
    const std::uint64_t needed = limits_.free_space_bytes + margin;
    auto room = folder_.free_bytes();
    while (shared_ && room && *room < needed && give_way()) room = folder_.free_bytes();
    if (!room || *room >= needed) return {};
    return folder_.path() + ": " + std::to_string(*room) + " bytes free on the file system, " +
           std::to_string(needed) + " bytes required (history.freeSpaceBytes" +
           (margin > 0 ? " and a margin)" : ")");
}

void HistoryStore::set_stopped(const std::string &why) {
    if (!why.empty() && why_stopped_.empty())
        log_.warn("the history is not written: {}; the newest events and rates are kept in memory",
                  why);
    if (why.empty() && !why_stopped_.empty()) log_.info("the history is written again");
    why_stopped_ = why;
}

// ---- reading

std::size_t HistoryStore::damages() const {
    return std::accumulate(damages_.begin(), damages_.end(), std::size_t{0},
                           [](std::size_t sum, const auto &entry) { return sum + entry.second; });
}

void HistoryStore::scan(const HistoryFile &file,
                        const std::function<void(const HistoryBlock &)> &handler) {
    const auto octets = folder_.read(file);
    if (!octets) {
        if (damages_.try_emplace(file, 1).second)
            log_.warn("{}; the file is not used", octets.error());
        return;
    }
    if (!decode_header(*octets)) return;
    const std::size_t found = scan_blocks(ByteView(*octets).subspan(kHistoryHeaderBytes), handler);
    if (found == 0) return;
    if (std::exchange(damages_[file], found) == 0)
        log_.warn("{}: damaged in {}; the damaged records are not used", folder_.path_of(file),
                  counted(found, "place"));
}

std::vector<HistoryFile> HistoryStore::files_of(HistoryKind kind, DtnTime from, DtnTime to) const {
    std::vector<HistoryFile> files;
    for (const KeptFile &each : folder_.list())
        if (each.file.kind == kind && each.file.begin <= to &&
            each.file.begin + longest_period_ms(kind) >= from)
            files.push_back(each.file);
    return files;
}

void HistoryStore::read_rows(HistoryKind kind, DtnTime from, DtnTime to, const OnValue &handler) {
    for (const HistoryFile &file : files_of(kind, from, to)) {
        RateDecoder decoder;
        scan(file, [&](const HistoryBlock &block) {
            const bool row = block.type == BlockType::kRow;
            if (row && (block.to <= from || block.from >= to)) return;
            decoder.handle(block, [&](const std::string &name, std::uint64_t value) {
                handler(block, name, value);
            });
        });
    }
}

HistoryReply HistoryStore::read(const HistoryQuery &query) {
    if (!opened_) return {HistoryFault::kUnavailable, "no history available: " + why_stopped_};
    if (const auto *rates = std::get_if<RateQuery>(&query)) return read_rates(*rates);
    return read_events(std::get<EventQuery>(query));
}

HistoryReply HistoryStore::read_rates(const RateQuery &query) {
    RateTable table(query);
    for (const std::uint32_t step : {kFineStepSeconds, kCoarseStepSeconds})
        read_rows(RateRow{0, step, {}}.kind(), query.from, query.to,
                  [&](const HistoryBlock &block, const std::string &name, std::uint64_t value) {
                      table.add(block.from, step, name, value);
                  });
    for (const RateRow &row : pending_.rows)
        for (const auto &[name, value] : row.values)
            table.add(row.begin, row.step_seconds, name, value);
    if (table.too_large())
        return {HistoryFault::kTooLarge,
                "the reply would have more than " + std::to_string(RateTable::kMostValues) +
                    " values; request fewer series, a shorter period or a larger step"};
    return {HistoryFault::kNone, query.csv ? table.to_csv() : table.to_json()};
}

HistoryReply HistoryStore::read_events(const EventQuery &query) {
    EventCollection events(query);
    for (const HistoryFile &file : files_of(HistoryKind::kEvents, query.from, query.to)) {
        if (events.full()) break;
        scan(file, [&](const HistoryBlock &block) { events.add(block); });
    }
    Bytes waiting;
    append_events(waiting, pending_.events);
    (void)scan_blocks(waiting, [&](const HistoryBlock &block) { events.add(block); });
    return {HistoryFault::kNone, events.to_text()};
}

}  // namespace farlink::telemetry
