// SPDX-License-Identifier: Apache-2.0
#if FARLINK_TLS
#include "apps/farlinkctl/security/key_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "apps/farlinkctl/shared/exit_code.hpp"
#include "apps/farlinkctl/shared/failed.hpp"
#include "common/config/fields/instant.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"
#include "common/runtime/file_descriptor.hpp"
#include "common/security/key_reader.hpp"
#include "common/security/key_text.hpp"

namespace farlink::ctl {
namespace {

constexpr DtnTime kDayMs = 86'400'000;

/// A text with secrets, overwritten at its end.
struct SecretText {
    SecretText() = default;
    explicit SecretText(std::string from) : text(std::move(from)) {}
    SecretText(const SecretText &) = delete;
    SecretText &operator=(const SecretText &) = delete;
    ~SecretText() { bp::bpsec::wipe({reinterpret_cast<std::uint8_t *>(text.data()), text.size()}); }
    std::string text;
};

std::string key_file_fault(const std::string &path) {
    return path + ": " + std::generic_category().message(errno);
}

std::string read_text(const std::string &path, SecretText &to) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat found{};
    if (!file || ::fstat(file.get(), &found) != 0) return key_file_fault(path);
    to.text.resize(static_cast<std::size_t>(found.st_size));
    const ssize_t size = ::read(file.get(), to.text.data(), to.text.size());
    return size == found.st_size ? std::string() : key_file_fault(path);
}

/// The file has the old text or the new one, also after a power cut.
std::string replace_text(const std::string &path, const SecretText &with) {
    const std::string next = path + ".new";
    const FileDescriptor file(
        ::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const bool written = file &&
                         ::write(file.get(), with.text.data(), with.text.size()) ==
                             static_cast<ssize_t>(with.text.size()) &&
                         ::fsync(file.get()) == 0 && ::rename(next.c_str(), path.c_str()) == 0;
    if (written) return {};
    std::string wrong = key_file_fault(next);
    if (file) ::unlink(next.c_str());
    return wrong;
}

/// What is in the file already; none where it is missing.
Result<std::vector<security::Key>, std::string> keys_in(const std::string &path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return std::vector<security::Key>();
    return security::read_keys(path);
}

security::Key new_key(const SecurityOptions &options) {
    security::Key key;
    key.id = options.id;
    key.algorithm = *security::algorithm_named(options.algorithm);
    fill_random(key.secret.resize(security::usual_key_bytes(key.algorithm)));
    if (options.days)
        key.ends = read_wall_clock().dtn_ms + static_cast<DtnTime>(*options.days) * kDayMs;
    if (!options.use.empty())
        key.uses = options.use == "sign" ? security::kMaySign : security::kMayVerify;
    return key;
}

std::string when(DtnTime time, bool set) {
    return set ? config::format_utc(time) : "-";
}

}  // namespace

int make_key(const SecurityOptions &options) {
    const auto known = keys_in(options.file);
    if (!known) return failed(known.error());
    if (std::ranges::find(*known, options.id, &security::Key::id) != known->end())
        return failed(options.file + ": already contains the key " + options.id);
    const security::Key key = new_key(options);
    const SecretText section(security::key_section(key));
    std::vector<security::Key> read;
    if (const std::string wrong = security::parse_keys(section.text, read); !wrong.empty())
        return failed(wrong);
    SecretText whole;
    if (!known->empty())
        if (const std::string wrong = read_text(options.file, whole); !wrong.empty())
            return failed(wrong);
    SecretText next;
    next.text.reserve(whole.text.size() + section.text.size() + 2);
    next.text += whole.text;
    if (!next.text.empty()) next.text += next.text.ends_with('\n') ? "\n" : "\n\n";
    next.text += section.text;
    if (const std::string wrong = replace_text(options.file, next); !wrong.empty())
        return failed(wrong);
    std::printf("%s: key %s added\n", options.file.c_str(), options.id.c_str());
    return kExitClean;
}

int list_keys(const SecurityOptions &options) {
    const auto keys = security::read_keys(options.file);
    if (!keys) return failed(keys.error());
    const DtnTime now = read_wall_clock().dtn_ms;
    std::printf("%-24s %-12s %-11s %-24s %-24s %s\n", "id", "algorithm", "use", "not before",
                "not after", "state");
    for (const security::Key &key : *keys) {
        const char *const state = now >= key.ends    ? "ended"
                                  : now < key.begins ? "not yet valid"
                                                     : "valid";
        std::printf("%-24s %-12s %-11s %-24s %-24s %s\n", key.id.c_str(),
                    std::string(security::to_string(key.algorithm)).c_str(),
                    std::string(security::uses_in_words(key.uses)).c_str(),
                    when(key.begins, key.begins != 0).c_str(),
                    when(key.ends, key.ends != kDtnNever).c_str(), state);
    }
    return kExitClean;
}

int retire_key(const SecurityOptions &options) {
    // Whoever may not read the keys may not end one.
    const auto known = security::read_keys(options.file);
    if (!known) return failed(known.error());
    SecretText whole;
    if (const std::string wrong = read_text(options.file, whole); !wrong.empty())
        return failed(wrong);
    const DtnTime ends =
        read_wall_clock().dtn_ms + static_cast<DtnTime>(options.days.value_or(0)) * kDayMs;
    auto changed = security::with_end(whole.text, options.id, ends);
    if (!changed) return failed(options.file + ": found no key " + options.id);
    const SecretText next(std::move(*changed));
    std::vector<security::Key> read;
    if (const std::string wrong = security::parse_keys(next.text, read); !wrong.empty())
        return failed(options.file + ": " + wrong);
    if (const std::string wrong = replace_text(options.file, next); !wrong.empty())
        return failed(wrong);
    std::printf("%s: key %s expires at %s\n", options.file.c_str(), options.id.c_str(),
                config::format_utc(ends).c_str());
    return kExitClean;
}

}  // namespace farlink::ctl

#endif  // FARLINK_TLS
