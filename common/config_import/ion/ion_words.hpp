// SPDX-License-Identifier: Apache-2.0
// The words of one of ION's commands, and their values.
// Made and dropped for each command; borrows its text. One thread.
// Words are separated by blanks; 'a word in quotes' may have blanks and may be empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace farlink::config {

class IonWords {
public:
    explicit IonWords(std::string_view text);

    [[nodiscard]] std::size_t size() const { return words_.size(); }
    /// Empty behind the end.
    [[nodiscard]] std::string_view operator[](std::size_t index) const;
    /// A quote is not closed.
    [[nodiscard]] bool broken() const { return broken_; }

private:
    std::vector<std::string_view> words_;
    bool broken_ = false;
};

/// A whole number without sign.
[[nodiscard]] std::optional<std::uint64_t> whole_number_of(std::string_view text);
/// A decimal number, also negative.
[[nodiscard]] std::optional<double> decimal_number_of(std::string_view text);
/// A node's number: "20", or "977000.20" with an allocator. 0 is no node.
[[nodiscard]] std::optional<std::uint64_t> node_number_of(std::string_view text);
/// The node of "ipn:20.0", "ipn:20.*" or "ipn:977000.20.0".
[[nodiscard]] std::optional<std::uint64_t> ipn_node_of(std::string_view endpoint);
/// The name of the node of "dtn://name" or "dtn://name/rest", fit for an endpoint id.
[[nodiscard]] std::optional<std::string> dtn_name_of(std::string_view endpoint);

struct HostPort {
    std::string host;
    std::uint16_t port = 0;
};
/// "host:port", or "host" with the usual port. Empty if it is no address.
[[nodiscard]] std::optional<HostPort> host_port_of(std::string_view text, std::uint16_t usual);

}  // namespace farlink::config
