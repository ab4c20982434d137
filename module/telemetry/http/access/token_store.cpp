// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/access/token_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "common/base/counted.hpp"
#include "common/base/hex.hpp"
#include "common/runtime/file_descriptor.hpp"
#include "module/telemetry/http/access/token_digest.hpp"

namespace farlink::telemetry {
namespace {

constexpr seconds kLookEvery{1};
constexpr off_t kMostBytes = 1 << 20;
constexpr mode_t kOthers = 077;

std::string read_all(int descriptor) {
    std::string text;
    std::array<char, 4096> piece;
    for (;;) {
        const ssize_t got = ::read(descriptor, piece.data(), piece.size());
        if (got <= 0) return text;
        text.append(piece.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace

std::string TokenStore::open() {
    if (path_.empty()) return {};
    if (!digest_of("")) return path_ + ": this build has no OpenSSL and does not support tokens";
    return load();
}

void TokenStore::set_file(std::string path) {
    path_ = std::move(path);
    tokens_.clear();
    stamp_ = {};
    looked_ = {};
}

std::string TokenStore::load() {
    tokens_.clear();
    const FileDescriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat found{};
    if (!file && errno == ENOENT)
        return path_ + ": no such file; create it with `farlinkctl tokens make`";
    if (!file || ::fstat(file.get(), &found) != 0)
        return path_ + ": " + std::generic_category().message(errno);
    stamp_ = {found.st_ino, found.st_size, found.st_mtim};
    if ((found.st_mode & kOthers) != 0 || (found.st_uid != ::geteuid() && found.st_uid != 0))
        return path_ + ": expected a file of this user with mode 0600";
    if (!S_ISREG(found.st_mode) || found.st_size > kMostBytes)
        return path_ + ": expected a regular file of at most 1 MiB";
    auto tokens = parse_tokens(read_all(file.get()));
    if (!tokens) return path_ + ": " + tokens.error();
    tokens_ = std::move(*tokens);
    return {};
}

void TokenStore::look_again(TimePoint now) {
    if (looked_ != TimePoint{} && now - looked_ < kLookEvery) return;
    looked_ = now;
    struct stat found{};
    const bool there = ::stat(path_.c_str(), &found) == 0;
    const bool same = there && found.st_ino == stamp_.file && found.st_size == stamp_.size &&
                      found.st_mtim.tv_sec == stamp_.changed.tv_sec &&
                      found.st_mtim.tv_nsec == stamp_.changed.tv_nsec &&
                      (found.st_mode & kOthers) == 0;
    if (same) return;
    const std::string wrong = load();
    if (!wrong.empty()) stamp_ = {};  // a change of the mode alone leaves the rest as it is
    // Any request causes a look, so its rate is limited.
    if (wrong == std::exchange(published_, wrong) && !wrong.empty()) return;
    if (!wrong.empty())
        return log_.error("file of tokens not usable; all tokens are refused: {}", wrong);
    log_.info("file of tokens {} read: {}", path_, counted(tokens_.size(), "token"));
}

std::string TokenStore::secret() const {
    const auto digest = digest_of("endpoints of " + write_tokens(tokens_));
    return digest ? hex_text(*digest) : std::string();
}

std::optional<TokenEntry> TokenStore::find(std::string_view token, TimePoint now) {
    if (path_.empty()) return std::nullopt;
    look_again(now);
    const auto digest = digest_of(token);
    if (!digest) return std::nullopt;
    std::optional<TokenEntry> found;
    for (const TokenEntry &entry : tokens_)
        if (same_digest(entry.digest, *digest)) found = entry;
    return found;
}

}  // namespace farlink::telemetry
