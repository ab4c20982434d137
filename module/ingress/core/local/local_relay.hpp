// SPDX-License-Identifier: Apache-2.0
// Bundles that a further instance of ingress has relayed to the first one, which has the services
// of the node.
// Owned by LocalDeliveries; one thread.
// They stay here until they are delivered: the process of the first instance may end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/bus/messages.hpp"

namespace farlink::ingress {

class LocalRelay {
public:
    struct HandedOver {
        Bytes bundle;
        UpstreamId waiting = kNoUpstream;  ///< the session, if it waits for a disposition
        std::uint32_t transfer = 0;        ///< its number there
        NodeNumber neighbour{};            ///< that sent it; 0: not known
    };

    explicit LocalRelay(bus::AgentId self) : self_(self) {}

    /// The bundle's number; empty when too much waits already.
    [[nodiscard]] std::optional<std::uint64_t> take(ByteView bundle, UpstreamId waiting,
                                                    std::uint32_t transfer,
                                                    NodeNumber neighbour = {}) {
        if (bytes_ > 0 && bytes_ + bundle.size() > kMostBytes) return std::nullopt;
        bytes_ += bundle.size();
        waiting_.emplace(next_,
                         HandedOver{{bundle.begin(), bundle.end()}, waiting, transfer, neighbour});
        return next_++;
    }
    [[nodiscard]] bus::LocalDelivery message(std::uint64_t number) const {
        const HandedOver &handed_over = waiting_.at(number);
        return {self_, number, handed_over.bundle, handed_over.neighbour};
    }
    [[nodiscard]] std::optional<HandedOver> remove(std::uint64_t number) {
        const auto found = waiting_.find(number);
        if (found == waiting_.end()) return std::nullopt;
        HandedOver handed_over = std::move(found->second);
        waiting_.erase(found);
        bytes_ -= handed_over.bundle.size();
        return handed_over;
    }
    /// All that wait, oldest first.
    [[nodiscard]] std::vector<std::uint64_t> numbers() const {
        std::vector<std::uint64_t> all;
        for (const auto &[number, bundle] : waiting_) all.push_back(number);
        return all;
    }

private:
    static constexpr std::uint64_t kMostBytes = 64ULL * 1024 * 1024;

    bus::AgentId self_;
    std::map<std::uint64_t, HandedOver> waiting_;
    std::uint64_t next_ = 1;
    std::uint64_t bytes_ = 0;
};

}  // namespace farlink::ingress
