// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/files/sent_book.hpp"

#include <algorithm>

#include "common/files/octets.hpp"
#include "common/files/record_log.hpp"

namespace farlink::files {
namespace {

constexpr std::uint8_t kBookVersion = 1;
enum class BookRecord : std::uint8_t { kHeader = 1, kBegun = 2, kAccepted = 3, kDone = 4 };

OctetAppender start(Bytes &content, BookRecord kind) {
    OctetAppender to(content);
    to.number(static_cast<std::uint8_t>(kind));
    return to;
}

void append_version(OctetAppender &to, const FileVersion &version) {
    to.number(version.size);
    to.number(version.mtime_s);
    to.number(version.mtime_ns);
}

FileVersion read_version(OctetReader &from) {
    FileVersion version;
    version.size = from.number<std::uint64_t>();
    version.mtime_s = static_cast<std::int64_t>(from.number<std::uint64_t>());
    version.mtime_ns = from.number<std::uint32_t>();
    return version;
}

void append_header(Bytes &records, std::string_view destination) {
    Bytes content;
    OctetAppender to = start(content, BookRecord::kHeader);
    to.number(kBookVersion);
    to.text(destination);
    append_record(records, content);
}

void append_begun(Bytes &records, std::string_view name, const SentBook::Open &open) {
    Bytes content;
    OctetAppender to = start(content, BookRecord::kBegun);
    to.octets(open.transfer);
    append_version(to, open.version);
    to.text(name);
    append_record(records, content);
}

void append_accepted(Bytes &records, std::string_view name, Extent extent) {
    Bytes content;
    OctetAppender to = start(content, BookRecord::kAccepted);
    to.number(extent.begin);
    to.number(extent.end);
    to.text(name);
    append_record(records, content);
}

void append_done(Bytes &records, std::string_view name, const FileVersion &version) {
    Bytes content;
    OctetAppender to = start(content, BookRecord::kDone);
    append_version(to, version);
    to.text(name);
    append_record(records, content);
}

}  // namespace

std::string SentBook::load(ByteView record) {
    OctetReader from(record);
    const auto kind = static_cast<BookRecord>(from.number<std::uint8_t>());
    if (!has_header_) {
        if (kind != BookRecord::kHeader || from.number<std::uint8_t>() != kBookVersion)
            return "is not a state file of bpsendfile, or was written by a later version";
        if (const auto other = from.text(); from.failed() || other != destination_)
            return "belongs to another destination, " + std::string(other);
        has_header_ = true;
    } else if (kind == BookRecord::kBegun) {
        Open open;
        std::ranges::copy(from.octets(open.transfer.size()), open.transfer.begin());
        open.version = read_version(from);
        const std::string name(from.text());
        if (!from.failed()) open_[name] = std::move(open);
    } else if (kind == BookRecord::kAccepted) {
        const auto begin = from.number<std::uint64_t>();
        const auto end = from.number<std::uint64_t>();
        const auto found = open_.find(from.text());
        if (!from.failed() && found != open_.end()) found->second.accepted.add({begin, end});
    } else if (kind == BookRecord::kDone) {
        const FileVersion version = read_version(from);
        const std::string name(from.text());
        if (!from.failed()) done_[name] = version;
        open_.erase(name);
    }
    return {};
}

bool SentBook::is_done(std::string_view name, const FileVersion &version) const {
    const auto found = done_.find(name);
    return found != done_.end() && found->second == version;
}

const SentBook::Open *SentBook::find_open(std::string_view name, const FileVersion &version) const {
    const auto found = open_.find(name);
    return found != open_.end() && found->second.version == version ? &found->second : nullptr;
}

void SentBook::begin(std::string_view name, const FileVersion &version,
                     const TransferId &transfer) {
    Open &open = open_[std::string(name)];
    open = {transfer, version, {}};
    append_begun(records_, name, open);
}

void SentBook::accept(std::string_view name, Extent extent) {
    const auto found = open_.find(name);
    if (found == open_.end()) return;
    found->second.accepted.add(extent);
    append_accepted(records_, name, extent);
}

void SentBook::finish(std::string_view name, const FileVersion &version) {
    open_.erase(std::string(name));
    done_[std::string(name)] = version;
    append_done(records_, name, version);
}

Bytes SentBook::all_records() const {
    Bytes records;
    append_header(records, destination_);
    for (const auto &[name, version] : done_) append_done(records, name, version);
    for (const auto &[name, open] : open_) {
        append_begun(records, name, open);
        for (const Extent &extent : open.accepted.all()) append_accepted(records, name, extent);
    }
    return records;
}

}  // namespace farlink::files
