// SPDX-License-Identifier: Apache-2.0
// Makes the fragments of a run's bundles, in an order of choice, as a node would that cuts them.
// Owned by the generator; one thread. The template and the pattern outlive it.
// Fragments are numbered over the whole run; those of one bundle follow each other.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/shared/traffic/content/bundle_template.hpp"
#include "apps/shared/traffic/content/payload.hpp"
#include "common/base/bytes.hpp"

namespace farlink::traffic {

enum class FragmentOrder : std::uint8_t { kForward, kReverse, kShuffled };

struct FragmentOptions {
    std::uint64_t payload_bytes = 0;  ///< of each fragment, but the last of a bundle; 0: none
    FragmentOrder order = FragmentOrder::kForward;
    std::uint64_t seed = 0;  ///< of the shuffling
};

class FragmentMaker {
public:
    FragmentMaker(BundleTemplate &bundles, const Pattern &pattern, const FragmentOptions &options);

    /// 1 when bundles are sent whole.
    [[nodiscard]] std::uint64_t per_bundle() const { return per_bundle_; }
    [[nodiscard]] bool makes_fragments() const { return per_bundle_ > 1; }
    /// Fragment number `number` of the run. `header` is that of its bundle; the first fragment
    /// sets the time of sending for the others, whose identity it is part of.
    [[nodiscard]] const Bytes &fragment(PayloadHeader header, std::uint64_t number);

private:
    void make(const PayloadHeader &header);
    void cut_v6(Bytes rest);
    void cut_v7(ByteView bundle);
    void set_order(std::uint64_t bundle);

    BundleTemplate &bundles_;
    const Pattern &pattern_;
    FragmentOptions options_;
    std::uint64_t per_bundle_ = 1;
    std::vector<std::uint64_t> sent_unix_ns_;  ///< by bundle
    std::uint64_t made_ = ~std::uint64_t{0};   ///< the bundle that fragments_ are of
    std::vector<Bytes> fragments_;             ///< by offset
    std::vector<std::size_t> order_;
};

}  // namespace farlink::traffic
