// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/cert/tokens_make.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "apps/farlinkctl/shared/exit_code.hpp"
#include "common/base/hex.hpp"
#include "common/config/fields/text_file.hpp"
#include "common/runtime/entropy.hpp"
#include "common/runtime/file_descriptor.hpp"
#include "module/telemetry/http/access/token_digest.hpp"

namespace farlink::ctl {
namespace {

using telemetry::TokenEntry;

constexpr std::size_t kTokenOctets = 32;
constexpr std::size_t kNameDigits = 8;

std::string system_message(const std::string &path) {
    return path + ": " + std::generic_category().message(errno);
}

/// Writes a temporary file, flushes and renames it, so that a node never reads a partial file.
std::string replace_private(const std::string &path, const std::string &text) {
    const std::string beside = path + ".new";
    ::unlink(beside.c_str());
    const FileDescriptor file(
        ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const bool written =
        file &&
        ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fsync(file.get()) == 0;
    if (!written || ::rename(beside.c_str(), path.c_str()) != 0) return system_message(path);
    return {};
}

/// Adds the token to the file; returns an error, or an empty text.
std::string add_token(const TokensMakeOptions &options, const std::string &token) {
    std::vector<TokenEntry> tokens;
    std::error_code error;
    if (std::filesystem::exists(options.file, error)) {
        const auto text = config::read_text_file(options.file);
        if (!text) return text.error().to_string();
        auto known = telemetry::parse_tokens(*text);
        if (!known) return options.file + ": " + known.error();
        tokens = std::move(*known);
    }
    const auto digest = telemetry::digest_of(token);
    if (!digest) return "this build has no OpenSSL and does not support tokens";
    std::string name = options.name;
    if (name.empty()) name = options.role + '-' + hex_text(*digest).substr(0, kNameDigits);
    if (std::ranges::find(tokens, name, &TokenEntry::name) != tokens.end())
        return options.file + ": already has a token with the name " + name;
    const telemetry::EndpointRights::Texts endpoints{options.receive, options.send_as,
                                                     options.send_to};
    if (const auto rights = telemetry::EndpointRights::parse(endpoints); !rights)
        return rights.error() + ": expected an endpoint such as ipn:10.42, or a pattern";
    tokens.push_back({name, *telemetry::parse_role(options.role), *digest, endpoints, nullptr});
    return replace_private(options.file, telemetry::write_tokens(tokens));
}

}  // namespace

int make_token(const TokensMakeOptions &options) {
    std::array<std::uint8_t, kTokenOctets> octets{};
    fill_random(octets);
    const std::string token = hex_text(octets);
    const std::string wrong = add_token(options, token);
    if (wrong.empty()) {
        std::printf("%s\n", token.c_str());
        return kExitClean;
    }
    std::fprintf(stderr, "farlinkctl: %s\n", wrong.c_str());
    return kExitFailed;
}

}  // namespace farlink::ctl
