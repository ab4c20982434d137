// SPDX-License-Identifier: Apache-2.0
// Dissects the octets that farlink sends with tshark, an independent implementation.
// A call runs one tshark process to its end and leaves its capture file beside the test programs.
// Plain functions, one thread.
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.hpp"
#include "tests/support/build_folders.hpp"
#include "tests/support/pcap.hpp"

namespace farlink::test {

inline std::vector<std::string> split(std::string_view text, char mark) {
    std::vector<std::string> parts;
    while (true) {
        const std::size_t end = text.find(mark);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

/// Marks of tshark 4.0 that find no fault with a bundle.
inline bool is_remark(std::string_view mark) {
    // Application data that it has no dissector for, and blocks of private types.
    if (mark == "Unknown type code") return true;
    // Which block a security block covers (its own spelling), and who added it.
    if (mark.starts_with("Block is targed by B")) return true;
    if (mark == "BPSec Security Source different from bundle Source") return true;
    // Only says that farlink marks Transfer Length as critical (RFC 9174 section 5.2.5).
    if (mark == "Extension Item is critical") return true;
    return mark == "CTEB Is Valid";
}

/// The values of each requested field in one packet, in the order of the request.
using Dissection = std::vector<std::vector<std::string>>;

/// Fields that refer to a later packet exist in a second pass only; bundles in a session are shown
/// in the first pass only.
enum class Passes : char { kOne = '1', kTwo = '2' };

/// One dissection a packet that `filter` (tshark's display filter) lets through, in their order;
/// empty when tshark cannot be run or fails. `name` names the capture file.
inline std::optional<std::vector<Dissection>> dissect_capture(
    std::string_view name, const Bytes &capture, Passes passes, std::string_view filter,
    std::span<const std::string_view> fields) {
    const std::string path = std::string(FARLINK_BIN_DIR "/") + std::string(name) + ".pcap";
    std::ofstream(path, std::ios::binary) << as_text(capture);

    std::string command = passes == Passes::kTwo ? "tshark -2" : "tshark";
    command += " -r '" + path + "' -T fields -E separator='|' -E aggregator=';'";
    for (const std::string_view field : fields) command += " -e " + std::string(field);
    if (!filter.empty()) command += " -Y '" + std::string(filter) + "'";
    command += " 2>/dev/null";

    std::FILE *output = popen(command.c_str(), "r");
    if (output == nullptr) return std::nullopt;
    std::string text;
    char piece[4096];
    while (const std::size_t size = std::fread(piece, 1, sizeof piece, output))
        text.append(piece, size);
    if (pclose(output) != 0) return std::nullopt;

    std::vector<Dissection> packets;
    for (const std::string &line : split(text, '\n')) {
        if (line.empty()) continue;
        Dissection &packet = packets.emplace_back();
        for (const std::string &values : split(line, '|'))
            packet.push_back(values.empty() ? std::vector<std::string>{} : split(values, ';'));
    }
    return packets;
}

/// One dissection a datagram that is sent to `port`.
inline std::optional<std::vector<Dissection>> dissect(std::string_view name,
                                                      std::span<const Bytes> datagrams,
                                                      std::uint16_t port,
                                                      std::span<const std::string_view> fields) {
    return dissect_capture(name, pcap_of_datagrams(datagrams, port), Passes::kOne, {}, fields);
}

}  // namespace farlink::test
