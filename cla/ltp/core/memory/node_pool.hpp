// SPDX-License-Identifier: Apache-2.0
// Small list nodes for tens of thousands of sessions, in one array and by number.
// Owned by the engine; one thread. A session holds four octets a list and no memory of its own.
// Nodes are reused, so that a steady state allocates nothing.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/base/invariant.hpp"

namespace farlink::cla::ltp {

inline constexpr std::uint32_t kNoNode = 0xffffffffU;

template <class T>
class NodePool {
public:
    struct Node {
        T value{};
        std::uint32_t next = kNoNode;
    };

    /// Invalidates references to other nodes.
    [[nodiscard]] std::uint32_t make(T value, std::uint32_t next = kNoNode) {
        std::uint32_t made = free_;
        if (made == kNoNode) {
            made = static_cast<std::uint32_t>(nodes_.size());
            FARLINK_INVARIANT(made != kNoNode);
            nodes_.emplace_back();
        } else {
            free_ = nodes_[made].next;
        }
        nodes_[made].value = std::move(value);
        nodes_[made].next = next;
        ++used_;
        return made;
    }
    void release(std::uint32_t node) {
        nodes_[node].value = T{};
        nodes_[node].next = free_;
        free_ = node;
        --used_;
    }
    /// Gives all memory back when no node is used.
    void give_back() {
        if (used_ > 0) return;
        decltype(nodes_)().swap(nodes_);
        free_ = kNoNode;
    }
    [[nodiscard]] Node &operator[](std::uint32_t node) { return nodes_[node]; }
    [[nodiscard]] const Node &operator[](std::uint32_t node) const { return nodes_[node]; }
    [[nodiscard]] std::size_t used() const { return used_; }
    [[nodiscard]] std::size_t bytes() const { return nodes_.capacity() * sizeof(Node); }

private:
    std::vector<Node> nodes_;
    std::uint32_t free_ = kNoNode;
    std::size_t used_ = 0;
};

/// A singly linked list whose nodes lie in a pool. Empty it before it ends.
template <class T>
class PoolList {
public:
    using Pool = NodePool<T>;

    [[nodiscard]] bool empty() const { return head_ == kNoNode; }
    [[nodiscard]] std::uint32_t head() const { return head_; }
    [[nodiscard]] std::uint32_t tail() const { return tail_; }
    T &push_back(Pool &pool, T value) {
        const std::uint32_t made = pool.make(std::move(value));
        (empty() ? head_ : pool[tail_].next) = made;
        tail_ = made;
        return pool[made].value;
    }
    /// Inserts behind node `before` of this list; kNoNode: at its front. Returns the new node.
    std::uint32_t insert_after(Pool &pool, std::uint32_t before, T value) {
        const std::uint32_t behind = before == kNoNode ? head_ : pool[before].next;
        const std::uint32_t made = pool.make(std::move(value), behind);
        (before == kNoNode ? head_ : pool[before].next) = made;
        if (behind == kNoNode) tail_ = made;
        return made;
    }
    void pop_front(Pool &pool) {
        const std::uint32_t gone = head_;
        head_ = pool[gone].next;
        if (head_ == kNoNode) tail_ = kNoNode;
        pool.release(gone);
    }
    void clear(Pool &pool) {
        while (!empty()) pop_front(pool);
    }
    /// Calls `each(value)`; must not change the list or make nodes.
    template <class Each>
    void for_each(Pool &pool, Each &&each) const {
        for (std::uint32_t at = head_; at != kNoNode; at = pool[at].next) each(pool[at].value);
    }
    /// The first value that `fits`, or null; valid until a node is made.
    template <class Fits>
    [[nodiscard]] T *find(Pool &pool, Fits &&fits) const {
        for (std::uint32_t at = head_; at != kNoNode; at = pool[at].next)
            if (fits(std::as_const(pool[at].value))) return &pool[at].value;
        return nullptr;
    }
    template <class Fits>
    void remove_if(Pool &pool, Fits &&fits) {
        std::uint32_t before = kNoNode;
        for (std::uint32_t at = head_; at != kNoNode;) {
            const std::uint32_t next = pool[at].next;
            if (fits(std::as_const(pool[at].value))) {
                (before == kNoNode ? head_ : pool[before].next) = next;
                if (at == tail_) tail_ = before;
                pool.release(at);
            } else {
                before = at;
            }
            at = next;
        }
    }

private:
    std::uint32_t head_ = kNoNode;
    std::uint32_t tail_ = kNoNode;
};

}  // namespace farlink::cla::ltp
