// SPDX-License-Identifier: Apache-2.0
// Finds the entry with a given identity, by 15 bytes a bundle or less.
// Owned by Inventory; one thread.
// Many small tables, chosen by the upper bits of the identity: each doubles by itself, so that no
// bundle waits while all the others are placed anew, and memory grows by a table at a time.
#pragma once

#include <vector>

#include "module/storage/core/index/entry_table.hpp"
#include "module/storage/core/index/identity_table.hpp"

namespace farlink::storage {

class IdentityIndex {
public:
    explicit IdentityIndex(const EntryTable &entries)
        : entries_(entries), tables_(kTables, Table(entries)) {}

    /// kNoEntry when there is none.
    [[nodiscard]] EntryIndex find(const Hash128 &identity) const {
        return tables_[table_of(identity)].find(identity);
    }
    /// Has the memory fetched that find() and insert() look at.
    void foresee(const Hash128 &identity) const { tables_[table_of(identity)].foresee(identity); }
    /// No entry with the same identity is in it.
    void insert(EntryIndex index) { tables_[table_of(entries_[index].identity)].insert(index); }
    /// True when this entry was in it.
    bool erase(EntryIndex index) {
        return tables_[table_of(entries_[index].identity)].erase(index);
    }

    /// Gives memory back when nothing is in it.
    void give_back() {
        for (Table &table : tables_) table.give_back();
    }

    [[nodiscard]] std::size_t memory_bytes() const {
        std::size_t sum = tables_.capacity() * sizeof(Table);
        for (const Table &table : tables_) sum += table.memory_bytes();
        return sum;
    }

private:
    using Table = IdentityTable<EntryTable, &Entry::identity>;
    static_assert(Table::kNone == kNoEntry);
    /// Ten million bundles are ten thousand in each, which are placed anew within a millisecond.
    static constexpr unsigned kTableBits = 10;
    static constexpr std::size_t kTables = std::size_t{1} << kTableBits;

    /// A table itself looks at the other bits.
    [[nodiscard]] static std::size_t table_of(const Hash128 &identity) {
        return identity.high >> (64 - kTableBits);
    }

    const EntryTable &entries_;
    std::vector<Table> tables_;
};

}  // namespace farlink::storage
