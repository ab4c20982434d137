// SPDX-License-Identifier: Apache-2.0
// What ingress asks for each bundle when the node has rules of BPSec: may it go on, and with which
// octets. An interface, so that ingress needs neither keys nor OpenSSL.
// Owned by IngressCore; one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "common/base/bytes.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/bp/bpsec/block/fault.hpp"
#include "common/bp/parse.hpp"

namespace farlink::security {

/// How a bundle comes, and where it goes.
struct Passing {
    LinkId link = kNoLink;   ///< by which it arrived
    bool made_here = false;  ///< by this node, or by one of its applications
    bool stays = false;      ///< for a service or an application of this node
    DtnTime now = 0;         ///< DTN milliseconds
};

enum class Passage : std::uint8_t { kUnchanged, kChanged, kDropped };

/// A rule that the bundle does not fulfil.
struct Failure {
    std::size_t rule = 0;  ///< its place in the configuration; kNoRule: none fits the bundle
    std::string_view name{};
    bp::bpsec::Fault fault{};
};
inline constexpr std::size_t kNoRule = std::numeric_limits<std::size_t>::max();

struct GateVerdict {
    static constexpr std::size_t kMostFailures = 4;  ///< two directions with two contexts

    Passage passage = Passage::kUnchanged;
    bool reported = false;      ///< of a dropped bundle: its report-to endpoint may learn it
    std::uint32_t checked = 0;  ///< operations that were verified or accepted
    std::uint32_t applied = 0;  ///< operations that were added
    std::uint32_t failure_count = 0;
    std::array<Failure, kMostFailures> all_failures{};

    [[nodiscard]] std::span<const Failure> failures() const {
        return std::span(all_failures).first(failure_count);
    }
};

class BundleGate {
public:
    virtual ~BundleGate() = default;

    /// `view` is what bp::parse() made of `slices`.
    [[nodiscard]] virtual GateVerdict judge(const bp::BundleView &view,
                                            std::span<const ByteView> slices,
                                            const Passing &passing) = 0;
    /// The same for a bundle that is too large for memory, by its head: it is never changed.
    [[nodiscard]] virtual GateVerdict judge_head(const bp::BundleView &view,
                                                 const Passing &passing) = 0;

    // Of the bundle that was changed last, until the next one is judged.

    /// What is in front of the payload, and behind it.
    [[nodiscard]] virtual ByteView head() const = 0;
    [[nodiscard]] virtual ByteView tail() const = 0;
    [[nodiscard]] virtual std::span<const ByteView> payload() const = 0;
    /// The payload lies in the gate's memory, no longer in the bundle's.
    [[nodiscard]] virtual bool has_new_payload() const = 0;
};

}  // namespace farlink::security
