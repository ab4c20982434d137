// SPDX-License-Identifier: Apache-2.0
// Octets of an input as messages: as a whole, a line each, or cut by size.
// Owned by the reader of the input; one thread.
// Octets that do not make a message yet are kept.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/bytes.hpp"

namespace farlink::messages {

enum class Split : std::uint8_t { kWhole, kLines, kBytes };

class Splitter {
public:
    /// `bytes`: of a message, for kBytes; at least 1.
    Splitter(Split how, std::size_t bytes) : how_(how), bytes_(bytes) {}

    /// Adds the messages that are complete with these octets. A line is without its newline.
    void feed(ByteView octets, std::vector<Bytes> &messages);
    /// The input ends, and another may begin. A whole input is a message even when it is empty.
    void finish(std::vector<Bytes> &messages);

private:
    void keep(ByteView octets) { kept_.insert(kept_.end(), octets.begin(), octets.end()); }
    void complete(std::vector<Bytes> &messages);
    [[nodiscard]] std::size_t left_of_message(ByteView octets, bool &whole) const;

    Split how_;
    std::size_t bytes_;
    Bytes kept_;
};

}  // namespace farlink::messages
