// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/transaction/received_file.hpp"

#include <algorithm>
#include <utility>

#include "common/files/octets.hpp"

namespace farlink::cfdp {
namespace {

constexpr Algorithm kAlgorithms[] = {Algorithm::kModular, Algorithm::kProximity1,
                                     Algorithm::kCrc32c, Algorithm::kCrc32};

}  // namespace

ReceivedFile::ReceivedFile(std::unique_ptr<ArrivingCopy> copy)
    : copy_(std::move(copy)), checksums_(std::begin(kAlgorithms), std::end(kAlgorithms)) {}

Result<void, FileFault> ReceivedFile::write(std::uint64_t offset, ByteView data) {
    const files::Extent extent{offset, offset + data.size()};
    const auto missing = extents_.missing(extent);
    std::uint64_t written = 0;
    for (const files::Extent &each : missing) {
        if (extents_.count() >= kMostExtents) return {};
        const ByteView octets = data.subspan(static_cast<std::size_t>(each.begin - offset),
                                             static_cast<std::size_t>(each.size()));
        if (const auto done = copy_->write(each.begin, octets); !done) return done;
        for (FileChecksum &checksum : checksums_) checksum.add(each.begin, octets);
        extents_.add(each);
        written += each.size();
        progress_ = std::max(progress_, each.end);
    }
    repeated_ += data.size() - written;
    return {};
}

void ReceivedFile::choose(Algorithm algorithm) {
    const auto found = std::ranges::find(checksums_, algorithm, &FileChecksum::algorithm);
    FileChecksum chosen = found == checksums_.end() ? FileChecksum(algorithm) : *found;
    checksums_.clear();
    checksums_.push_back(std::move(chosen));
}

std::optional<std::uint32_t> ReceivedFile::checksum(std::uint64_t size) const {
    return checksums_.size() == 1 ? checksums_.front().value(size) : std::nullopt;
}

void ReceivedFile::append_state(Bytes &to) const {
    files::OctetAppender out(to);
    out.number(static_cast<std::uint8_t>(checksums_.size()));
    for (const FileChecksum &checksum : checksums_) {
        out.number(static_cast<std::uint8_t>(checksum.algorithm()));
        const auto parts = checksum.parts();
        out.number(static_cast<std::uint32_t>(parts.size()));
        for (const FileChecksum::Part &part : parts) {
            out.number(part.extent.begin);
            out.number(part.extent.end);
            out.number(part.value);
        }
    }
}

bool ReceivedFile::load_state(ByteView state) {
    files::OctetReader in(state);
    checksums_.clear();
    const auto count = in.number<std::uint8_t>();
    for (unsigned i = 0; i < count && !in.failed(); ++i) {
        const auto algorithm = algorithm_of(in.number<std::uint8_t>());
        if (!algorithm) return false;
        FileChecksum checksum(*algorithm);
        const auto parts = in.number<std::uint32_t>();
        for (std::uint32_t part = 0; part < parts && !in.failed(); ++part) {
            FileChecksum::Part read{{in.number<std::uint64_t>(), in.number<std::uint64_t>()}, 0};
            read.value = in.number<std::uint32_t>();
            checksum.restore(read);
            extents_.add(read.extent);
            progress_ = std::max(progress_, read.extent.end);
        }
        checksums_.push_back(std::move(checksum));
    }
    return !in.failed() && in.rest().empty() && !checksums_.empty();
}

}  // namespace farlink::cfdp
