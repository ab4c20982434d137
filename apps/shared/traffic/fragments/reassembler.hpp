// SPDX-License-Identifier: Apache-2.0
// Puts application data units together from fragments (RFC 9171 section 5.9, RFC 5050 section 5.9).
// In memory, for tools: bpsink owns one. Its limits bound the memory, and data units without
// progress are dropped. A node joins fragments on its disks (module/storage/core/fragments). One
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/bp/base/fragment_extent.hpp"
#include "common/bp/parse.hpp"

namespace farlink::traffic {

class Reassembler {
public:
    struct Limits {
        std::uint64_t bytes = 0;     ///< of payload held, with kPieceOverhead for each piece
        std::size_t data_units = 0;  ///< in reassembly at the same time
    };
    enum class Outcome : std::uint8_t {
        kPending,        ///< accepted; the data unit is incomplete
        kComplete,       ///< accepted; poll_data_unit() returns the data unit
        kDuplicate,      ///< all its octets are present already
        kContradiction,  ///< not a fragment, or with another total length than the others
        kNoSpace,        ///< a limit is reached; the fragment was not accepted
    };
    /// The cost of a piece beside its octets, so that many tiny fragments reach the limit, too.
    static constexpr std::uint64_t kPieceOverhead = 128;
    /// A data unit without progress for this time is dropped when space is needed.
    static constexpr DtnTime kStalledMs = 60'000;

    explicit Reassembler(Limits limits) : limits_(limits) {}

    /// `view` is a fragment that parse() accepted and `slices` its octets. Where fragments overlap,
    /// the earlier octets stay.
    [[nodiscard]] Outcome handle_fragment(const bp::BundleView &view,
                                          std::span<const ByteView> slices, DtnTime now_ms);
    /// The application data unit that was completed last.
    [[nodiscard]] std::optional<Bytes> poll_data_unit();
    /// Drops data units whose lifetime has ended; returns their number.
    std::size_t expire(DtnTime now_ms);

    [[nodiscard]] std::uint64_t held_bytes() const { return held_bytes_; }
    [[nodiscard]] std::size_t pending() const { return units_.size(); }

private:
    /// RFC 9171 section 4.2.7: the common identity of the fragments of a bundle.
    struct Key {
        std::uint8_t version = 0;
        bp::Eid source;
        std::uint64_t creation_time = 0;
        std::uint64_t sequence = 0;
        friend bool operator==(const Key &, const Key &) = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key &key) const;
    };
    struct Unit {
        std::uint64_t total = 0;    ///< bytes
        std::uint64_t covered = 0;  ///< bytes
        DtnTime expiry = kDtnNever;
        DtnTime progressed_ms = 0;              ///< when new octets last arrived
        std::map<std::uint64_t, Bytes> pieces;  ///< by offset; they do not overlap
    };

    [[nodiscard]] static std::vector<bp::FragmentExtent> missing(const Unit &unit,
                                                                 const bp::FragmentExtent &extent);
    [[nodiscard]] bool has_space(bool begins, std::uint64_t cost) const {
        return cost <= limits_.bytes - held_bytes_ &&
               (!begins || units_.size() < limits_.data_units);
    }
    [[nodiscard]] bool drop_stalled(const Key &but, DtnTime now_ms);
    void complete(Unit &unit);
    void release(const Unit &unit);

    Limits limits_;
    std::uint64_t held_bytes_ = 0;
    std::unordered_map<Key, Unit, KeyHash> units_;
    std::optional<Bytes> data_unit_;
};

}  // namespace farlink::traffic
