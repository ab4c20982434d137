// SPDX-License-Identifier: Apache-2.0
// The history on disk: written in batches within its limits, read for clients.
// Owned by NodeHistory; used on the thread of the history, except open(), which precedes it.
// Without room it stops and keeps the newest in memory; each batch tries again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "module/telemetry/core/history/earlier_runs.hpp"
#include "module/telemetry/core/history/history_query.hpp"
#include "module/telemetry/core/history/rate_table.hpp"
#include "module/telemetry/history/history_batch.hpp"
#include "module/telemetry/history/history_folder.hpp"
#include "module/telemetry/history/history_writer.hpp"

namespace farlink::telemetry {

class HistoryStore {
public:
    /// What is kept in memory while nothing is written.
    static constexpr std::size_t kMostEvents = 1000;
    static constexpr std::size_t kMostRows = 720;

    explicit HistoryStore(const config::NodeConfig &config);

    /// Opens the folder and reads what the node shows of earlier runs.
    [[nodiscard]] EarlierRuns open(DtnTime now);
    void write(HistoryBatch batch);
    [[nodiscard]] HistoryReply read(const HistoryQuery &query);
    /// Why nothing is written; empty: it is written.
    [[nodiscard]] const std::string &why_stopped() const { return why_stopped_; }
    /// Places in files that were skipped, each counted once.
    [[nodiscard]] std::size_t damages() const;

private:
    [[nodiscard]] std::string open_folder();
    [[nodiscard]] std::string check_files();
    [[nodiscard]] std::string make_room(DtnTime now);
    [[nodiscard]] bool give_way();
    [[nodiscard]] std::string write_pending(const HistoryBatch &batch);
    void keep(HistoryBatch &batch);
    void set_stopped(const std::string &why);
    void remove(const HistoryFile &file);
    [[nodiscard]] std::string read_totals(EarlierRuns &earlier);
    void read_last_events(EarlierRuns &earlier);

    /// Gives the blocks of a file to `handler`; counts and logs its damages once.
    void scan(const HistoryFile &file, const std::function<void(const HistoryBlock &)> &handler);
    /// The files of a kind with contents of a period.
    [[nodiscard]] std::vector<HistoryFile> files_of(HistoryKind kind, DtnTime from,
                                                    DtnTime to) const;
    /// Gives each value of the rows of a kind to `handler`.
    using OnValue = std::function<void(const HistoryBlock &, const std::string &, std::uint64_t)>;
    void read_rows(HistoryKind kind, DtnTime from, DtnTime to, const OnValue &handler);
    [[nodiscard]] HistoryReply read_rates(const RateQuery &query);
    [[nodiscard]] HistoryReply read_events(const EventQuery &query);

    const config::HistoryConfig limits_;
    std::vector<std::string> stores_;  ///< folders of the store
    NodeNumber node_;
    Logger log_{"telemetry"};
    HistoryFolder folder_;
    HistoryWriter writer_;
    bool opened_ = false;
    bool totals_read_ = false;
    bool shared_ = false;  ///< a disk of the store is on the same file system
    std::string why_stopped_;
    HistoryBatch pending_;
    std::map<HistoryFile, std::size_t> damages_;
};

}  // namespace farlink::telemetry
