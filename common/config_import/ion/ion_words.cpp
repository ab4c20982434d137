// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/ion/ion_words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "common/bp/eid/eid.hpp"
#include "common/config/fields/link_url.hpp"

namespace farlink::config {
namespace {

constexpr std::string_view kWordBlanks = " \t\r\v\f\n";
constexpr std::uint64_t kHighestPart = std::numeric_limits<std::uint32_t>::max();

template <class Number>
std::optional<Number> read(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

IonWords::IonWords(std::string_view text) {
    for (std::size_t at = text.find_first_not_of(kWordBlanks); at != std::string_view::npos;) {
        const bool quoted = text[at] == '\'';
        const std::size_t begin = at + (quoted ? 1 : 0);
        const std::size_t end = quoted ? text.find('\'', begin)
                                       : std::min(text.find_first_of(kWordBlanks, at), text.size());
        if (end == std::string_view::npos) {
            broken_ = true;
            words_.push_back(text.substr(begin));
            return;
        }
        words_.push_back(text.substr(begin, end - begin));
        at = text.find_first_not_of(kWordBlanks, end + (quoted ? 1 : 0));
    }
}

std::string_view IonWords::operator[](std::size_t index) const {
    return index < words_.size() ? words_[index] : std::string_view{};
}

std::optional<std::uint64_t> whole_number_of(std::string_view text) {
    return read<std::uint64_t>(text);
}

std::optional<double> decimal_number_of(std::string_view text) {
    const auto value = read<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::uint64_t> node_number_of(std::string_view text) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos) {
        const auto node = whole_number_of(text);
        return node && *node != 0 ? node : std::nullopt;
    }
    const auto allocator = whole_number_of(text.substr(0, dot));
    const auto node = whole_number_of(text.substr(dot + 1));
    if (!allocator || !node || *allocator > kHighestPart || *node > kHighestPart)
        return std::nullopt;
    const std::uint64_t number = (*allocator << 32U) | *node;
    return number != 0 ? std::optional(number) : std::nullopt;
}

std::optional<std::uint64_t> ipn_node_of(std::string_view endpoint) {
    if (!endpoint.starts_with("ipn:")) return std::nullopt;
    endpoint.remove_prefix(4);
    const std::size_t dot = endpoint.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const std::string_view service = endpoint.substr(dot + 1);
    if (service != "*" && service != "~" && !whole_number_of(service)) return std::nullopt;
    return node_number_of(endpoint.substr(0, dot));
}

std::optional<std::string> dtn_name_of(std::string_view endpoint) {
    constexpr std::string_view kScheme = "dtn://";
    if (!endpoint.starts_with(kScheme)) return std::nullopt;
    endpoint.remove_prefix(kScheme.size());
    const std::string name(endpoint.substr(0, endpoint.find('/')));
    const bool valid = !name.empty() && name.find_first_of("*~") == std::string::npos &&
                       bp::Eid::parse("dtn://" + name + '/').has_value();
    return valid ? std::optional(name) : std::nullopt;
}

std::optional<HostPort> host_port_of(std::string_view text, std::uint16_t usual) {
    std::string address(text);
    const bool has_port = text.rfind(':') != std::string_view::npos && !text.ends_with(']');
    if (!has_port) address += ':' + std::to_string(usual);
    const auto url = parse_link_url("stcp://" + address);
    if (!url || !url->options.empty() || url->port == 0) return std::nullopt;
    return HostPort{url->host, url->port};
}

}  // namespace farlink::config
