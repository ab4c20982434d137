// SPDX-License-Identifier: Apache-2.0
// The label of an endpoint. That of an ipn endpoint needs no memory of its own.
// Owned by a destination.
// One thread; it stays where it is, and may be viewed as long as it lives.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "common/base/invariant.hpp"

namespace farlink::storage {

class ShortLabel {
public:
    ShortLabel() = default;
    explicit ShortLabel(std::string_view text) : size_(static_cast<std::uint16_t>(text.size())) {
        FARLINK_INVARIANT(text.size() <= 0xffff);
        if (text.size() > inside_.size()) outside_ = std::make_unique<char[]>(text.size());
        std::ranges::copy(text, outside_ != nullptr ? outside_.get() : inside_.data());
    }
    [[nodiscard]] std::string_view text() const {
        return {outside_ != nullptr ? outside_.get() : inside_.data(), size_};
    }

private:
    std::unique_ptr<char[]> outside_;  ///< null: it fits inside_
    std::array<char, 22> inside_{};
    std::uint16_t size_ = 0;
};

}  // namespace farlink::storage
