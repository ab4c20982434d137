// SPDX-License-Identifier: Apache-2.0
// A growing ring: a queue that keeps its memory, so that a steady flow does not allocate.
// Owned by its user; one thread.
// std::deque frees and allocates a chunk every few elements, which is why it is not used here.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "common/base/invariant.hpp"

namespace farlink {

template <class T>
class Ring {
public:
    [[nodiscard]] bool empty() const { return count_ == 0; }
    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] T &operator[](std::size_t index) { return slots_[(first_ + index) & mask()]; }
    [[nodiscard]] const T &operator[](std::size_t index) const {
        return slots_[(first_ + index) & mask()];
    }
    [[nodiscard]] T &front() { return (*this)[0]; }
    [[nodiscard]] const T &front() const { return (*this)[0]; }
    [[nodiscard]] T &back() { return (*this)[count_ - 1]; }

    void push_back(T value) {
        if (count_ == slots_.size()) grow();
        slots_[(first_ + count_) & mask()] = std::move(value);
        ++count_;
    }
    T pop_front() {
        FARLINK_INVARIANT(count_ > 0);
        T value = std::move(slots_[first_]);
        slots_[first_] = T{};
        first_ = (first_ + 1) & mask();
        --count_;
        return value;
    }
    T pop_back() {
        FARLINK_INVARIANT(count_ > 0);
        T value = std::move(back());
        back() = T{};
        --count_;
        return value;
    }
    void push_front(T value) {
        if (count_ == slots_.size()) grow();
        first_ = (first_ + slots_.size() - 1) & mask();
        slots_[first_] = std::move(value);
        ++count_;
    }
    void clear() {
        while (!empty()) pop_front();
    }

private:
    [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
    void grow() {
        std::vector<T> larger(slots_.empty() ? 16 : slots_.size() * 2);
        for (std::size_t i = 0; i < count_; ++i) larger[i] = std::move((*this)[i]);
        slots_ = std::move(larger);
        first_ = 0;
    }

    std::vector<T> slots_;  ///< a power of two
    std::size_t first_ = 0;
    std::size_t count_ = 0;
};

}  // namespace farlink
