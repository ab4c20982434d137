// SPDX-License-Identifier: Apache-2.0
#include "common/plan/repeats.hpp"

#include <algorithm>
#include <optional>

namespace farlink::config {
namespace {

/// The smallest x for which (step * x) mod `modulus` is from `low` to `high`, of which both are
/// above 0 and below the modulus; the time grows with its digits, as in Euclid's algorithm. Numbers
/// are below 2^32, so that products fit.
std::optional<std::uint64_t> first_between(std::uint64_t step, std::uint64_t modulus,
                                           std::uint64_t low, std::uint64_t high) {
    if (step == 0) return std::nullopt;
    if (2 * step > modulus)
        return first_between(modulus - step, modulus, modulus - high, modulus - low);
    const std::uint64_t x = (low + step - 1) / step;
    if (step * x <= high) return x;
    // step * x = modulus * turns + t with t from low to high, of which none is a multiple of step.
    const auto turns = first_between(modulus % step, step, step - high % step, step - low % step);
    if (!turns) return std::nullopt;
    return (low + modulus * *turns + step - 1) / step;
}

/// The smallest x for which (begin + step * x) mod `modulus` is below `width`.
std::optional<std::uint64_t> first_within(std::uint64_t begin, std::uint64_t step,
                                          std::uint64_t modulus, std::uint64_t width) {
    if (begin % modulus < width) return 0;
    const std::uint64_t low = modulus - begin % modulus;
    return first_between(step % modulus, modulus, low, low + width - 1);
}

std::uint64_t times(std::uint64_t one, std::uint64_t other) {
    return other != 0 && one > kDtnNever / other ? kDtnNever : one * other;
}

/// Of two periodic contacts. Counted from the start of the first repeat of `other`, a repeat of
/// `one` has its last millisecond at u; it meets the repeat of `other` that starts at or before u
/// if that is less than the lengths of both, less one, ago.
bool repeats_meet(const PlanContact &one, const PlanContact &other) {
    const std::uint64_t width = one.end - one.start + (other.end - other.start) - 1;
    const std::uint64_t first = repeats_ended_at(one, other.start);
    const std::uint64_t count = repeat_count(one);
    if (first >= count) return false;
    const std::uint64_t u = one.end - 1 + times(first, one.repeat) - other.start;
    // So many repeats of `one` end while those of `other` go on.
    const std::uint64_t span = times(repeat_count(other), other.repeat);
    const std::uint64_t within =
        span == kDtnNever
            ? count - first
            : std::min(count - first, u >= span ? 0 : (span - 1 - u) / one.repeat + 1);
    if (within > 0) {
        const auto found = first_within(u, one.repeat, other.repeat, width);
        if (found && *found < within) return true;
    }
    if (first + within >= count) return false;
    // The next one may meet the last repeat of `other`.
    return u + times(within, one.repeat) - (span - other.repeat) < width;
}

}  // namespace

std::uint64_t repeat_count(const PlanContact &contact) {
    if (!contact.periodic()) return 1;
    if (contact.until == kDtnNever) return kEndless;
    return contact.until < contact.end ? 1 : (contact.until - contact.end) / contact.repeat + 1;
}

std::uint64_t repeats_ended_at(const PlanContact &contact, DtnTime time) {
    if (time < contact.end) return 0;
    if (!contact.periodic()) return 1;
    return std::min((time - contact.end) / contact.repeat + 1, repeat_count(contact));
}

std::uint64_t repeats_started_before(const PlanContact &contact, DtnTime time) {
    if (time <= contact.start) return 0;
    if (!contact.periodic()) return 1;
    return std::min((time - contact.start - 1) / contact.repeat + 1, repeat_count(contact));
}

PlanContact repeat_of(const PlanContact &contact, std::uint64_t place) {
    PlanContact made = contact;
    made.id += place * kRepeatNumbers;
    made.start += place * contact.repeat;
    made.end += place * contact.repeat;
    made.repeat = 0;
    made.until = kDtnNever;
    return made;
}

DtnTime last_end(const PlanContact &contact) {
    const std::uint64_t count = repeat_count(contact);
    return count == kEndless ? kDtnNever : contact.end + (count - 1) * contact.repeat;
}

bool meet(const PlanContact &one, const PlanContact &other) {
    if (!one.periodic()) {
        if (other.periodic()) return meet(other, one);
        return one.start < other.end && other.start < one.end;
    }
    if (other.periodic()) return repeats_meet(one, other);
    const std::uint64_t first = repeats_ended_at(one, other.start);
    return first < repeat_count(one) && one.start + first * one.repeat < other.end;
}

std::uint64_t expanded_count(const std::vector<PlanContact> &contacts, DtnTime from, DtnTime to) {
    std::uint64_t count = 0;
    for (const PlanContact &contact : contacts) {
        const std::uint64_t first = contact.periodic() ? repeats_ended_at(contact, from) : 0;
        const std::uint64_t end = contact.periodic() ? repeats_started_before(contact, to) : 1;
        if (end > first) count = saturating_add(count, end - first);
    }
    return count;
}

std::vector<PlanContact> expanded(const std::vector<PlanContact> &contacts, DtnTime from,
                                  DtnTime to, std::uint64_t most) {
    std::vector<PlanContact> made;
    made.reserve(contacts.size());
    for (const PlanContact &contact : contacts) {
        if (!contact.periodic()) {
            made.push_back(contact);
            continue;
        }
        const std::uint64_t first = repeats_ended_at(contact, from);
        const std::uint64_t end = repeats_started_before(contact, to);
        for (std::uint64_t place = first; place < end && place - first < most; ++place)
            made.push_back(repeat_of(contact, place));
    }
    return made;
}

}  // namespace farlink::config
