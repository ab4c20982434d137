// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bundle_id.hpp"

#include <charconv>

namespace farlink::bp {
namespace {

/// A decimal number that is the whole of `text`.
std::optional<std::uint64_t> number_of(std::string_view text) {
    std::uint64_t value = 0;
    const char *const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || at != end) return std::nullopt;
    return value;
}

/// Takes what follows the last "/" off `text`; an endpoint of scheme dtn has slashes itself.
std::optional<std::string_view> take_last(std::string_view &text) {
    const std::size_t slash = text.rfind('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const std::string_view last = text.substr(slash + 1);
    text = text.substr(0, slash);
    return last;
}

std::optional<FragmentExtent> extent_of(std::string_view text) {
    const std::size_t plus = text.find('+');
    if (plus == std::string_view::npos) return std::nullopt;
    const auto offset = number_of(text.substr(0, plus));
    const auto length = number_of(text.substr(plus + 1));
    if (!offset || !length) return std::nullopt;
    return FragmentExtent{*offset, *length};
}

}  // namespace

BundleId id_of(const BundleView &view) {
    BundleId id{Eid(view.source), view.creation_time, view.sequence, {}};
    if (view.is_fragment) id.fragment = FragmentExtent{view.fragment_offset, view.payload_length};
    return id;
}

std::string to_string(const BundleId &id) {
    std::string text = id.source.to_string() + '/' + std::to_string(id.creation_time) + '/' +
                       std::to_string(id.sequence);
    if (id.fragment)
        text +=
            '/' + std::to_string(id.fragment->offset) + '+' + std::to_string(id.fragment->length);
    return text;
}

std::optional<BundleId> parse_bundle_id(std::string_view text) {
    BundleId id;
    auto last = take_last(text);
    if (!last) return std::nullopt;
    if (last->find('+') != std::string_view::npos) {
        id.fragment = extent_of(*last);
        if (!id.fragment) return std::nullopt;
        last = take_last(text);
    }
    const auto sequence = last ? number_of(*last) : std::nullopt;
    const auto time_text = take_last(text);
    const auto creation_time = time_text ? number_of(*time_text) : std::nullopt;
    const auto source = Eid::parse(text);
    if (!sequence || !creation_time || !source) return std::nullopt;
    id.source = *source;
    id.creation_time = *creation_time;
    id.sequence = *sequence;
    return id;
}

}  // namespace farlink::bp
