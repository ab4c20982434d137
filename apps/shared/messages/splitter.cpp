// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/messages/splitter.hpp"

#include <algorithm>
#include <utility>

namespace farlink::messages {

void Splitter::feed(ByteView octets, std::vector<Bytes> &messages) {
    while (!octets.empty()) {
        bool whole = false;
        const std::size_t size = left_of_message(octets, whole);
        keep(octets.first(size));
        octets = octets.subspan(size);
        if (!whole) continue;
        complete(messages);
        if (how_ == Split::kLines) octets = octets.subspan(1);  // the newline
    }
}

void Splitter::finish(std::vector<Bytes> &messages) {
    if (how_ == Split::kWhole || !kept_.empty()) complete(messages);
}

void Splitter::complete(std::vector<Bytes> &messages) {
    messages.push_back(std::exchange(kept_, {}));
}

std::size_t Splitter::left_of_message(ByteView octets, bool &whole) const {
    if (how_ == Split::kBytes) {
        const std::size_t left = bytes_ - kept_.size();
        whole = octets.size() >= left;
        return std::min(left, octets.size());
    }
    if (how_ == Split::kWhole) return octets.size();
    const auto newline = std::ranges::find(octets, std::uint8_t{'\n'});
    whole = newline != octets.end();
    return static_cast<std::size_t>(newline - octets.begin());
}

}  // namespace farlink::messages
