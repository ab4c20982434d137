// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/history/history_writer.hpp"

#include <algorithm>
#include <utility>

#include "module/telemetry/core/history/event_block.hpp"

namespace farlink::telemetry {

void HistoryWriter::continue_with(const KeptFile &file) {
    current_.insert_or_assign(file.file.kind, Current{file.file, file.bytes});
}

bool HistoryWriter::takes(const Current &current, DtnTime time) const {
    return time >= current.file.begin && current.bytes < most_bytes_ &&
           time < current.file.begin + longest_period_ms(current.file.kind);
}

HistoryWriter::Current &HistoryWriter::current(HistoryKind kind, DtnTime time) {
    const auto known = current_.find(kind);
    if (known != current_.end() && takes(known->second, time)) return known->second;
    return current_.insert_or_assign(kind, Current{{kind, ++last_number_, time}, 0}).first->second;
}

std::string HistoryWriter::append(Current &current, ByteView blocks) {
    Bytes octets;
    if (current.bytes == 0)
        octets = encode_header({kHistoryVersion, current.file.kind, current.file.begin, node_});
    farlink::append(octets, blocks);
    std::string wrong = folder_.append(current.file, octets);
    if (wrong.empty())
        current.bytes += octets.size();
    else
        current.encoder.begin_anew();
    return wrong;
}

std::string HistoryWriter::write(Json &events) {
    while (!events.empty()) {
        Current &to = current(HistoryKind::kEvents, time_of_event(events.front()));
        const auto end = std::find_if(events.begin(), events.end(), [&](const Json &event) {
            return !takes(to, time_of_event(event));
        });
        Json run = Json::array();
        run.insert(run.end(), events.begin(), end);
        Bytes blocks;
        append_events(blocks, run);
        if (std::string wrong = append(to, blocks); !wrong.empty()) return wrong;
        events.erase(events.begin(), end);
    }
    return {};
}

std::string HistoryWriter::write(std::vector<RateRow> &rows) {
    std::size_t done = 0;
    std::string wrong;
    for (; done < rows.size(); ++done) {
        const RateRow &row = rows[done];
        Current &to = current(row.kind(), row.begin);
        Bytes blocks;
        to.encoder.append(blocks, row);
        wrong = append(to, blocks);
        if (!wrong.empty()) break;
    }
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(done));
    return wrong;
}

}  // namespace farlink::telemetry
