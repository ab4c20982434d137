// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/suggestion.hpp"

#include <algorithm>
#include <vector>

namespace farlink::config {
namespace {

/// Words longer than this are not keys; they are not compared.
constexpr std::size_t kLongestWord = 64;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Optimal string alignment, three rows of the table at a time.
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> above(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool equal = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (equal ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                                 lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(above);
        above.swap(row);
    }
    return above[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
    if (word.size() > kLongestWord) return {};
    std::string_view best;
    std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string_view candidate : known) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best_distance && distance < candidate.size()) {
            best = candidate;
            best_distance = distance;
        }
    }
    if (!best.empty()) return best;
    // "warning" for "warn", "src" for "srcNode": one goes on where the other ends.
    const auto shares_beginning = [word](std::string_view candidate) {
        return std::min(word.size(), candidate.size()) >= 3 &&
               (word.starts_with(candidate) || candidate.starts_with(word));
    };
    const auto found = std::ranges::find_if(known, shares_beginning);
    return found == known.end() ? std::string_view{} : *found;
}

}  // namespace farlink::config
