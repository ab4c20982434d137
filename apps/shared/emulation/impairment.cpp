// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/emulation/impairment.hpp"

#include <algorithm>
#include <cmath>

namespace farlink::emulation {
namespace {

constexpr double kTwoTo64 = 18446744073709551616.0;

// Mean length and share of the bad state fix both of the chain's probabilities.
double burst_beginning(const WireProfile &profile) {
    const double good = 1 - std::min(profile.burst_loss, 1.0);
    if (good <= 0) return 1;
    return std::min(1.0, profile.burst_loss / (std::max(1.0, profile.burst_length) * good));
}

double burst_ending(const WireProfile &profile) {
    return profile.burst_loss >= 1 ? 0 : 1 / std::max(1.0, profile.burst_length);
}

}  // namespace

Impairment::Impairment(const WireProfile &profile, std::uint64_t seed)
    : random_(seed),
      jitter_(profile.jitter),
      loss_(chance(profile.loss)),
      burst_begins_(chance(burst_beginning(profile))),
      burst_ends_(chance(burst_ending(profile))),
      duplication_(chance(profile.duplication)),
      reordering_(chance(profile.reordering)),
      bit_errors_(std::clamp(profile.bit_errors, 0.0, 1.0)) {
    if (profile.burst_loss <= 0) burst_begins_ = {};
    good_bits_ = draw_gap();
}

Impairment::Chance Impairment::chance(double probability) {
    if (!(probability > 0)) return {};
    if (probability >= 1) return {0, true};
    return {static_cast<std::uint64_t>(probability * kTwoTo64), false};
}

bool Impairment::happens(const Chance &chance) {
    // A random number is drawn only for impairments that are in use.
    if (chance.always) return true;
    return chance.below > 0 && random_.next() < chance.below;
}

bool Impairment::loses_in_burst() {
    if (in_burst_)
        in_burst_ = !happens(burst_ends_);
    else
        in_burst_ = happens(burst_begins_);
    return in_burst_;
}

Duration Impairment::jitter() {
    if (jitter_ <= Duration::zero()) return {};
    return Duration(
        static_cast<Duration::rep>(random_.below(static_cast<std::uint64_t>(jitter_.count()) + 1)));
}

// Errors that are independent of each other are apart by a geometric distribution, so that one draw
// an error is enough.
std::uint64_t Impairment::draw_gap() {
    if (bit_errors_ <= 0) return UINT64_MAX;
    if (bit_errors_ >= 1) return 0;
    const double uniform = (static_cast<double>(random_.next() >> 11) + 1) / 9007199254740993.0;
    const double gap = std::floor(std::log(uniform) / std::log1p(-bit_errors_));
    return gap < 1e18 ? static_cast<std::uint64_t>(gap) : std::uint64_t{1000000000000000000};
}

std::uint64_t Impairment::flip_bits(MutableBytes octets) {
    const std::uint64_t bits = octets.size() * 8;
    std::uint64_t flipped = 0;
    std::uint64_t at = 0;
    while (good_bits_ < bits - at) {
        at += good_bits_;
        octets[at / 8] ^= static_cast<std::uint8_t>(1U << (at % 8));
        ++at;
        ++flipped;
        good_bits_ = draw_gap();
    }
    good_bits_ -= good_bits_ == UINT64_MAX ? 0 : bits - at;
    return flipped;
}

}  // namespace farlink::emulation
