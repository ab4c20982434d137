// SPDX-License-Identifier: Apache-2.0
// Named counters: a module's enum, the table that describes it, and the values.
// Each module owns one Counters of its enum and is its only writer; telemetry receives copies of
// the values. One thread; counting is an addition to a plain integer.
// The tables hold every public name of a counter: in the node's log, in metrics and in JSON.
// tools/counters.py reads them and generates the names in docs/api/openapi.yaml and webui/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/invariant.hpp"

namespace farlink::telemetry {

/// The members of JSON objects that show a counter. Counters with the same member are added up.
struct JsonMembers {
    std::string_view flow{};     ///< of `flow` in the state document
    std::string_view storage{};  ///< of `storage` in the state document
    std::string_view link{};     ///< of a link in the state document
    std::string_view custody{};  ///< of `counters` in /api/v1/custody
};

/// Name and meaning of one counter. A family of several counters (one for each reason) has `slots`
/// consecutive values; its members are named `<name>_<label>`, with labels given by the caller.
struct CounterInfo {
    std::string_view name;  ///< snake_case, begins with the module: "ingress_received"
    std::string_view unit;  ///< "bundles", "bytes", ...
    std::string_view help;  ///< one sentence
    bool gauge = false;     ///< a level that also falls, not a count
    std::size_t slots = 1;
    std::string_view metric{};  ///< metric family, without the prefix "farlink_"
    std::string_view reason{};  ///< of a counter of deletions: its label in the family
    JsonMembers json{};
};

/// A row of a table: `id` is the enumerator whose value is the index of the row's first slot.
template <class Id>
struct CounterRow {
    Id id;
    CounterInfo info;
};

/// Number of values of an enum of counters, families with all their slots.
template <class Id>
inline constexpr std::size_t kCounterSlots = static_cast<std::size_t>(Id::kCount_);

/// True when every slot of the enum is described exactly once, in order. For static_assert.
template <class Id, std::size_t kRows>
[[nodiscard]] consteval bool describes_all(const std::array<CounterRow<Id>, kRows> &table) {
    std::size_t next = 0;
    for (const CounterRow<Id> &row : table) {
        if (static_cast<std::size_t>(row.id) != next || row.info.slots == 0) return false;
        if (row.info.name.empty() || row.info.unit.empty() || row.info.help.empty()) return false;
        next += row.info.slots;
    }
    return next == kCounterSlots<Id>;
}

/// The row of one counter. `table` is found by the type of the counter.
template <auto kId>
[[nodiscard]] consteval CounterInfo counter_info() {
    for (const auto &row : counter_table(kId))
        if (row.id == kId) return row.info;
    std::unreachable();
}

/// The values of a module's counters. Names and meaning are in the module's table.
template <class Id>
class Counters {
public:
    void increment(Id id) { ++values_[index(id)]; }
    void add(Id id, std::uint64_t more) { values_[index(id)] += more; }
    void set(Id id, std::uint64_t value) { values_[index(id)] = value; }
    /// Lowers a gauge; below zero is a broken invariant.
    void subtract(Id id, std::uint64_t less) {
        FARLINK_INVARIANT(values_[index(id)] >= less);
        values_[index(id)] -= less;
    }
    /// Increments one member of a family; `family` is its first slot.
    void increment(Id family, std::size_t member) { ++values_[index(family) + member]; }
    void add(Id family, std::size_t member, std::uint64_t more) {
        values_[index(family) + member] += more;
    }
    /// Adds to all members of a family, modulo 2^64, so that gauges among them can fall.
    void add(Id family, std::span<const std::uint64_t> more) {
        FARLINK_INVARIANT(index(family) + more.size() <= values_.size());
        for (std::size_t i = 0; i < more.size(); ++i) values_[index(family) + i] += more[i];
    }

    [[nodiscard]] std::uint64_t value(Id id) const { return values_[index(id)]; }
    [[nodiscard]] std::uint64_t value(Id family, std::size_t member) const {
        return values_[index(family) + member];
    }
    /// In the order of the table, as a CounterReport carries them.
    [[nodiscard]] std::span<const std::uint64_t> values() const { return values_; }
    [[nodiscard]] std::vector<std::uint64_t> snapshot() const {
        return {values_.begin(), values_.end()};
    }
    /// The same without the zeros at its end.
    [[nodiscard]] std::vector<std::uint64_t> short_snapshot() const {
        auto end = values_.end();
        while (end != values_.begin() && *(end - 1) == 0) --end;
        return {values_.begin(), end};
    }

private:
    static constexpr std::size_t index(Id id) { return static_cast<std::size_t>(id); }

    std::array<std::uint64_t, kCounterSlots<Id>> values_{};
};

/// One counter as it leaves the node: each member of a family by itself.
struct NamedCounter {
    std::string name;
    std::string_view unit;
    std::string_view help;
    bool gauge = false;
    std::string member;  ///< the name as a member of JSON: "ingressReceived"
};

/// "ingress_received" as a member of JSON: "ingressReceived".
[[nodiscard]] std::string member_name(std::string_view snake_case);

/// The labels of one family, in the order of its members.
struct FamilyLabels {
    std::string_view family;  ///< name of its row
    std::span<const std::string_view> labels;
};

/// Appends the row's slots to `names`; a member without a label gets its number.
void append_names(std::vector<NamedCounter> &names, const CounterInfo &info,
                  std::span<const FamilyLabels> families);

/// The name of every value of a table, in the order of Counters::values().
template <class Id, std::size_t kRows>
[[nodiscard]] std::vector<NamedCounter> counter_names(
    const std::array<CounterRow<Id>, kRows> &table, std::span<const FamilyLabels> families = {}) {
    std::vector<NamedCounter> names;
    for (const CounterRow<Id> &row : table) append_names(names, row.info, families);
    return names;
}

}  // namespace farlink::telemetry
