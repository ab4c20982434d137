// SPDX-License-Identifier: Apache-2.0
// A list that nearly always has one element, which then needs no memory of its own.
// Owned by a flow.
// One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace farlink::storage {

template <class Each>
class ShortList {
public:
    [[nodiscard]] std::span<Each> all() {
        return more_ != nullptr ? std::span<Each>(*more_) : std::span<Each>(&one_, count_);
    }
    [[nodiscard]] bool contains(const Each &each) {
        return std::ranges::find(all(), each) != all().end();
    }
    void push_back(const Each &each) {
        if (more_ == nullptr && count_ == 0) {
            one_ = each;
            count_ = 1;
            return;
        }
        if (more_ == nullptr) more_ = std::make_unique<std::vector<Each>>(1, one_);
        more_->push_back(each);
    }
    void erase(const Each &each) {
        if (more_ != nullptr)
            std::erase(*more_, each);
        else if (count_ == 1 && one_ == each)
            count_ = 0;
    }
    void clear() {
        more_.reset();
        count_ = 0;
    }

private:
    std::unique_ptr<std::vector<Each>> more_;  ///< then all of them
    Each one_{};
    std::uint32_t count_ = 0;  ///< in one_
};

}  // namespace farlink::storage
