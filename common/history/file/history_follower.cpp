// SPDX-License-Identifier: Apache-2.0
#include "common/history/file/history_follower.hpp"

#include <utility>

#include "common/history/file/history_folder.hpp"

namespace farlink::history {

HistoryFollower::HistoryFollower(std::string folder) : folder_(std::move(folder)) {
    for (const ReadableHistory &history : read_histories(folder_))
        places_[history.module()] = history.reader().end();
}

std::uint64_t HistoryFollower::poll(std::size_t limit, std::vector<FoundBundle> &found) {
    std::uint64_t missed = 0;
    std::map<std::string, HistoryPlace> places;
    for (const ReadableHistory &history : read_histories(folder_)) {
        const HistoryReader reader = history.reader();
        HistoryPlace place = places_[history.module()];
        // A file that took its place counts its blocks from 1 again.
        if (reader.end().number < place.number) place = {};
        // A file that is new is read from its newest block on.
        if (place.number == 0)
            if (const Word newest = reader.end().number; newest > 1)
                missed += (newest - 1) * kRecordsPerBlock;
        std::vector<PastBundle> fresh;
        missed += reader.follow(place, limit, fresh);
        for (PastBundle &bundle : fresh) found.push_back({std::move(bundle), history.module()});
        places[history.module()] = place;
    }
    places_ = std::move(places);
    return missed;
}

}  // namespace farlink::history
