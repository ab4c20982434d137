// SPDX-License-Identifier: Apache-2.0
// Bundles, and pieces of a bundle, that the session has taken and not yet cut into segments.
// Owned by one session's sender; one thread.
// Their heads, which do not outlive the call that hands them over, are kept here; everything else
// stays where it lies. Memory is reused.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/buffer/ring.hpp"
#include "common/buffer/tx_bundle.hpp"

namespace farlink::cla::tcpclv3 {

class Backlog {
public:
    void push(const TxBundle &bundle);
    /// The oldest one; its views are valid until the next call that changes the backlog.
    [[nodiscard]] TxBundle front() const;
    void pop();
    void pop_back();
    void clear();

    [[nodiscard]] bool empty() const { return waiting_.empty(); }
    [[nodiscard]] std::size_t size() const { return waiting_.size(); }
    /// The oldest one is a further piece of a bundle whose beginning has left.
    [[nodiscard]] bool goes_on() const { return is_further_piece(0); }
    [[nodiscard]] bool is_further_piece(std::size_t index) const {
        return index < waiting_.size() && waiting_[index].is_further_piece;
    }
    /// Bytes of all bundles in it.
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
    struct Waiting {
        std::uint64_t token = 0;
        std::uint64_t size = 0;
        std::size_t head_size = 0;
        std::size_t pieces = 0;  ///< body and rest
        std::uint64_t left = 0;
        bool is_further_piece = false;
    };

    /// A queue whose front part can be seen as one span.
    template <class T>
    class Store {
    public:
        void add(const T &item) { items_.push_back(item); }
        void add(std::span<const T> items) {
            items_.insert(items_.end(), items.begin(), items.end());
        }
        [[nodiscard]] std::span<const T> first(std::size_t count) const {
            return {items_.data() + gone_, count};
        }
        void remove(std::size_t count) {
            gone_ += count;
            if (gone_ < items_.size() / 2 + 1) return;
            items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(gone_));
            gone_ = 0;
        }
        void remove_back(std::size_t count) { items_.resize(items_.size() - count); }
        void clear() {
            items_.clear();
            gone_ = 0;
        }

    private:
        std::vector<T> items_;
        std::size_t gone_ = 0;
    };

    Ring<Waiting> waiting_;
    Store<std::uint8_t> heads_;
    Store<ByteView> pieces_;
    std::uint64_t bytes_ = 0;
};

}  // namespace farlink::cla::tcpclv3
