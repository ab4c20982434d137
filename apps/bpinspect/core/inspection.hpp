// SPDX-License-Identifier: Apache-2.0
// A bundle or an administrative record taken apart: named octet ranges, and what deviates from its
// standard. Values, owned by their maker.
// Any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/bp/bundle_id.hpp"

namespace farlink::inspect {

/// Octets of the input, from its first one on.
struct OctetRange {
    std::uint64_t at = 0;
    std::uint64_t size = 0;

    [[nodiscard]] std::uint64_t end() const { return at + size; }
    friend bool operator==(const OctetRange &, const OctetRange &) = default;
};

[[nodiscard]] constexpr OctetRange range_between(std::uint64_t from, std::uint64_t to) {
    return {from, to - from};
}

using Value = std::variant<std::monostate, std::uint64_t, bool, std::string>;

/// A named range of octets. Fields that consist of others lie in `fields`.
struct Field {
    std::string name;  ///< "creation time"
    OctetRange octets;
    Value value{};          ///< as it stands in the octets
    std::string meaning{};  ///< what the value stands for, where that is not plain
    std::vector<Field> fields{};
};

enum class Weight : std::uint8_t {
    kRequirement,  ///< a MUST or SHALL of the standard, or octets that have no meaning in it
    kAdvice,       ///< a SHOULD, or a value that is reserved
};

struct Deviation {
    OctetRange octets;
    std::string section;  ///< "RFC 9171 section 4.3.1"
    std::string what;
    Weight weight = Weight::kRequirement;
};

/// How many deviate, by weight.
struct DeviationCount {
    std::uint64_t required = 0;
    std::uint64_t advised = 0;

    void add(Weight weight) { ++(weight == Weight::kRequirement ? required : advised); }
    [[nodiscard]] std::uint64_t all() const { return required + advised; }
};

/// What became of a security operation.
enum class SecurityOutcome : std::uint8_t {
    kGood,       ///< valid, or decrypted
    kUnchecked,  ///< no key at hand for it, or for what encrypts its target
    kFailed,
};

/// A security operation that was checked with keys.
struct CheckedOperation {
    bool encrypts = false;     ///< confidentiality; else integrity
    std::uint64_t block = 0;   ///< number of the security block
    std::uint64_t target = 0;  ///< number of its target
    std::string target_name;   ///< "payload"
    SecurityOutcome outcome = SecurityOutcome::kFailed;
    std::string key;    ///< the one that fits
    std::string fault;  ///< why it is not good
};

/// Of a bundle, with the keys at hand.
struct SecurityResult {
    std::vector<CheckedOperation> operations;
    std::string fault;  ///< the bundle as a whole cannot be checked; else empty
    Bytes decrypted;    ///< the bundle as it is then; empty where nothing was decrypted

    [[nodiscard]] bool failed() const {
        return !fault.empty() || std::ranges::find(operations, SecurityOutcome::kFailed,
                                                   &CheckedOperation::outcome) != operations.end();
    }
};

struct Inspection {
    Field root;
    std::vector<Deviation> deviations;  ///< the first ones
    DeviationCount counts;              ///< of all
    unsigned version = 0;               ///< of the Bundle Protocol; 0: unknown
    bool is_record = false;
    std::optional<bp::BundleId> id{};          ///< of a bundle, where it could be read
    std::optional<std::string> destination{};  ///< likewise
    std::optional<bp::BundleId> subject_id{};  ///< of a record about a bundle
    std::vector<std::string> block_names{};    ///< in their order
    std::optional<SecurityResult> security{};  ///< of a bundle, where keys were given

    [[nodiscard]] bool conforms() const { return counts.required == 0; }
    /// Those that are not in the list.
    [[nodiscard]] std::uint64_t unlisted() const { return counts.all() - deviations.size(); }
};

/// Where the walkers note what deviates.
class Deviations {
public:
    /// More are only counted: hostile octets deviate at each of them.
    static constexpr std::size_t kMost = 1000;

    void add(OctetRange octets, std::string_view section, std::string what,
             Weight weight = Weight::kRequirement) {
        counts_.add(weight);
        if (list_.size() < kMost)
            list_.push_back({octets, std::string(section), std::move(what), weight});
    }
    void advise(OctetRange octets, std::string_view section, std::string what) {
        add(octets, section, std::move(what), Weight::kAdvice);
    }
    [[nodiscard]] std::vector<Deviation> take() { return std::move(list_); }
    [[nodiscard]] DeviationCount counts() const { return counts_; }

private:
    DeviationCount counts_;
    std::vector<Deviation> list_;
};

}  // namespace farlink::inspect
