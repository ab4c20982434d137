// SPDX-License-Identifier: Apache-2.0
// Bundles whose session has ended while they were in flight: their sender got no acknowledgement
// and will send them again; the repeats are acknowledged when the first copy is safe.
// Owned by RepeatsAfterLoss; one thread.
// Empty but for the time after a lost session, so that other bundles cost nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/types.hpp"
#include "common/bp/parse.hpp"

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
    /// Adds a bundle in flight by its arrival number. `safe`: there is a copy in storage.
    void add(const bp::BundleView &bundle, std::uint64_t arrival, bool safe);

    /// The first copy of a bundle that has come again: is it safe? Empty when it is not here.
    [[nodiscard]] std::optional<bool> find(const bp::BundleView &bundle) const;
    /// The transfer waits for the first copy, which find() has found and which is not safe.
    void wait(const bp::BundleView &bundle, const Repeat &repeat);

    /// There is a copy of it in storage now. Returns the repeats that waited for that.
    [[nodiscard]] std::vector<Repeat> secure(std::uint64_t arrival);
    /// Ingress owns it no longer. Returns the repeats that waited for that.
    [[nodiscard]] std::vector<Repeat> remove(std::uint64_t arrival);
    /// The session has ended: its repeats wait no longer.
    void forget(UpstreamId upstream);

private:
    struct Transfer {
        std::uint64_t arrival = 0;
        bool safe = false;
        std::vector<Repeat> waiting;
    };
    using Places = std::unordered_map<std::string, Transfer>;

    /// The whole identity, not a hash of it: no forged bundle matches another one.
    [[nodiscard]] static std::string identity_of(const bp::BundleView &bundle);
    [[nodiscard]] Transfer *find(std::uint64_t arrival);

    Places by_identity_;
    std::unordered_map<std::uint64_t, std::string> by_arrival_;
};

}  // namespace farlink::ingress
