// SPDX-License-Identifier: Apache-2.0
// What is there of a file that arrives in pieces, in any order, each perhaps several times.
// Owned by bpreceivefile; one thread.
// No file is touched: records go out and come in as octets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/shared/files/file_adu.hpp"
#include "common/base/bytes.hpp"
#include "common/files/extents.hpp"

namespace farlink::files {

class ArrivingFile {
public:
    /// More extents mean pieces that are small and far apart, which no sender makes.
    static constexpr std::size_t kMostExtents = 65'536;

    explicit ArrivingFile(const Piece &first);
    /// By the records of an earlier run; none if they do not begin with the right one.
    [[nodiscard]] static std::optional<ArrivingFile> load(ByteView records);

    /// Why the piece does not belong to this file; empty: it does.
    [[nodiscard]] std::string wrong_piece(const Piece &piece) const;
    /// The parts of the piece that are to be written. What is there is never written again, since
    /// it may be in the digest already.
    [[nodiscard]] std::vector<Extent> missing(const Piece &piece) const {
        return extents_.missing(piece.extent());
    }
    /// It is written.
    void add(const Piece &piece);

    [[nodiscard]] bool complete() const { return digest_ && extents_.octets() == size_; }
    [[nodiscard]] const std::string &name() const { return name_; }
    [[nodiscard]] const Attributes &attributes() const { return attributes_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] std::uint64_t octets() const { return extents_.octets(); }
    [[nodiscard]] const std::optional<Digest> &digest() const { return digest_; }
    /// The end of what can be in the digest.
    [[nodiscard]] std::uint64_t first_gap() const { return extents_.first_gap(); }

    /// The records of what has changed since the last call.
    [[nodiscard]] Bytes take_records() { return std::exchange(records_, {}); }

private:
    ArrivingFile() = default;
    void load_record(ByteView record);

    std::string name_;
    Attributes attributes_;
    std::uint64_t size_ = 0;
    std::optional<Digest> digest_;
    Extents extents_;
    Bytes records_;
};

}  // namespace farlink::files
