// SPDX-License-Identifier: Apache-2.0
// Limits what is reported about peers that any host can be: each text about an address once in an
// interval, and few texts for each address.
// Owned by who reports; one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"

namespace farlink {

class PeerLimiter {
public:
    static constexpr std::size_t kMostAddresses = 64;
    static constexpr std::size_t kMostTexts = 4;  ///< about one address in an interval

    explicit PeerLimiter(Duration interval) : interval_(interval) {}

    /// Whether the text about that address may be reported now.
    [[nodiscard]] bool admit(std::string_view address, std::string_view text, TimePoint now) {
        auto found = peers_.find(address);
        if (found != peers_.end() && now - found->second.begun >= interval_) {
            peers_.erase(found);
            found = peers_.end();
        }
        if (found == peers_.end()) {
            if (peers_.size() >= kMostAddresses)
                std::erase_if(
                    peers_, [&](const auto &peer) { return now - peer.second.begun >= interval_; });
            if (peers_.size() >= kMostAddresses) return false;
            found = peers_.emplace(address, Peer{now, {}}).first;
        }
        std::vector<std::size_t> &texts = found->second.texts;
        const std::size_t hash = std::hash<std::string_view>{}(text);
        if (texts.size() >= kMostTexts || std::ranges::find(texts, hash) != texts.end())
            return false;
        texts.push_back(hash);
        return true;
    }

private:
    struct Peer {
        TimePoint begun;  ///< of its interval
        std::vector<std::size_t> texts;
    };

    Duration interval_;
    std::map<std::string, Peer, std::less<>> peers_;
};

}  // namespace farlink
