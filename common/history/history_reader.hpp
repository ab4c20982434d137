// SPDX-License-Identifier: Apache-2.0
// Finds records in the ring of a bundle history while its writer goes on.
// Values over borrowed memory; any thread, of any process.
// A block that is begun anew while it is read counts as gone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/history/layout.hpp"
#include "common/history/past_bundle.hpp"

namespace farlink::history {

/// Which records are meant.
struct BundleQuery {
    bp::Eid source;
    /// Of one bundle; without them all bundles of the source.
    std::optional<std::uint64_t> creation_time{};
    std::optional<std::uint64_t> sequence{};
    /// Of one fragment; without it the whole bundle and all its fragments.
    std::optional<bp::FragmentExtent> fragment{};

    [[nodiscard]] bool matches(const bp::BundleId &id) const;
};

/// From `SOURCE/TIME/SEQUENCE[/OFFSET+LENGTH]`, or a source alone. Where a `dtn` name that ends in
/// two numbers can be either, it is the id of a bundle.
[[nodiscard]] std::optional<BundleQuery> parse_bundle_query(std::string_view text);

struct SearchCounts {
    std::uint64_t blocks = 0;       ///< that were searched
    std::uint64_t passed_over = 0;  ///< that have no bundle of the source, by their filter
    std::uint64_t overwritten = 0;  ///< while they were searched
    std::uint64_t unrecorded = 0;   ///< bundles that ended without a record
    DtnTime oldest = kDtnNever;     ///< time of the oldest record; never: there is none
};

/// A place behind a record.
struct HistoryPlace {
    std::size_t index = 0;  ///< of a block
    Word number = 0;        ///< of that block; 0: none
    std::size_t slot = kFirstRecord;
};

class HistoryReader {
public:
    /// `blocks`: whole blocks.
    explicit HistoryReader(std::span<const Word> blocks) : words_(blocks) {}

    /// Appends at most `limit` records, the newest first. False: there are more.
    bool search(const BundleQuery &query, std::size_t limit, std::vector<PastBundle> &found,
                SearchCounts &counts) const;

    /// Behind the newest record.
    [[nodiscard]] HistoryPlace end() const;
    /// Appends the records behind `place`, at most `limit`, and moves it. Returns how many records
    /// were passed over, about: those that were overwritten.
    [[nodiscard]] std::uint64_t follow(HistoryPlace &place, std::size_t limit,
                                       std::vector<PastBundle> &found) const;

private:
    [[nodiscard]] std::size_t count() const { return words_.size() / kBlockWords; }
    [[nodiscard]] const Word *block(std::size_t index) const {
        return words_.data() + index * kBlockWords;
    }
    [[nodiscard]] std::vector<std::size_t> newest_first() const;

    std::span<const Word> words_;
};

}  // namespace farlink::history
