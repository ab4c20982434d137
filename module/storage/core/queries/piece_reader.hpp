// SPDX-License-Identifier: Apache-2.0
// Answers an operator's requests for the octets of a stored bundle, a piece at a time.
// Owned by StorageCore; one thread.
// Nothing is held for a request beyond one piece. A bundle may leave while a piece of it is read:
// what was read then is thrown away.
#pragma once

#include <array>
#include <optional>

#include "module/storage/core/state/storage_context.hpp"

namespace farlink::storage {

class PieceReader {
public:
    /// Marks its reads among those of others.
    static constexpr std::uint64_t kTag = ~std::uint64_t{0} - 3;
    static constexpr std::uint32_t kMostPieceBytes = 256 * 1024;
    /// Requests of one disk that wait; more are refused.
    static constexpr std::size_t kMostWaiting = 16;

    explicit PieceReader(StorageContext &context) : context_(context) {}

    void handle(const bus::BundlePieceRequest &request);
    /// The next read; one at a time for each disk.
    [[nodiscard]] DiskRequestPtr poll_read(DiskIndex disk);
    /// A request with kTag has come back.
    void handle_read_done(DiskIndex disk, DiskRequestPtr read);

private:
    /// Where the stripe lies, or the bundle if it is in one record, or that piece of a bundle in
    /// pieces which has the requested octets.
    struct Place {
        bus::PieceFault fault = bus::PieceFault::kNone;
        StoredRecord record{};
        std::uint64_t header_bytes = 0;  ///< with the label
        std::uint64_t bundle_bytes = 0;
        std::uint64_t from = 0;  ///< of a piece: where it begins in the bundle
        /// BundlePiece::kInPieces: the end and the checksum sent are those of the piece.
        std::uint8_t stripes = 0;
    };

    [[nodiscard]] Place locate(const bus::BundlePieceRequest &request) const;
    [[nodiscard]] Place locate_piece(EntryIndex whole,
                                     const bus::BundlePieceRequest &request) const;
    [[nodiscard]] DiskRequestPtr read(const bus::BundlePieceRequest &request, const Place &place);
    void answer(const bus::BundlePieceRequest &request, const Place &place,
                const DiskRequest &read);
    void refuse(const bus::BundlePieceRequest &request, bus::PieceFault fault);

    StorageContext &context_;
    std::array<Ring<bus::BundlePieceRequest>, kMaxDisks> waiting_;
    std::array<std::optional<bus::BundlePieceRequest>, kMaxDisks> reading_;
};

}  // namespace farlink::storage
