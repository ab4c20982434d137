// SPDX-License-Identifier: Apache-2.0
#include "cfdp/disk/entity_state.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

#include "common/files/octet_files.hpp"
#include "common/files/octets.hpp"
#include "common/files/record_log.hpp"

namespace farlink::cfdp {
namespace {

constexpr int kMakeFlags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
constexpr mode_t kPrivateFile = 0600;
constexpr mode_t kPrivateFolder = 0700;
constexpr std::size_t kLargestState = 64 * 1024 * 1024;
constexpr std::uint64_t kReservedAtOnce = 1'000;
/// A longer list of ended transactions is written anew, with the latest ones.
constexpr std::size_t kMostEndedOnDisk = 20'000;
constexpr std::size_t kEndedBytes = 16;
constexpr std::uint8_t kPutVersion = 2;
/// Without options and content.
constexpr std::uint8_t kFirstPutVersion = 1;
constexpr const char *kSequenceName = "sequence";
constexpr const char *kEndedName = "ended";
constexpr std::string_view kPutSuffix = ".put";
constexpr std::string_view kStateSuffix = ".state";
constexpr std::string_view kPartSuffix = ".part";

std::string key_of(const TransactionId &id) {
    return std::to_string(id.source) + '-' + std::to_string(id.sequence);
}

std::optional<TransactionId> id_of_key(std::string_view key) {
    TransactionId id;
    const auto *const end = key.data() + key.size();
    const auto source = std::from_chars(key.data(), end, id.source);
    if (source.ec != std::errc() || source.ptr == end || *source.ptr != '-') return std::nullopt;
    const auto sequence = std::from_chars(source.ptr + 1, end, id.sequence);
    if (sequence.ec != std::errc() || sequence.ptr != end) return std::nullopt;
    return id;
}

Bytes encode_put(const PutRequest &request) {
    Bytes octets;
    files::OctetAppender out(octets);
    out.number(kPutVersion);
    out.number(request.destination);
    out.number(static_cast<std::uint8_t>(request.acknowledged));
    out.number(static_cast<std::uint8_t>(request.closure));
    out.number(static_cast<std::uint8_t>(request.checksum));
    out.text(request.source_name);
    out.text(request.destination_name);
    out.number(static_cast<std::uint32_t>(request.options.size()));
    for (const Tlv &each : request.options) {
        out.number(each.type);
        out.number(static_cast<std::uint32_t>(each.value.size()));
        out.octets(each.value);
    }
    out.number(static_cast<std::uint8_t>(request.content.has_value()));
    if (request.content) {
        out.number(static_cast<std::uint32_t>(request.content->size()));
        out.octets(*request.content);
    }
    Bytes record;
    files::append_record(record, octets);
    return record;
}

Bytes take_octets(files::OctetReader &in) {
    const ByteView octets = in.octets(in.number<std::uint32_t>());
    return {octets.begin(), octets.end()};
}

void take_options(files::OctetReader &in, PutRequest &request) {
    for (auto left = in.number<std::uint32_t>(); left > 0 && !in.failed(); --left) {
        const auto type = in.number<std::uint8_t>();
        request.options.push_back({type, take_octets(in)});
    }
    if (in.number<std::uint8_t>() != 0) request.content = take_octets(in);
}

std::optional<PutRequest> decode_put(ByteView record) {
    const auto octets = files::RecordReader(record).next();
    if (!octets) return std::nullopt;
    files::OctetReader in(*octets);
    const auto version = in.number<std::uint8_t>();
    if (version != kPutVersion && version != kFirstPutVersion) return std::nullopt;
    PutRequest request{.destination = in.number<std::uint64_t>()};
    request.acknowledged = in.number<std::uint8_t>() != 0;
    request.closure = in.number<std::uint8_t>() != 0;
    const auto checksum = algorithm_of(in.number<std::uint8_t>());
    request.source_name = in.text();
    request.destination_name = in.text();
    if (version == kPutVersion) take_options(in, request);
    if (in.failed() || !checksum) return std::nullopt;
    request.checksum = *checksum;
    return request;
}

Bytes encode_ended(const TransactionId &id) {
    Bytes octets;
    files::OctetAppender out(octets);
    out.number(id.source);
    out.number(id.sequence);
    return octets;
}

}  // namespace

Result<EntityState, std::string> EntityState::open(const files::TargetFolder &root) {
    const std::string name(kEntityStateFolder);
    const auto failed = [&](const char *what) {
        return fail(std::string(what) + root.path() + '/' + name + ": " + files::reason_of(errno));
    };
    const bool made = ::mkdirat(root.descriptor(), name.c_str(), kPrivateFolder) == 0;
    if (!made && errno != EEXIST) return failed("cannot create ");
    FileDescriptor folder(
        ::openat(root.descriptor(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) return failed("cannot open ");
    if (made && ::fsync(root.descriptor()) != 0) return failed("cannot flush ");
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0)
        return fail("another farlink-cfdpd is using " + root.path());
    return EntityState(std::move(folder));
}

std::string EntityState::part_name(const TransactionId &id) {
    return key_of(id) + std::string(kPartSuffix);
}

// Written beside and renamed, so that a cut leaves the old one or the new one.
int EntityState::write(const std::string &name, ByteView octets, bool flush) {
    const std::string beside = "new-" + name;
    {
        const FileDescriptor file(
            ::openat(folder_.get(), beside.c_str(), kMakeFlags, kPrivateFile));
        if (!file) return errno;
        if (const int error = files::write_all(file.get(), octets, 0); error != 0) return error;
        if (flush && ::fdatasync(file.get()) != 0) return errno;
    }
    if (::renameat(folder_.get(), beside.c_str(), folder_.get(), name.c_str()) != 0) return errno;
    return !flush || ::fsync(folder_.get()) == 0 ? 0 : errno;
}

Bytes EntityState::read(const std::string &name) const {
    const FileDescriptor file(
        ::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    return file ? files::read_all(file.get(), kLargestState) : Bytes();
}

std::optional<std::uint64_t> EntityState::next_sequence() {
    if (next_ == reserved_) {
        const Bytes before = read(kSequenceName);
        files::OctetReader in(before);
        next_ = std::max<std::uint64_t>(in.number<std::uint64_t>(), 1);
        Bytes after;
        files::OctetAppender(after).number(next_ + kReservedAtOnce);
        if (write(kSequenceName, after) != 0) {
            next_ = reserved_;
            return std::nullopt;
        }
        reserved_ = next_ + kReservedAtOnce;
    }
    return next_++;
}

int EntityState::save_put(const TransactionId &id, const PutRequest &request) {
    return write(key_of(id) + std::string(kPutSuffix), encode_put(request));
}

int EntityState::save_receiver(const TransactionId &id, ByteView state, bool flush) {
    Bytes record;
    files::OctetAppender out(record);
    out.number(static_cast<std::uint64_t>(state.size()));
    out.octets(state);
    return write(key_of(id) + std::string(kStateSuffix), record, flush);
}

int EntityState::append_ended(ByteView ids) {
    const FileDescriptor file(::openat(folder_.get(), kEndedName,
                                       O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kPrivateFile));
    struct stat status{};
    if (!file || ::fstat(file.get(), &status) != 0) return errno;
    const auto size = static_cast<std::uint64_t>(status.st_size) / kEndedBytes * kEndedBytes;
    if (size < kMostEndedOnDisk * kEndedBytes) {
        const int error = files::write_all(file.get(), ids, size);
        if (error != 0) return error;
        return ::fdatasync(file.get()) == 0 ? 0 : errno;
    }
    Bytes kept = files::read_all(file.get(), kLargestState);
    kept.erase(kept.begin(),
               kept.begin() + static_cast<std::ptrdiff_t>(size / 2 / kEndedBytes * kEndedBytes));
    append(kept, ids);
    return write(kEndedName, kept);
}

// The record comes first: a cut in between leaves both.
int EntityState::forget(const std::vector<EndedTransaction> &ended) {
    Bytes ids;
    for (const EndedTransaction &each : ended) {
        const std::string state = key_of(each.id) + std::string(kStateSuffix);
        if (each.delivered && ::faccessat(folder_.get(), state.c_str(), F_OK, 0) == 0)
            append(ids, encode_ended(each.id));
    }
    if (!ids.empty())
        if (const int error = append_ended(ids); error != 0) return error;
    for (const EndedTransaction &each : ended)
        for (const std::string_view suffix : {kPutSuffix, kStateSuffix, kPartSuffix})
            ::unlinkat(folder_.get(), (key_of(each.id) + std::string(suffix)).c_str(), 0);
    return 0;
}

std::vector<EntityState::SavedPut> EntityState::saved_puts() const {
    std::vector<SavedPut> found;
    for (const std::string &name : files::names_in(folder_.get())) {
        if (!name.ends_with(kPutSuffix)) continue;
        const auto id =
            id_of_key(std::string_view(name).substr(0, name.size() - kPutSuffix.size()));
        auto request = decode_put(read(name));
        if (id && request) found.push_back({*id, std::move(*request)});
    }
    std::ranges::sort(found, {}, &SavedPut::id);
    return found;
}

std::vector<EntityState::SavedReceiver> EntityState::saved_receivers() const {
    std::vector<SavedReceiver> found;
    for (const std::string &name : files::names_in(folder_.get())) {
        if (!name.ends_with(kStateSuffix) || name.starts_with("new-")) continue;
        const auto id =
            id_of_key(std::string_view(name).substr(0, name.size() - kStateSuffix.size()));
        const Bytes record = read(name);
        files::OctetReader in(record);
        const auto size = in.number<std::uint64_t>();
        const ByteView state = in.rest();
        if (!id || state.size() != size) continue;
        const bool has_copy = ::faccessat(folder_.get(), part_name(*id).c_str(), F_OK, 0) == 0;
        found.push_back({*id, {state.begin(), state.end()}, has_copy});
    }
    return found;
}

std::vector<TransactionId> EntityState::ended() const {
    std::vector<TransactionId> ended;
    const Bytes content = read(kEndedName);
    files::OctetReader in(content);
    while (in.rest().size() >= kEndedBytes)
        ended.push_back({in.number<std::uint64_t>(), in.number<std::uint64_t>()});
    return ended;
}

void EntityState::remove_stray_copies() {
    for (const std::string &name : files::names_in(folder_.get())) {
        if (name.starts_with("new-")) ::unlinkat(folder_.get(), name.c_str(), 0);
        if (!name.ends_with(kPartSuffix)) continue;
        const std::string state =
            name.substr(0, name.size() - kPartSuffix.size()) + std::string(kStateSuffix);
        if (::faccessat(folder_.get(), state.c_str(), F_OK, 0) != 0)
            ::unlinkat(folder_.get(), name.c_str(), 0);
    }
}

}  // namespace farlink::cfdp
