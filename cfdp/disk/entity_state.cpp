// SPDX-License-Identifier: Apache-2.0
#include "cfdp/disk/entity_state.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <optional>

#include "common/files/names.hpp"
#include "common/files/octet_files.hpp"
#include "common/files/octets.hpp"
#include "common/files/record_log.hpp"

namespace farlink::cfdp {
namespace {

constexpr int kMakeFlags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
constexpr mode_t kPrivateFile = 0600;
constexpr mode_t kPrivateFolder = 0700;
constexpr std::size_t kLargestState = 64 * 1024 * 1024;
constexpr std::uint64_t kReservedAtOnce = 10'000;
constexpr std::size_t kEndedBytes = 16;
constexpr std::uint8_t kPutVersion = 2;
/// Without options and content.
constexpr std::uint8_t kFirstPutVersion = 1;
constexpr const char *kSequenceName = "sequence";
/// Of a release before the journal: a file for each request and state, and the ended ones.
constexpr std::string_view kEndedName = "ended";
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
    return octets;
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

std::optional<PutRequest> decode_put(ByteView octets) {
    files::OctetReader in(octets);
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
    auto journal = StateJournal::open(folder.get());
    const std::string file = root.path() + '/' + name + "/journal";
    if (!journal && journal.error() == ENOTSUP)
        return fail(file + " is damaged, or was written by a later version");
    if (!journal) return fail("cannot read " + file + ": " + files::reason_of(journal.error()));
    EntityState state(std::move(folder), std::move(*journal));
    state.find_copies();
    if (const int error = state.import_files(); error != 0)
        return fail("cannot write " + file + ": " + files::reason_of(error));
    return state;
}

// They are gone before anything of them ends: otherwise it would begin again.
int EntityState::import_files() {
    if (const int error = journal_.begin(); error != 0) return error;
    std::vector<std::string> imported;
    for (const std::string &name : files::names_in(folder_.get())) {
        const bool old = name == kEndedName || name.ends_with(kPutSuffix) ||
                         (name.ends_with(kStateSuffix) && !name.starts_with("new-"));
        if (!old) continue;
        if (const int error = import_file(name); error != 0) return error;
        imported.push_back(name);
    }
    if (imported.empty()) return 0;
    if (const int error = journal_.end_all(); error != 0) return error;
    if (const int error = sync(); error != 0) return error;
    for (const std::string &name : imported) ::unlinkat(folder_.get(), name.c_str(), 0);
    return ::fsync(folder_.get()) == 0 ? 0 : errno;
}

int EntityState::import_file(const std::string &name) {
    const Bytes content = read(name);
    files::OctetReader in(content);
    if (name == kEndedName) {
        while (in.rest().size() >= kEndedBytes) {
            const TransactionId id{in.number<std::uint64_t>(), in.number<std::uint64_t>()};
            journal_.add_delivered(id.source, {id.sequence, id.sequence + 1});
        }
        return 0;
    }
    const bool is_put = name.ends_with(kPutSuffix);
    const std::string_view suffix = is_put ? kPutSuffix : kStateSuffix;
    const auto id = id_of_key(std::string_view(name).substr(0, name.size() - suffix.size()));
    if (!id) return 0;
    if (is_put) {
        const auto put = files::RecordReader(content).next();
        return put ? journal_.save(StateJournal::Kind::kPut, *id, *put) : 0;
    }
    const auto size = in.number<std::uint64_t>();
    if (in.failed() || in.rest().size() != size) return 0;
    return journal_.save(StateJournal::Kind::kState, *id, in.rest());
}

EntityState::EntityState(FileDescriptor folder, StateJournal journal)
    : folder_(std::move(folder)), journal_(std::move(journal)), fresh_(folder_.get()) {}

// Of a release before there were folders for them they are in the folder itself.
void EntityState::find_copies() {
    std::vector<std::string> names = fresh_.names();
    std::ranges::move(files::names_in(folder_.get()), std::back_inserter(names));
    for (std::string &name : names) {
        const std::string_view last = files::last_part_of(name);
        if (!last.ends_with(kPartSuffix)) continue;
        if (const auto id = id_of_key(last.substr(0, last.size() - kPartSuffix.size())))
            copies_[*id] = std::move(name);
    }
}

Result<std::string, int> EntityState::name_copy(const TransactionId &id) {
    auto folder = fresh_.next();
    if (!folder) return folder;
    return copies_[id] = *folder + key_of(id) + std::string(kPartSuffix);
}

std::string EntityState::copy_name(const TransactionId &id) const {
    const auto found = copies_.find(id);
    return found == copies_.end() ? std::string() : found->second;
}

int EntityState::flush_copy_name(const std::string &name) const {
    const std::string folder(files::folder_of(name));
    const FileDescriptor opened(::openat(folder_.get(), folder.empty() ? "." : folder.c_str(),
                                         O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    const bool done = opened && ::fsync(opened.get()) == 0 && ::fsync(folder_.get()) == 0;
    return done ? 0 : errno;
}

// Written beside and renamed, so that a cut leaves the old one or the new one.
int EntityState::write(const std::string &name, ByteView octets) {
    const std::string beside = "new-" + name;
    {
        const FileDescriptor file(
            ::openat(folder_.get(), beside.c_str(), kMakeFlags, kPrivateFile));
        if (!file) return errno;
        if (const int error = files::write_all(file.get(), octets, 0); error != 0) return error;
        if (::fdatasync(file.get()) != 0) return errno;
    }
    if (::renameat(folder_.get(), beside.c_str(), folder_.get(), name.c_str()) != 0) return errno;
    return ::fsync(folder_.get()) == 0 ? 0 : errno;
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
    unsynced_ = true;
    return journal_.save(StateJournal::Kind::kPut, id, encode_put(request));
}

int EntityState::save_receiver(const TransactionId &id, ByteView state) {
    unsynced_ = true;
    return journal_.save(StateJournal::Kind::kState, id, state);
}

int EntityState::forget(const std::vector<EndedTransaction> &ended) {
    const auto &states = journal_.places(StateJournal::Kind::kState);
    const auto &puts = journal_.places(StateJournal::Kind::kPut);
    for (const EndedTransaction &each : ended) {
        const bool has_state = states.contains(each.id);
        // Class 1 has nothing on disk.
        if (!has_state && !puts.contains(each.id)) continue;
        journal_.add_end(each.id, each.delivered && has_state);
        unsynced_ = true;
    }
    if (const int error = journal_.end_all(); error != 0) return error;
    return journal_.rewrite_if_long();
}

void EntityState::discard_copy(const TransactionId &id) {
    const auto found = copies_.find(id);
    if (found == copies_.end()) return;
    const std::string name = std::move(found->second);
    copies_.erase(found);
    const bool has_state = journal_.places(StateJournal::Kind::kState).contains(id);
    if (!has_state) return remove_copy(name);
    journal_.add_end(id, false);
    unsynced_ = true;
    // If its end cannot be written it stays.
    if (journal_.end_all() == 0) discarded_.push_back(name);
}

void EntityState::remove_copy(const std::string &name) const {
    ::unlinkat(folder_.get(), name.c_str(), 0);
}

EntityState::Unsynced EntityState::begin_sync() {
    unsynced_ = false;
    return {journal_.file(), std::exchange(discarded_, {})};
}

void EntityState::end_sync(const std::vector<std::string> &discarded, int error) {
    for (const std::string &name : discarded) {
        if (error == 0)
            remove_copy(name);
        else
            discarded_.push_back(name);
    }
}

int EntityState::sync() {
    unsynced_ = false;
    const auto discarded = std::exchange(discarded_, {});
    const int error = journal_.flush();
    end_sync(discarded, error);
    return error;
}

std::vector<EntityState::SavedPut> EntityState::saved_puts() const {
    std::vector<SavedPut> found;
    for (const auto &[id, place] : journal_.places(StateJournal::Kind::kPut))
        if (auto request = decode_put(journal_.read(place)))
            found.push_back({id, std::move(*request)});
    return found;
}

std::vector<EntityState::SavedReceiver> EntityState::saved_receivers() const {
    std::vector<SavedReceiver> found;
    for (const auto &[id, place] : journal_.places(StateJournal::Kind::kState))
        found.push_back({id, journal_.read(place), copies_.contains(id)});
    return found;
}

void EntityState::remove_stray_copies() {
    for (const std::string &name : files::names_in(folder_.get()))
        if (name.starts_with("new-")) remove_copy(name);
    const auto &states = journal_.places(StateJournal::Kind::kState);
    std::erase_if(copies_, [&](const auto &copy) {
        if (states.contains(copy.first)) return false;
        remove_copy(copy.second);
        return true;
    });
}

}  // namespace farlink::cfdp
