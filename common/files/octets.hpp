// SPDX-License-Identifier: Apache-2.0
// Numbers and texts, big-endian, behind one another: the base of the ADUs and of the records on
// disk.
// Values; a reader borrows.
// Any thread.
#pragma once

#include <string_view>
#include <type_traits>

#include "common/base/bytes.hpp"

namespace farlink::files {

class OctetAppender {
public:
    explicit OctetAppender(Bytes &to) : to_(to) {}

    template <class Integer>
    void number(Integer value) {
        std::uint8_t octets[sizeof value];
        store_be(octets, static_cast<std::make_unsigned_t<Integer>>(value));
        append(to_, octets);
    }
    void octets(ByteView more) { append(to_, more); }
    /// Behind its length in two octets.
    void text(std::string_view text) {
        number(static_cast<std::uint16_t>(text.size()));
        octets(as_bytes(text));
    }

private:
    Bytes &to_;
};

/// After an end that comes too early everything is 0 or empty.
class OctetReader {
public:
    explicit OctetReader(ByteView from) : left_(from) {}

    template <class Integer>
    Integer number() {
        const ByteView read = octets(sizeof(Integer));
        return read.empty() ? Integer{} : load_be<Integer>(read.data());
    }
    ByteView octets(std::size_t size) {
        if (size > left_.size()) {
            failed_ = true;
            left_ = {};
        }
        if (failed_) return {};
        const ByteView read = left_.first(size);
        left_ = left_.subspan(size);
        return read;
    }
    std::string_view text() { return as_text(octets(number<std::uint16_t>())); }
    [[nodiscard]] ByteView rest() const { return left_; }
    [[nodiscard]] bool failed() const { return failed_; }

private:
    ByteView left_;
    bool failed_ = false;
};

}  // namespace farlink::files
