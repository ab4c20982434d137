// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceivefile/file_writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

#include "apps/bpreceivefile/file_group.hpp"
#include "apps/bpreceivefile/state_folder.hpp"
#include "apps/shared/messages/octet_writer.hpp"
#include "common/files/names.hpp"
#include "common/files/octet_files.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::bpreceivefile {
namespace {

constexpr int kMakeWhole = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
constexpr mode_t kWholeMode = 0600;
constexpr std::string_view kNewPrefix = "new-";
constexpr std::string_view kPartSuffix = ".part";
constexpr std::string_view kStateSuffix = ".state";
constexpr std::uint64_t kSecond = 1'000'000'000;
/// From so many files on one flush of the file system is faster than one of each.
constexpr std::size_t kMany = 8;
/// Digests that are behind, as after a restart, do not hold up what is to be accepted.
constexpr std::uint64_t kDigestBytes = 256 * 1024 * 1024;

/// 2024-01-01: an earlier time means that the clock was not set.
constexpr std::int64_t kLeastSaneS = 1'704'067'200;

std::int64_t now_s() {
    return static_cast<std::int64_t>(unix_nanoseconds() / kSecond);
}

bool is_full(int error) {
    return error == ENOSPC || error == EDQUOT;
}

}  // namespace

Result<FileWriter, std::string> FileWriter::open(const std::string &folder,
                                                 const WriterOptions &options) {
    auto target = files::TargetFolder::open(folder);
    if (!target) return fail(target.error());
    auto state = open_state_folder(*target);
    if (!state) return fail(state.error());
    auto done = DoneTransfers::open(state->get());
    if (!done)
        return fail("cannot read " + folder + '/' + std::string(files::kStateFolder) +
                    "/done: " + messages::reason_of(done.error()));
    std::unique_ptr<GroupPlacer> placer;
    if (target->can_sync_all()) {
        auto made = GroupPlacer::open(folder, state->get(), options.existing);
        if (!made) return fail(made.error());
        placer = std::move(*made);
    }
    FileWriter writer(std::move(*target), std::move(*state), std::move(*done), std::move(placer),
                      options);
    writer.load_parts();
    writer.expire();
    return writer;
}

FileWriter::FileWriter(files::TargetFolder target, FileDescriptor state, DoneTransfers done,
                       std::unique_ptr<GroupPlacer> placer, const WriterOptions &options)
    : target_(std::move(target)),
      state_(std::move(state)),
      fresh_(state_.get()),
      done_(std::move(done)),
      options_(options),
      started_s_(now_s()),
      placer_(std::move(placer)) {}

void FileWriter::load_parts() {
    // Of a group that had no names yet.
    for (const std::string &name : fresh_.names()) ::unlinkat(state_.get(), name.c_str(), 0);
    const std::vector<std::string> names = files::names_in(state_.get());
    for (const std::string &name : names) {
        if (name.starts_with(kNewPrefix)) ::unlinkat(state_.get(), name.c_str(), 0);
        if (name.ends_with(kPartSuffix))
            load_part(name.substr(0, name.size() - kPartSuffix.size()));
    }
    for (const std::string &name : names) {
        if (!name.ends_with(kStateSuffix)) continue;
        const std::string key = name.substr(0, name.size() - kStateSuffix.size());
        // Without octets its file has got its name; the record of that may be lost.
        if (std::ranges::find(names, PartFile::part_name(key)) == names.end())
            ended_.push_back(key);
    }
}

void FileWriter::load_part(const std::string &key) {
    auto part = PartFile::load(state_.get(), key);
    // After a cut a file that has its name may be here as well.
    if (!part || done_.contains(key)) return PartFile::remove(state_.get(), key);
    part_bytes_ += part->file().octets();
    // Complete ones are finished by the next commit().
    if (part->file().complete()) touched_.push_back(key);
    parts_.emplace(key, std::move(*part));
}

std::int64_t FileWriter::last_piece_s(const std::string &key) const {
    struct stat status{};
    const std::string name = PartFile::state_name(key);
    if (::fstatat(state_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return started_s_;
    // Without a clock, or without times of the file system, its age is not known.
    return status.st_mtime < kLeastSaneS ? started_s_ : std::int64_t{status.st_mtime};
}

void FileWriter::expire() {
    const std::int64_t now = now_s();
    std::vector<std::string> old;
    for (const auto &[key, part] : parts_)
        if (now - last_piece_s(key) > options_.longest_age.count() && !part.file().complete())
            old.push_back(key);
    for (const std::string &key : old) {
        refuse(parts_.at(key).file().name(), "no further piece arrived in time (--longest-age)");
        std::erase(touched_, key);
        drop_part(key);
    }
}

Step FileWriter::take(ByteView payload) {
    const auto adu = files::decode_adu(payload);
    if (!adu) {
        refuse("", adu.error());
        return Step::kDone;
    }
    if (const auto *piece = std::get_if<files::Piece>(&*adu)) return take_piece(*piece);
    return take_entries(std::get<files::Entries>(*adu));
}

Step FileWriter::take_entries(const files::Entries &entries) {
    const std::size_t whole = whole_.size();
    const std::size_t events = events_.size();
    for (const files::Entry &entry : entries) {
        const int error = take_entry(entry);
        if (error == 0) continue;
        if (is_of_the_name(error)) {
            refuse(entry.name, messages::reason_of(error));
            continue;
        }
        drop_whole_from(whole);
        events_.resize(events);
        return step_of(error, entry.name);
    }
    return Step::kDone;
}

int FileWriter::take_entry(const files::Entry &entry) {
    if (std::string wrong = files::wrong_name(entry.name); !wrong.empty()) {
        refuse(entry.name, "its name " + wrong);
        return 0;
    }
    if (!entry.folder) return write_whole(entry);
    const int error = target_.make_folder(entry.name, entry.attributes.mode);
    if (error == 0)
        events_.push_back({.kind = Event::Kind::kFolder, .name = std::string(entry.name)});
    return error;
}

int FileWriter::write_whole(const files::Entry &entry) {
    files::Sha256 digest;
    digest.update(entry.data);
    if (digest.finish() != entry.digest) {
        refuse(entry.name, "its SHA-256 does not match");
        return 0;
    }
    auto folder = fresh_.next();
    if (!folder) return folder.error();
    WholeFile whole{.temporary = std::move(*folder) + std::to_string(next_whole_++),
                    .name = std::string(entry.name),
                    .size = entry.data.size(),
                    .digest = entry.digest};
    const FileDescriptor file(
        ::openat(state_.get(), whole.temporary.c_str(), kMakeWhole, kWholeMode));
    if (!file) return errno;
    int error = files::write_all(file.get(), entry.data, 0);
    if (error == 0) error = set_attributes(file.get(), entry.attributes);
    if (error != 0)
        ::unlinkat(state_.get(), whole.temporary.c_str(), 0);
    else
        whole_.push_back(std::move(whole));
    return error;
}

Step FileWriter::take_piece(const files::Piece &piece) {
    const std::string key = files::hex_of(piece.transfer);
    if (done_.contains(key) || std::ranges::find(ended_, key) != ended_.end()) {
        ++repeated_;
        return Step::kDone;
    }
    if (std::string wrong = wrong_part(key, piece); !wrong.empty()) {
        refuse(piece.name, std::move(wrong));
        return Step::kDone;
    }
    const int error = take_part(key, piece);
    if (error == 0) return Step::kDone;
    if (!is_of_the_name(error)) return step_of(error, piece.name);
    refuse(piece.name, messages::reason_of(error));
    return Step::kDone;
}

std::string FileWriter::wrong_part(const std::string &key, const files::Piece &piece) const {
    if (std::string wrong = files::wrong_name(piece.name); !wrong.empty())
        return "its name " + wrong;
    const auto found = parts_.find(key);
    if (found == parts_.end() && parts_.size() >= options_.most_open)
        return "too many incomplete files (--most-open)";
    if (options_.most_open_bytes != 0 && part_bytes_ + piece.data.size() > options_.most_open_bytes)
        return "the incomplete files have too many bytes (--most-open-bytes)";
    return found == parts_.end() ? "" : found->second.file().wrong_piece(piece);
}

int FileWriter::take_part(const std::string &key, const files::Piece &piece) {
    auto found = parts_.find(key);
    const bool is_new = found == parts_.end();
    if (is_new) {
        auto made = PartFile::make(state_.get(), key, piece);
        if (!made) {
            PartFile::remove(state_.get(), key);
            return made.error();
        }
        found = parts_.emplace(key, std::move(*made)).first;
        new_parts_ = true;
    }
    PartFile &part = found->second;
    const std::uint64_t before = part.file().octets();
    if (part.file().missing(piece).empty() && !piece.data.empty()) ++repeated_;
    const int error = part.write(piece);
    part_bytes_ += part.file().octets() - before;
    if (error != 0 && is_new)
        drop_part(key);
    else if (std::ranges::find(touched_, key) == touched_.end())
        touched_.push_back(key);
    return error;
}

Step FileWriter::commit() {
    int error = sync_octets();
    if (error == 0) error = finish_parts();
    if (error == 0) error = sync_whole();
    const bool many = whole_.size() > kMany || names_unsynced_;
    if (error == 0) error = place_all();
    if (error == 0) error = sync_names(many);
    return step_of(error, "");
}

bool FileWriter::start_commit() {
    const bool whole = touched_.empty() && ended_.empty() && !new_parts_;
    if (!placer_ || !whole || whole_.size() <= kMany) return false;
    whole_on_disk_ = 0;
    placer_->start({.files = std::exchange(whole_, {}),
                    .folders = target_.take_folders(kMany),
                    .events = std::exchange(events_, {})});
    return true;
}

Step FileWriter::end_commit() {
    if (!placer_ || !placer_->has_group()) return Step::kDone;
    GroupPlacer::Group group = placer_->end();
    events_.insert(events_.begin(), std::make_move_iterator(group.events.begin()),
                   std::make_move_iterator(group.events.end()));
    whole_.insert(whole_.begin(), std::make_move_iterator(group.files.begin()),
                  std::make_move_iterator(group.files.end()));
    names_unsynced_ |= group.error != 0;
    return step_of(group.error, "");
}

int FileWriter::sync_octets() {
    for (const std::string &key : touched_)
        if (const int error = parts_.at(key).sync_data(); error != 0) return error;
    if (new_parts_ && ::fsync(state_.get()) != 0) return errno;
    new_parts_ = false;
    for (const std::string &key : touched_)
        if (const int error = parts_.at(key).sync_state(); error != 0) return error;
    return 0;
}

int FileWriter::finish_parts() {
    while (!touched_.empty()) {
        const std::string &key = touched_.back();
        PartFile &part = parts_.at(key);
        const bool complete = part.file().complete();
        const int error = part.advance_digest(complete ? part.file().size() : kDigestBytes);
        if (error == ENODATA) {
            refuse(part.file().name(), "received bytes are missing on disk");
            drop_part(key);
        } else if (error != 0) {
            return error;
        } else if (complete) {
            if (const int unfinished = finish_part(key, part); unfinished != 0) return unfinished;
        }
        touched_.pop_back();
    }
    return 0;
}

int FileWriter::finish_part(const std::string &key, PartFile &part) {
    if (const int error = part.finish_attributes(); error != 0) return error;
    const files::ArrivingFile &file = part.file();
    if (part.finish_digest() != *file.digest()) {
        refuse(file.name(), "its SHA-256 does not match");
        ended_.push_back(key);
        drop_part(key);
        return 0;
    }
    whole_.push_back({.temporary = PartFile::part_name(key),
                      .name = file.name(),
                      .size = file.size(),
                      .digest = *file.digest(),
                      .transfer = key});
    part_bytes_ -= file.octets();
    parts_.erase(key);
    return 0;
}

int FileWriter::sync_whole() {
    std::size_t from = whole_on_disk_;
    if (whole_.size() - from > kMany && target_.can_sync_all()) {
        if (const int error = target_.sync_all(); error != 0) return error;
        from = whole_.size();
    }
    for (; from < whole_.size(); ++from) {
        if (!whole_[from].transfer.empty()) continue;
        const FileDescriptor file(::openat(state_.get(), whole_[from].temporary.c_str(),
                                           O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
        if (!file || ::fsync(file.get()) != 0) return errno;
    }
    whole_on_disk_ = whole_.size();
    return 0;
}

int FileWriter::place_all() {
    Placement placement(target_, state_.get(), options_.existing);
    const int error = place_files(placement, whole_, events_, ended_);
    whole_on_disk_ = whole_.size();
    return error;
}

int FileWriter::sync_names(bool many) {
    if (const int error = target_.sync_folders(many); error != 0) return error;
    names_unsynced_ = false;
    for (const std::string &key : ended_) done_.add(key);
    if (const int error = done_.sync(); error != 0) return error;
    for (const std::string &key : ended_)
        ::unlinkat(state_.get(), PartFile::state_name(key).c_str(), 0);
    ended_.clear();
    return 0;
}

void FileWriter::drop_part(const std::string &key) {
    const auto found = parts_.find(key);
    if (found == parts_.end()) return;
    part_bytes_ -= found->second.file().octets();
    PartFile::remove(state_.get(), key);
    parts_.erase(found);
}

void FileWriter::drop_whole_from(std::size_t first) {
    for (std::size_t at = first; at < whole_.size(); ++at)
        ::unlinkat(state_.get(), whole_[at].temporary.c_str(), 0);
    whole_.resize(first);
}

void FileWriter::refuse(std::string_view name, std::string wrong) {
    events_.push_back(
        {.kind = Event::Kind::kRefused, .name = std::string(name), .wrong = std::move(wrong)});
}

Step FileWriter::step_of(int error, std::string_view what) {
    if (error == 0) return Step::kDone;
    trouble_ = target_.path() + (what.empty() ? "" : ": " + files::printable(what)) + ": " +
               messages::reason_of(error);
    return is_full(error) ? Step::kNoRoom : Step::kFailed;
}

}  // namespace farlink::bpreceivefile
