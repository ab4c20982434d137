// SPDX-License-Identifier: Apache-2.0
// Octets of a text for nlohmann's parser, as a type of one file.
// A value that points into the text; any thread.
// With a `Tag` of an anonymous namespace the parser is compiled for that file alone, as optimized
// as it; otherwise the linker picks the parser of any file, for one that is cold too.
#pragma once

#include <cstddef>
#include <iterator>

namespace farlink::config {

template <class Tag>
class TextCursor {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char *;
    using reference = const char &;

    explicit TextCursor(const char *at) : at_(at) {}

    reference operator*() const { return *at_; }
    TextCursor &operator++() {
        ++at_;
        return *this;
    }
    TextCursor operator++(int) { return TextCursor(at_++); }
    friend bool operator==(const TextCursor &, const TextCursor &) = default;

private:
    const char *at_;
};

}  // namespace farlink::config
