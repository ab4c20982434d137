// SPDX-License-Identifier: Apache-2.0
// The state of each bundle of a crash test: made, acknowledged, delivered.
// Owned by the test; one thread.
// The seed and the number of a bundle determine its contents and size, so that no copy is kept.
#pragma once

#include <algorithm>
#include <deque>
#include <string>

#include "common/bp/fragment.hpp"
#include "common/bp/parse.hpp"
#include "common/runtime/clock.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::test {

class CrashBook {
public:
    /// Bundles are for node `near`, and some small ones for node `far`. Each is sent in so many
    /// fragments, 1: whole.
    CrashBook(std::uint64_t seed, std::uint64_t near, std::uint64_t far, std::uint64_t fragments)
        : seed_(seed), near_(near), far_(far), fragments_(fragments) {}

    /// The number of a new bundle, or of the next fragment.
    [[nodiscard]] std::uint64_t make() {
        if (sent_ % fragments_ == 0) bundles_.emplace_back();
        return sent_++;
    }
    /// A bundle lacks fragments that have not been made.
    [[nodiscard]] bool unfinished() const { return sent_ % fragments_ != 0; }
    [[nodiscard]] Bytes octets(std::uint64_t number) const {
        Bytes rest = bundle(number / fragments_).octets();
        const std::uint64_t piece = bundle(number / fragments_).payload_bytes / fragments_;
        for (std::uint64_t at = 0; at + 1 < fragments_; ++at) {
            auto parts = bp::fragment(rest, piece).value();
            if (at == number % fragments_) return std::move(parts.first);
            rest = std::move(parts.second);
        }
        return rest;
    }

    void acknowledge(std::uint64_t number) {
        Fate &fate = bundles_[number / fragments_];
        fate.fragments |= std::uint64_t{1} << (number % fragments_);
        if (fate.fragments + 1 != std::uint64_t{1} << fragments_) return;
        acknowledged_ += fate.acknowledged ? 0 : 1;
        waiting_ += fate.acknowledged || fate.delivered ? 0 : 1;
        fate.acknowledged = true;
    }
    /// A whole bundle has arrived at the sink of `node`.
    void deliver(ByteView octets, std::uint64_t node) {
        const auto view = bp::parse({&octets, 1});
        if (!view || view->sequence >= bundles_.size()) return note("not a bundle of this test");
        const TestBundle sent = bundle(view->sequence);
        if (view->destination.node != node || sent.to.node != node)
            return note("a bundle for another node");
        const ByteView payload = octets.subspan(static_cast<std::size_t>(view->payload_offset),
                                                static_cast<std::size_t>(view->payload_length));
        if (!std::ranges::equal(payload, sent.payload())) return note("another content");
        Fate &fate = bundles_[view->sequence];
        if (fate.delivered) {
            ++repeats_;
            return;
        }
        fate.delivered = true;
        ++delivered_;
        waiting_ -= fate.acknowledged ? 1 : 0;
    }

    [[nodiscard]] std::uint64_t made() const { return bundles_.size(); }
    [[nodiscard]] std::uint64_t acknowledged() const { return acknowledged_; }
    [[nodiscard]] std::uint64_t delivered() const { return delivered_; }
    [[nodiscard]] std::uint64_t repeats() const { return repeats_; }
    /// Acknowledged and not delivered yet.
    [[nodiscard]] std::uint64_t waiting() const { return waiting_; }
    /// The first arrival that was not allowed; empty: none.
    [[nodiscard]] const std::string &faults() const { return faults_; }
    /// The first bundles that were acknowledged and not delivered.
    [[nodiscard]] std::string missing() const {
        std::string text;
        for (std::uint64_t number = 0, named = 0; number < made() && named < 20; ++number) {
            if (!bundles_[number].acknowledged || bundles_[number].delivered) continue;
            const TestBundle lost = bundle(number);
            text += " " + std::to_string(number) + " (to ipn:" + std::to_string(lost.to.node) +
                    ", " + std::to_string(lost.payload_bytes) + " B)";
            ++named;
        }
        return text;
    }

private:
    struct Fate {
        bool acknowledged = false;
        bool delivered = false;
        std::uint64_t fragments = 0;  ///< acknowledged ones, as bits
    };

    [[nodiscard]] TestBundle bundle(std::uint64_t number) const {
        Random random(seed_ + number * 0x2545f4914f6cdd1dULL);
        TestBundle bundle;
        bundle.sequence = number;
        bundle.created_ms = created_ms_;
        bundle.lifetime_ms = 7UL * 24 * 3'600'000;
        const bool far = random.chance(1, 12);
        bundle.to = bp::ipn_eid(far ? far_ : near_, 1 + random.below(2));
        const std::uint64_t kind = random.below(1000);
        if (far || kind < 700)
            bundle.payload_bytes = 30 + random.below(2'000);
        else if (kind < 930)
            bundle.payload_bytes = 2'000 + random.below(28'000);
        else if (kind < 995)
            bundle.payload_bytes = 30'000 + random.below(270'000);
        else
            bundle.payload_bytes = 1'000'000 + random.below(2'000'000);
        return bundle;
    }
    void note(const char *fault) { faults_ += std::string(faults_.empty() ? "" : ", ") + fault; }

    std::uint64_t seed_;
    std::uint64_t near_;
    std::uint64_t far_;
    std::uint64_t fragments_;
    std::uint64_t sent_ = 0;  ///< numbers that were given out
    DtnTime created_ms_ = read_wall_clock().dtn_ms;
    std::deque<Fate> bundles_;
    std::uint64_t acknowledged_ = 0;
    std::uint64_t delivered_ = 0;
    std::uint64_t repeats_ = 0;
    std::uint64_t waiting_ = 0;
    std::string faults_;
};

}  // namespace farlink::test
