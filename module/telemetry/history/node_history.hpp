// SPDX-License-Identifier: Apache-2.0
// The history of a node: collects events and rates for the disk, and answers queries from it.
// Owned by the telemetry agent; its thread, with a thread of its own for the files.
// A batch is written every ten seconds; files are flushed once a minute.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <vector>

#include "common/config/node/node_config.hpp"
#include "module/telemetry/core/history/history_query.hpp"
#include "module/telemetry/core/history/step_collector.hpp"
#include "module/telemetry/core/node_view.hpp"
#include "module/telemetry/history/history_store.hpp"
#include "module/telemetry/history/history_thread.hpp"

namespace farlink::telemetry {

class NodeHistory {
public:
    using Then = std::function<void(HistoryReply)>;

    /// `io` and `view` are borrowed.
    NodeHistory(boost::asio::io_context &io, const config::NodeConfig &config, NodeView &view);
    /// Writes what is collected, and waits for it.
    ~NodeHistory();
    NodeHistory(const NodeHistory &) = delete;
    NodeHistory &operator=(const NodeHistory &) = delete;

    /// Shows earlier runs in the view. Once, before the first second; reads files.
    void open(const Moment &moment);
    /// After the view's.
    void handle_second(const Moment &moment);
    /// `then` runs on the loop, at once when the query cannot be asked.
    void ask(const HistoryQuery &query, const Moment &moment, const Then &then);
    /// The last call: the time of the batch that the destructor writes.
    void close(const Moment &moment);

private:
    void write(const Moment &moment, bool with_totals);

    boost::asio::io_context &io_;
    NodeView &view_;
    const bool enabled_;
    HistoryStore store_;
    StepCollector fine_{kFineStepSeconds};
    StepCollector coarse_{kCoarseStepSeconds};
    std::vector<RateRow> rows_;        ///< not yet passed on
    std::uint64_t written_event_ = 0;  ///< number of the last one passed on
    int batches_ = 0;
    HistoryThread thread_;
};

}  // namespace farlink::telemetry
