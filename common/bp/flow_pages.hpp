// SPDX-License-Identifier: Apache-2.0
// An entry for each flow, found by bp::flow_key() without a hash table: a page is made with the
// first of its flows, and freed some seconds after the last one.
// Owned by the module that keeps flows; one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "common/bp/flow.hpp"

namespace farlink {

template <class Each>
class FlowPages {
public:
    [[nodiscard]] Each &operator[](std::uint64_t flow) {
        auto &page = pages_[page_of(flow)];
        if (page == nullptr) {
            page = std::make_unique<Page>();
            ++made_;
        }
        return (*page)[flow % kPage];
    }
    /// Null if its page has no flow yet.
    [[nodiscard]] const Each *find(std::uint64_t flow) const {
        const auto &page = pages_[page_of(flow)];
        return page == nullptr ? nullptr : &(*page)[flow % kPage];
    }
    template <class Visit>
    void for_each(Visit &&visit) {
        for (std::size_t at = 0; at < kPages; ++at)
            for (std::size_t place = 0; pages_[at] != nullptr && place < kPage; ++place)
                visit(at * kPage + place, (*pages_[at])[place]);
    }
    template <class Visit>
    void for_each(Visit &&visit) const {
        for (std::size_t at = 0; at < kPages; ++at)
            for (std::size_t place = 0; pages_[at] != nullptr && place < kPage; ++place)
                visit(at * kPage + place, std::as_const((*pages_[at])[place]));
    }

    /// For once a second: frees pages in which `is_empty(entry)` for each entry, of a part of all
    /// pages at a time. A few are kept, since an empty flow may soon be used again. Returns octets,
    /// or 0 when they are few.
    template <class IsEmpty>
    std::size_t free_empty(IsEmpty &&is_empty) {
        const std::size_t before = made_;
        for (std::size_t looked = 0; looked < kPages / kParts && made_ > kKept; ++looked) {
            auto &page = pages_[next_];
            next_ = (next_ + 1) % kPages;
            if (page == nullptr || !std::ranges::all_of(*page, is_empty)) continue;
            page.reset();
            --made_;
        }
        const std::size_t freed = (before - made_) * sizeof(Page);
        return freed < kFewBytes ? 0 : freed;
    }

    static constexpr std::size_t kKept = 256;  ///< pages
    static constexpr std::size_t kFewBytes = 512 * 1024;
    static constexpr std::size_t kParts = 4;  ///< calls of free_empty() that look at all pages

private:
    /// Keys are hashed: with a large page few flows would occupy all of them.
    static constexpr std::size_t kPage = 32;
    static constexpr std::size_t kPages = (std::size_t{1} << bp::kFlowBits) / kPage;
    using Page = std::array<Each, kPage>;

    [[nodiscard]] static std::size_t page_of(std::uint64_t flow) { return flow / kPage % kPages; }

    std::array<std::unique_ptr<Page>, kPages> pages_;
    std::size_t made_ = 0;
    std::size_t next_ = 0;  ///< the first that free_empty() looks at
};

}  // namespace farlink
