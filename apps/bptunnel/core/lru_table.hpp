// SPDX-License-Identifier: Apache-2.0
// A table with a bound: a new entry replaces the one that was used least recently.
// Owned by its user.
// One thread.
#pragma once

#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

namespace farlink::bptunnel {

template <class Key, class Value>
class LruTable {
public:
    using Entry = std::pair<const Key, Value>;

    /// `most`: at least 1.
    explicit LruTable(std::size_t most) : most_(most) {}

    /// Null: not there. It is used now.
    [[nodiscard]] Value *find(const Key &key) {
        const auto found = places_.find(key);
        if (found == places_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, found->second);
        return &found->second->second;
    }
    /// The key is new. What had to go, if anything.
    std::optional<std::pair<Key, Value>> add(const Key &key, Value value) {
        std::optional<std::pair<Key, Value>> gone;
        if (entries_.size() >= most_) {
            gone.emplace(entries_.back().first, std::move(entries_.back().second));
            places_.erase(gone->first);
            entries_.pop_back();
        }
        entries_.emplace_front(key, std::move(value));
        places_[key] = entries_.begin();
        return gone;
    }
    void clear() {
        places_.clear();
        entries_.clear();
    }
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] auto begin() { return entries_.begin(); }
    [[nodiscard]] auto end() { return entries_.end(); }

private:
    std::size_t most_;
    std::list<Entry> entries_;
    std::unordered_map<Key, typename std::list<Entry>::iterator> places_;
};

}  // namespace farlink::bptunnel
