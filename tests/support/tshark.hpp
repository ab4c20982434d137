// SPDX-License-Identifier: Apache-2.0
// Asks tshark, an implementation that is not ours, what it reads in the octets that we send.
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

/// What tshark read in one packet: the values of each field that was asked for, in that order.
using Dissection = std::vector<std::vector<std::string>>;

/// One dissection a datagram, in their order; empty when tshark cannot be run or fails. `name`
/// names the capture file.
inline std::optional<std::vector<Dissection>> dissect(std::string_view name,
                                                      std::span<const Bytes> datagrams,
                                                      std::uint16_t port,
                                                      std::span<const std::string_view> fields) {
    const std::string path = std::string(FARLINK_BIN_DIR "/") + std::string(name) + ".pcap";
    const Bytes capture = pcap_of_datagrams(datagrams, port);
    std::ofstream(path, std::ios::binary) << as_text(capture);

    std::string command = "tshark -r '" + path + "' -T fields -E separator='|' -E aggregator=';'";
    for (const std::string_view field : fields) command += " -e " + std::string(field);
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

}  // namespace farlink::test
