// SPDX-License-Identifier: Apache-2.0
// Bundles whose session has ended while they were on their way through this node: their sender has
// heard nothing of them and will send them again, and who does so is told of the first copy.
// Owned by IngressCore; one thread.
// Empty but for the time after a lost session, so that a bundle on a steady way costs nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/types.hpp"
#include "common/bp/bundle_view.hpp"

namespace farlink::ingress {

class DisconnectedTransfers {
public:
    /// Beyond so many, at about 200 bytes each, a bundle that comes again is forwarded again.
    static constexpr std::size_t kRemembered = 65'536;

    /// A transfer that repeats a bundle.
    struct Repeat {
        UpstreamId upstream = kNoUpstream;
        std::uint32_t transfer = 0;
    };

    [[nodiscard]] bool empty() const { return by_identity_.empty(); }
    /// This bundle is on its way, known here by its arrival. `safe`: there is a copy in storage.
    void add(const bp::BundleView &bundle, std::uint64_t arrival, bool safe);

    /// The first copy of a bundle that has come again: is it safe? Empty when it is not here.
    [[nodiscard]] std::optional<bool> find(const bp::BundleView &bundle) const;
    /// The transfer waits for news of the first copy, which find() has found and which is not safe.
    void wait(const bp::BundleView &bundle, const Repeat &repeat);

    /// There is a copy of it in storage now. Those who waited for that.
    [[nodiscard]] std::vector<Repeat> secure(std::uint64_t arrival);
    /// It is here no more. Those who waited for news of it.
    [[nodiscard]] std::vector<Repeat> remove(std::uint64_t arrival);
    /// The session has ended, and waits for nothing.
    void forget(UpstreamId upstream);

private:
    struct Orphan {
        std::uint64_t arrival = 0;
        bool safe = false;
        std::vector<Repeat> waiting;
    };
    using Places = std::unordered_map<std::string, Orphan>;

    /// The whole identity, not a hash of it: nobody can make a bundle that is taken for another.
    [[nodiscard]] static std::string identity_of(const bp::BundleView &bundle);
    [[nodiscard]] Orphan *find(std::uint64_t arrival);

    Places by_identity_;
    std::unordered_map<std::uint64_t, std::string> by_arrival_;
};

}  // namespace farlink::ingress
