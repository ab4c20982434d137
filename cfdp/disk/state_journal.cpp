// SPDX-License-Identifier: Apache-2.0
#include "cfdp/disk/state_journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "common/files/octet_files.hpp"
#include "common/files/octets.hpp"
#include "common/files/record_log.hpp"

namespace farlink::cfdp {
namespace {

constexpr const char *kJournalName = "journal";
constexpr const char *kNewJournalName = "new-journal";
constexpr mode_t kJournalMode = 0600;
constexpr std::uint8_t kJournalVersion = 1;

enum class JournalRecord : std::uint8_t {
    kHead = 0,
    kPut = 1,
    kState = 2,
    kEnded = 3,      ///< nothing was delivered
    kDelivered = 4,  ///< it has ended, and late PDUs of it must not open it again
    kNumbers = 5,    ///< such numbers of a source
};

Bytes head_content() {
    Bytes content;
    files::OctetAppender out(content);
    out.number(static_cast<std::uint8_t>(JournalRecord::kHead));
    out.number(kJournalVersion);
    return content;
}

Bytes id_content(JournalRecord kind, const TransactionId &id) {
    Bytes content;
    files::OctetAppender out(content);
    out.number(static_cast<std::uint8_t>(kind));
    out.number(id.source);
    out.number(id.sequence);
    return content;
}

void append_numbers(Bytes &to, EntityId source, files::Extent numbers) {
    Bytes content;
    files::OctetAppender out(content);
    out.number(static_cast<std::uint8_t>(JournalRecord::kNumbers));
    out.number(source);
    out.number(numbers.begin);
    out.number(numbers.end);
    files::append_record(to, content);
}

}  // namespace

Result<StateJournal, int> StateJournal::open(int folder) {
    StateJournal journal(folder);
    FileDescriptor file(::openat(folder, kJournalName, O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    if (file) {
        journal.file_ = std::move(file);
        if (int error = journal.load(); error != 0) return fail(std::move(error));
    } else if (errno != ENOENT) {
        return fail(int{errno});
    }
    return journal;
}

int StateJournal::load() {
    struct stat status{};
    if (::fstat(file_.get(), &status) != 0) return errno;
    const Bytes content = files::read_all(file_.get(), static_cast<std::size_t>(status.st_size));
    files::RecordReader reader(content);
    const auto head = reader.next();
    if (!head || !std::ranges::equal(*head, head_content())) return ENOTSUP;
    size_ = reader.read();
    while (const auto record = reader.next()) {
        load_record(*record, {size_, reader.read() - static_cast<std::size_t>(size_)});
        size_ = reader.read();
    }
    live_ = live_octets();
    return 0;
}

std::uint64_t StateJournal::live_octets() const {
    std::uint64_t octets = 0;
    for (const Places *const places : {&puts_, &states_})
        for (const auto &[id, place] : *places) octets += place.size;
    return octets;
}

void StateJournal::load_record(ByteView content, Place place) {
    files::OctetReader in(content);
    const auto kind = static_cast<JournalRecord>(in.number<std::uint8_t>());
    const TransactionId id{in.number<std::uint64_t>(), in.number<std::uint64_t>()};
    if (kind == JournalRecord::kPut) puts_[id] = place;
    if (kind == JournalRecord::kState) states_[id] = place;
    if (kind == JournalRecord::kEnded || kind == JournalRecord::kDelivered) {
        puts_.erase(id);
        states_.erase(id);
    }
    if (kind == JournalRecord::kDelivered) delivered_.add(id);
    if (kind == JournalRecord::kNumbers)
        delivered_.add(id.source, {id.sequence, in.number<std::uint64_t>()});
}

int StateJournal::save(Kind kind, const TransactionId &id, ByteView content) {
    Bytes octets = id_content(static_cast<JournalRecord>(kind), id);
    append(octets, content);
    Bytes record;
    files::append_record(record, octets);
    const std::uint64_t offset = size_;
    if (const int error = write(record); error != 0) return error;
    Place &place = places_of(kind)[id];
    live_ += record.size() - place.size;
    place = {offset, record.size()};
    return 0;
}

// A part that was written is cut off: behind a shorter record it could be read as others.
int StateJournal::write(ByteView records) {
    if (const int error = files::write_all(file_.get(), records, size_); error != 0) {
        [[maybe_unused]] const int ignored = ::ftruncate(file_.get(), static_cast<off_t>(size_));
        return error;
    }
    size_ += records.size();
    return 0;
}

void StateJournal::forget(const TransactionId &id) {
    for (Places *const places : {&puts_, &states_}) {
        const auto found = places->find(id);
        if (found == places->end()) continue;
        live_ -= found->second.size;
        places->erase(found);
    }
}

void StateJournal::add_end(const TransactionId &id, bool delivered) {
    forget(id);
    if (delivered) delivered_.add(id);
    files::append_record(
        ends_, id_content(delivered ? JournalRecord::kDelivered : JournalRecord::kEnded, id));
}

void StateJournal::add_delivered(EntityId source, files::Extent numbers) {
    delivered_.add(source, numbers);
    append_numbers(ends_, source, numbers);
}

// What cannot be written is tried again with the next ends.
int StateJournal::end_all() {
    if (ends_.empty()) return 0;
    if (const int error = write(ends_); error != 0) return error;
    ends_.clear();
    return 0;
}

FileDescriptor StateJournal::file() const {
    return FileDescriptor(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
}

int StateJournal::flush() const {
    return ::fdatasync(file_.get()) == 0 ? 0 : errno;
}

Bytes StateJournal::read(const Place &place) const {
    Bytes record(place.size);
    std::size_t got = 0;
    while (got < record.size()) {
        const ssize_t size = ::pread(file_.get(), record.data() + got, record.size() - got,
                                     static_cast<off_t>(place.offset + got));
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return {};
        got += static_cast<std::size_t>(size);
    }
    const auto content = files::RecordReader(record).next();
    const std::size_t head = id_content({}, {}).size();
    if (!content || content->size() < head) return {};
    const ByteView rest = content->subspan(head);
    return {rest.begin(), rest.end()};
}

int StateJournal::rewrite_if_long() {
    if (size_ < rewrite_at_ || size_ / 2 < live_) return 0;
    const int error = rewrite();
    // Without room it is not tried with each end.
    if (error != 0) rewrite_at_ = kLongJournal + size_;
    return error;
}

int StateJournal::begin() {
    const int before = file_.get();
    const int error = rewrite();
    const bool stays = file_ && file_.get() == before;
    if (error == 0 || !stays) return error;
    return ::ftruncate(file_.get(), static_cast<off_t>(size_)) == 0 ? 0 : errno;
}

int StateJournal::rewrite() {
    FileDescriptor file(::openat(folder_, kNewJournalName,
                                 O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                                 kJournalMode));
    if (!file) return errno;
    Places puts;
    Places states;
    const Bytes content = fresh_content(puts, states);
    int error = files::write_all(file.get(), content, 0);
    if (error == 0 && (::fsync(file.get()) != 0 ||
                       ::renameat(folder_, kNewJournalName, folder_, kJournalName) != 0))
        error = errno;
    if (error != 0) {
        ::unlinkat(folder_, kNewJournalName, 0);
        return error;
    }
    file_ = std::move(file);
    size_ = content.size();
    ends_.clear();
    puts_ = std::move(puts);
    states_ = std::move(states);
    live_ = live_octets();
    rewrite_at_ = std::max(kLongJournal, 2 * size_);
    return ::fsync(folder_) == 0 ? 0 : errno;
}

Bytes StateJournal::fresh_content(Places &puts, Places &states) const {
    Bytes content;
    files::append_record(content, head_content());
    for (const auto &[source, numbers] : delivered_.by_source())
        for (const files::Extent &each : numbers.all()) append_numbers(content, source, each);
    append_fresh(content, puts_, puts);
    append_fresh(content, states_, states);
    return content;
}

// One that cannot be read is left out, as after a restart.
void StateJournal::append_fresh(Bytes &to, const Places &from, Places &placed) const {
    const auto kind = &from == &puts_ ? JournalRecord::kPut : JournalRecord::kState;
    for (const auto &[id, place] : from) {
        const Bytes kept = read(place);
        if (kept.empty()) continue;
        Bytes content = id_content(kind, id);
        append(content, kept);
        const std::uint64_t offset = to.size();
        files::append_record(to, content);
        placed[id] = {offset, to.size() - static_cast<std::size_t>(offset)};
    }
}

}  // namespace farlink::cfdp
