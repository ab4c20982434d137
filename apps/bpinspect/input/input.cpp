// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/input/input.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "apps/bpinspect/input/capture.hpp"
#include "apps/bpinspect/input/packets.hpp"
#include "apps/bpinspect/input/store_logs.hpp"
#include "apps/bpinspect/input/text_octets.hpp"

namespace farlink::inspect {
namespace {

Result<Bytes, std::string> read_stream(std::istream &in) {
    Bytes octets;
    std::array<char, 65536> piece{};
    while (in.read(piece.data(), piece.size()) || in.gcount() > 0)
        append(octets, as_bytes({piece.data(), static_cast<std::size_t>(in.gcount())}));
    if (in.bad()) return fail(std::string("cannot be read"));
    return octets;
}

Result<Bytes, std::string> read_octets(const std::string &name) {
    if (name == "-") return read_stream(std::cin);
    std::error_code error;
    if (std::filesystem::is_directory(name, error)) return fail(std::string("is a folder"));
    std::ifstream in(name, std::ios::binary);
    if (!in) return fail(std::string("cannot be opened"));
    return read_stream(in);
}

Result<void, std::string> hand_out_capture(const Bytes &octets, const InputOptions &options,
                                           const OnFound &on_found, Notes &notes) {
    std::set<std::uint16_t> ports = options.ports;
    ports.insert(kBundlePort);
    if (!is_capture(octets)) return fail(std::string("is neither pcap nor pcapng"));
    if (!read_capture(octets, ports, on_found, notes))
        notes.push_back("the capture is damaged or truncated");
    return {};
}

/// Octets without a form are text where they can be read as such, and are more than blanks.
Bytes decode_any(Bytes octets) {
    for (const auto decode : {octets_of_hex, octets_of_base64})
        if (auto decoded = decode(as_text(octets)); decoded && !decoded->empty())
            return std::move(*decoded);
    return octets;
}

Result<Bytes, std::string> decode(Bytes octets, Form form) {
    if (form == Form::kAuto) return decode_any(std::move(octets));
    if (form != Form::kHex && form != Form::kBase64) return octets;
    const bool hex = form == Form::kHex;
    auto decoded = hex ? octets_of_hex(as_text(octets)) : octets_of_base64(as_text(octets));
    if (!decoded) return fail(std::string(hex ? "is not hexadecimal text" : "is not base64 text"));
    return std::move(*decoded);
}

}  // namespace

Result<void, std::string> read_input(const std::string &name, const InputOptions &options,
                                     const OnFound &on_found, Notes &notes) {
    std::error_code error;
    const bool folder = name != "-" && std::filesystem::is_directory(name, error);
    if (options.form == Form::kStore ||
        (options.form == Form::kAuto && (folder || is_log_name(name))))
        return read_store_logs(name, on_found, notes);
    auto octets = read_octets(name);
    if (!octets) return fail(octets.error());
    if (options.form == Form::kCapture || (options.form == Form::kAuto && is_capture(*octets)))
        return hand_out_capture(*octets, options, on_found, notes);
    auto decoded = decode(std::move(*octets), options.form);
    if (!decoded) return fail(decoded.error());
    on_found({{}, std::move(*decoded)});
    return {};
}

}  // namespace farlink::inspect
