// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/history/node_history.hpp"

#include <boost/asio/post.hpp>
#include <utility>

namespace farlink::telemetry {
namespace {

namespace asio = boost::asio;

/// With so many new events a batch is written at once; the event log keeps twice as many.
constexpr std::uint64_t kManyEvents = EventLog::kMostEvents / 2;
/// Once a minute.
constexpr int kBatchesWithTotals = 6;

/// Without API and control socket the history could not be read.
bool wanted(const config::NodeConfig &config) {
    return config.history.enabled && (config.api.wanted() || !config.control_socket.empty());
}

}  // namespace

NodeHistory::NodeHistory(asio::io_context &io, const config::NodeConfig &config, NodeView &view)
    : io_(io), view_(view), enabled_(wanted(config)), store_(config) {}

NodeHistory::~NodeHistory() = default;

void NodeHistory::open(const Moment &moment) {
    if (!enabled_) return;
    view_.restore(store_.open(moment.wall), moment);
    written_event_ = view_.events().last();
    view_.handle_history_stopped(store_.why_stopped(), moment);
}

void NodeHistory::handle_second(const Moment &moment) {
    if (!enabled_) return;
    const DtnTime end = moment.wall - moment.wall % kMsPerSecond;
    auto fine = fine_.begin_second(end);
    auto coarse = coarse_.begin_second(end);
    view_.history().visit([this](const std::string &series, std::uint64_t value) {
        fine_.add(series, value);
        coarse_.add(series, value);
    });
    if (coarse) rows_.push_back(std::move(*coarse));
    if (fine) rows_.push_back(std::move(*fine));
    if (rows_.size() > HistoryStore::kMostRows) rows_.erase(rows_.begin());
    if (fine) {
        write(moment, batches_ % kBatchesWithTotals == 0);
        ++batches_;
    } else if (view_.events().last() - written_event_ >= kManyEvents) {
        write(moment, false);
    }
}

// A batch that finds no place in the queue is collected further.
void NodeHistory::write(const Moment &moment, bool with_totals) {
    const std::uint64_t last = view_.events().last();
    HistoryBatch batch;
    batch.events = view_.events().after(written_event_, EventLog::kMostEvents);
    batch.rows = rows_;
    batch.wall = moment.wall;
    if (with_totals) batch.totals = view_.lifetime_text(moment.now);
    const bool added = thread_.add([this, moment, batch = std::move(batch)]() mutable {
        store_.write(std::move(batch));
        asio::post(io_, [this, why = store_.why_stopped(), moment] {
            view_.handle_history_stopped(why, moment);
        });
    });
    if (!added) return;
    written_event_ = last;
    rows_.clear();
}

// What is collected is written first, so that the reply has the newest events.
void NodeHistory::ask(const HistoryQuery &query, const Moment &moment, const Then &then) {
    if (!enabled_)
        return then(
            {HistoryFault::kUnavailable, "the node keeps no history (history.enabled is false)"});
    if (view_.events().last() > written_event_) write(moment, false);
    const bool added = thread_.add([this, query, then] {
        asio::post(io_, [then, reply = store_.read(query)] { then(reply); });
    });
    if (!added)
        then({HistoryFault::kUnavailable,
              "the disk of the history is too slow, or too many queries are queued; try again"});
}

void NodeHistory::close(const Moment &moment) {
    if (!enabled_) return;
    if (auto row = coarse_.finish()) rows_.push_back(std::move(*row));
    if (auto row = fine_.finish()) rows_.push_back(std::move(*row));
    write(moment, true);
}

}  // namespace farlink::telemetry
