// SPDX-License-Identifier: Apache-2.0
// Counts and logs the senders of datagrams that an LTP port drops.
// Owned by a link; its loop's thread only.
// A few senders are logged by address; the others are counted together, since there may be many.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cla/io/datagram_io.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink::cla::ltp {

class DroppedSenders {
public:
    static constexpr std::size_t kMostNamed = 8;

    /// `whose`: which datagrams the link drops, in words behind "dropped".
    explicit DroppedSenders(std::string_view whose) : whose_(whose) {}

    void count(const DatagramAddress &from, LinkId link, TimePoint now) {
        ++total_;
        const auto endpoint = from.endpoint();
        const std::string name =
            endpoint.address().to_string() + " port " + std::to_string(endpoint.port());
        const auto known = std::ranges::find(senders_, name, &Sender::name);
        if (known != senders_.end())
            ++known->datagrams;
        else if (senders_.size() < kMostNamed)
            senders_.push_back({name, 1});
        else
            ++others_;
        if (log_limit_.admit(now)) publish(link);
    }
    [[nodiscard]] std::uint64_t total() const { return total_; }

private:
    struct Sender {
        std::string name;
        std::uint64_t datagrams = 0;
    };

    void publish(LinkId link) {
        std::string named;
        for (const Sender &sender : senders_)
            named += (named.empty() ? "" : ", ") + std::to_string(sender.datagrams) + " from " +
                     sender.name;
        if (others_ > 0) named += ", " + std::to_string(others_) + " from other senders";
        log_.warn("link {}: dropped LTP datagrams {}: {}", link.value(), whose_, named);
        senders_.clear();
        others_ = 0;
    }

    std::string_view whose_;  ///< a literal
    Logger log_{"ltp"};
    LogLimiter log_limit_{seconds(10)};
    std::vector<Sender> senders_;  ///< since the last log line
    std::uint64_t others_ = 0;
    std::uint64_t total_ = 0;
};

}  // namespace farlink::cla::ltp
