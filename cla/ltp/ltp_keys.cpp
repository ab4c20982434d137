// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/ltp_keys.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>

#include "cla/ltp/hmac_authenticator.hpp"
#include "cla/tls/tls_error.hpp"
#include "common/base/hex.hpp"
#include "common/config/fields/ip_address.hpp"

namespace farlink::cla::ltp {
namespace {

/// The public key of the NULL ciphersuite (RFC 5327 section 2.1).
constexpr std::uint8_t kNullKey[] = {0xc3, 0x7b, 0x7e, 0x64, 0x92, 0x58, 0x43, 0x40, 0xbe, 0xd1,
                                     0x22, 0x07, 0x80, 0x89, 0x41, 0x15, 0x50, 0x68, 0xf7, 0x38};
/// A longer file is not a key file.
constexpr std::size_t kMaxFileBytes = 4096;

std::string failure(const std::string &what) {
    return "LTP authentication: " + what;
}

/// Octets in hexadecimal digits; white space is allowed anywhere.
std::optional<Bytes> octets_of(std::string_view text) {
    Bytes octets;
    std::optional<std::uint8_t> high;
    for (const char c : text) {
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
        const auto value = hex_digit(c);
        if (!value) return std::nullopt;
        if (high) octets.push_back(static_cast<std::uint8_t>(*high << 4 | *value));
        high = high ? std::nullopt : value;
    }
    if (high) return std::nullopt;
    return octets;
}

/// Reads the file into `text`; the reason when that fails, otherwise empty.
std::string read(const std::string &name, std::string &text, bool &open_to_others) {
    struct stat status{};
    if (::stat(name.c_str(), &status) != 0) return system_error_text(errno);
    if (!S_ISREG(status.st_mode)) return "not a regular file";
    if (status.st_size > static_cast<off_t>(kMaxFileBytes))
        return "file too large; expected at most " + std::to_string(kMaxFileBytes) + " bytes";
    open_to_others = (status.st_mode & S_IRWXO) != 0;
    errno = 0;
    std::ifstream file(name, std::ios::binary);
    if (!file) return system_error_text(errno);
    text.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    return file.bad() ? "cannot be read" : "";
}

}  // namespace

std::string LtpKeys::add(const config::LtpAuthenticationConfig &config,
                         std::unique_ptr<Authenticator> &to) {
    if (!config.wanted) return {};
    const auto key_id = octets_of(config.key_id);
    if (!key_id || key_id->size() >= Authenticator::kMaxHeaderBytes)
        return failure("key id \"" + config.key_id +
                       "\": expected hexadecimal digits, fewer than " +
                       std::to_string(Authenticator::kMaxHeaderBytes) + " octets");
    Bytes key(std::begin(kNullKey), std::end(kNullKey));
    std::string name = "NULL";
    if (config.suite != config::LtpCiphersuite::kNull) {
        name = config.key_file.empty() ? "no key file" : config.key_file;
        std::string text;
        bool open_to_others = false;
        if (const std::string why = read(config.key_file, text, open_to_others); !why.empty())
            return failure(name + ": " + why);
        const auto octets = octets_of(text);
        if (!octets) return failure(name + ": expected a key in hexadecimal digits");
        key = *octets;
        if (open_to_others)
            warnings_.push_back(failure(
                name + ": other users have access to the key file; run: chmod o-rwx " + name));
    }
    if (const std::size_t least = HmacAuthenticator::least_key_bytes(config.suite);
        key.size() < least)
        return failure(name + ": key has " + std::to_string(key.size()) +
                       " octets; expected at least " + std::to_string(least));
    auto made = HmacAuthenticator::make(config.suite, key, *key_id);
    if (!made) return failure(name + ": " + made.error());
    to = std::move(*made);
    return {};
}

Result<LtpKeys, std::string> LtpKeys::make(const config::InductConfig &config) {
    LtpKeys keys;
    std::string wrong = keys.add(config.ltp.authentication, keys.own_);
    for (const config::NeighbourAddress &listed : config.neighbours) {
        if (!wrong.empty()) break;
        if (!listed.ltp_authentication.wanted) continue;
        Neighbour neighbour{listed.node, listed.address, nullptr};
        wrong = keys.add(listed.ltp_authentication, neighbour.key);
        keys.neighbours_.push_back(std::move(neighbour));
    }
    if (!wrong.empty()) return fail(std::move(wrong));
    return keys;
}

Result<LtpKeys, std::string> LtpKeys::make(const config::OutductConfig &config) {
    LtpKeys keys;
    if (std::string wrong = keys.add(config.ltp.authentication, keys.own_); !wrong.empty())
        return fail(std::move(wrong));
    return keys;
}

// A key for an engine id applies to every source address.
Authenticator *LtpKeys::of(EngineId engine, std::string_view address) const {
    for (const Neighbour &neighbour : neighbours_)
        if (neighbour.node.value() != 0 && neighbour.node.value() == engine.value())
            return neighbour.key.get();
    for (const Neighbour &neighbour : neighbours_)
        if (neighbour.node.value() == 0 && config::address_matches(neighbour.address, address))
            return neighbour.key.get();
    return own_.get();
}

}  // namespace farlink::cla::ltp
