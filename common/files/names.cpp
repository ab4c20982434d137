// SPDX-License-Identifier: Apache-2.0
#include "common/files/names.hpp"

#include <algorithm>

#include "common/base/hex.hpp"

namespace farlink::files {
namespace {

std::string wrong_part(std::string_view part) {
    if (part.empty()) return "has an empty part";
    if (part == "." || part == "..") return "has the part " + std::string(part);
    if (part.size() > kLongestPart) return "has a part of more than 255 bytes";
    return {};
}

}  // namespace

std::string wrong_name(std::string_view name) {
    if (name.empty()) return "is empty";
    if (name.size() > kLongestPath) return "is too long";
    if (name.front() == '/') return "is absolute";
    if (name.contains('\0')) return "contains a zero byte";
    if (std::ranges::count(name, '/') >= static_cast<std::ptrdiff_t>(kMostParts))
        return "has too many parts";
    if (name.substr(0, name.find('/')) == kStateFolder) return "is reserved for the receiver";
    for (;;) {
        const std::size_t end = name.find('/');
        if (std::string wrong = wrong_part(name.substr(0, end)); !wrong.empty()) return wrong;
        if (end == std::string_view::npos) return {};
        name.remove_prefix(end + 1);
    }
}

std::string_view folder_of(std::string_view name) {
    const std::size_t end = name.rfind('/');
    return end == std::string_view::npos ? std::string_view() : name.substr(0, end);
}

std::string_view last_part_of(std::string_view name) {
    return name.substr(name.rfind('/') + 1);
}

std::string numbered(std::string_view name, unsigned number) {
    const std::string text = " (" + std::to_string(number) + ')';
    const std::size_t begin = name.size() - last_part_of(name).size();
    std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot <= begin) dot = name.size();
    std::string stem(name.substr(0, dot));
    std::string extension(name.substr(dot));
    const std::size_t part = stem.size() - begin + text.size() + extension.size();
    if (part > kLongestPart) {  // a long extension is none
        const std::size_t excess = part - kLongestPart;
        if (stem.size() - begin > excess) {
            stem.resize(stem.size() - excess);
        } else {
            stem = std::string(name.substr(0, begin + kLongestPart - text.size()));
            extension.clear();
        }
    }
    return stem + text + extension;
}

std::string printable(std::string_view name) {
    std::string text;
    for (const char each : name) {
        const auto octet = static_cast<std::uint8_t>(each);
        if (octet < ' ' || octet == 0x7f || octet == '\\')
            text += "\\x" + hex_text({&octet, 1});
        else
            text += each;
    }
    return text;
}

}  // namespace farlink::files
