// SPDX-License-Identifier: Apache-2.0
// What the sink answers to a bundle: its payload, in a new bundle to its source.
// Owned by the sink; one thread; no link and no clock.
// Echoes of echoes end: the hop limit of an echo is below that of its cause, and a BPv6 echo, which
// has none, expires with its cause.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "apps/shared/traffic/fragments/contiguous_bundle.hpp"
#include "apps/shared/traffic/fragments/reassembler.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/bp/parse.hpp"

namespace farlink::bpsink {

class Echo {
public:
    /// `local`: the endpoint that echoes; `first_sequence`: of the echoes' creation timestamps.
    Echo(bp::Eid local, std::uint64_t first_sequence)
        : local_(std::move(local)),
          sequence_(first_sequence),
          reassembler_({kFragmentBytes, kFragmentedUnits}) {}

    /// The echo of a bundle, or of the data unit that a fragment completes. None: the bundle is for
    /// another endpoint or damaged, has no source to go back to, is an administrative record, or
    /// comes from this endpoint; it may make no further hop; or fragments are missing.
    [[nodiscard]] std::optional<Bytes> handle_bundle(std::span<const ByteView> bundle,
                                                     DtnTime now_ms);

    [[nodiscard]] std::uint64_t echoes() const { return echoes_; }
    /// Bundles for this endpoint that have no echo. Those that fragments belong to do not count
    /// while they are incomplete.
    [[nodiscard]] std::uint64_t unanswered() const { return unanswered_; }

private:
    static constexpr std::uint64_t kFragmentBytes = std::uint64_t{1} << 28;
    static constexpr std::size_t kFragmentedUnits = 4096;

    [[nodiscard]] std::optional<Bytes> echo_of(bp::BundleView view,
                                               std::span<const ByteView> octets, DtnTime now_ms);

    bp::Eid local_;
    std::uint64_t sequence_;
    traffic::Reassembler reassembler_;
    std::uint64_t echoes_ = 0;
    std::uint64_t unanswered_ = 0;
    traffic::ContiguousBundle contiguous_;
};

}  // namespace farlink::bpsink
