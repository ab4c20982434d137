// SPDX-License-Identifier: Apache-2.0
// Reads the octets of BPv6 one field after the other: SDNVs (RFC 6256), single octets, texts.
// Borrows the octets; belongs to the function that made it.
// Any thread. The first fault is noted; nothing can be read behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/bpinspect/core/item_fields.hpp"

namespace farlink::inspect {

class SdnvWalk {
public:
    SdnvWalk(const Window &window, std::string_view section, Deviations &deviations)
        : window_(window), section_(section), deviations_(deviations) {}

    /// Appends the field to `to`.
    std::optional<std::uint64_t> sdnv(std::string name, Field &to);
    std::optional<std::uint8_t> octet(std::string name, Field &to);
    /// As many octets as there are up to `size`; noted where they are fewer.
    Window octets(std::uint64_t size, std::string_view name);

    [[nodiscard]] std::uint64_t at() const { return window_.base + at_; }
    [[nodiscard]] std::uint64_t left() const { return window_.octets.size() - at_; }
    [[nodiscard]] bool failed() const { return failed_; }
    [[nodiscard]] std::uint8_t next_octet() const { return window_.octets[at_]; }
    /// Notes octets that are left, unless a fault came before.
    void finish(std::string_view what);

private:
    void fault(std::uint64_t size, std::string what);

    Window window_;
    std::string_view section_;
    Deviations &deviations_;
    std::uint64_t at_ = 0;
    bool failed_ = false;
};

}  // namespace farlink::inspect
