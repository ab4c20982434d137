// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/queries/piece_reader.hpp"

#include <algorithm>
#include <utility>

#include "module/storage/core/queries/stored_bundle_queries.hpp"

namespace farlink::storage {
namespace {

using bus::PieceFault;

/// Records of a read.
constexpr std::size_t kHeader = 0;
constexpr std::size_t kPiece = 1;

PieceFault fault_of(DiskStatus status) {
    if (status == DiskStatus::kOk) return PieceFault::kNone;
    return status == DiskStatus::kIoError ? PieceFault::kIoError : PieceFault::kDamaged;
}

}  // namespace

void PieceReader::handle(const bus::BundlePieceRequest &request) {
    const Place place = locate(request);
    if (place.fault != PieceFault::kNone) return refuse(request, place.fault);
    Ring<bus::BundlePieceRequest> &waiting = waiting_[place.record.disk];
    if (waiting.size() >= kMostWaiting) return refuse(request, PieceFault::kTooMany);
    waiting.push_back(request);
}

PieceReader::Place PieceReader::locate(const bus::BundlePieceRequest &request) const {
    const Inventory &inventory = context_.inventory;
    const EntryIndex index = find_named(inventory.entries(), request.bundle);
    if (index == kNoEntry) return {.fault = PieceFault::kGone};
    const Entry &entry = inventory.entries()[index];
    if (entry.state() == EntryState::kExpiring) return {.fault = PieceFault::kGone};
    if (entry.state() == EntryState::kWriting) return {.fault = PieceFault::kWriting};
    if (entry.spooled && entry.joined) return locate_piece(index, request);
    Place place;
    place.header_bytes = kRecordHeaderBytes + inventory.label_bytes_of(index);
    place.bundle_bytes = entry.bytes();
    inventory.for_each_record(index, [&](const StoredRecord &record) {
        if (place.stripes++ == request.stripe) place.record = record;
    });
    // Behind the octets there may be padding.
    const bool there =
        request.stripe < place.stripes && request.offset < place.record.bytes - place.header_bytes;
    if (!there) place.fault = PieceFault::kBeyondEnd;
    return place;
}

PieceReader::Place PieceReader::locate_piece(EntryIndex whole,
                                             const bus::BundlePieceRequest &request) const {
    const Inventory &inventory = context_.inventory;
    Place place;
    place.bundle_bytes = inventory.entries()[whole].bytes();
    place.stripes = bus::BundlePiece::kInPieces;
    if (request.stripe != 0 || request.offset >= place.bundle_bytes) {
        place.fault = PieceFault::kBeyondEnd;
        return place;
    }
    const FragmentPiece &piece = context_.fragments.piece_with(whole, request.offset);
    place.from = piece.offset;
    place.header_bytes = kRecordHeaderBytes + inventory.label_bytes_of(piece.entry);
    inventory.for_each_record(piece.entry,
                              [&](const StoredRecord &record) { place.record = record; });
    return place;
}

DiskRequestPtr PieceReader::poll_read(DiskIndex disk) {
    Ring<bus::BundlePieceRequest> &waiting = waiting_[disk];
    while (!reading_[disk] && !waiting.empty()) {
        const bus::BundlePieceRequest request = waiting.pop_front();
        const Place place = locate(request);
        if (place.fault != PieceFault::kNone) {
            refuse(request, place.fault);
            continue;
        }
        reading_[disk] = request;
        return read(request, place);
    }
    return nullptr;
}

/// With the header, which has the size and the checksum.
DiskRequestPtr PieceReader::read(const bus::BundlePieceRequest &request, const Place &place) {
    const std::uint64_t from = place.header_bytes + request.offset - place.from;
    const std::uint64_t size = std::min<std::uint64_t>(std::min(request.limit, kMostPieceBytes),
                                                       place.record.bytes - from);
    DiskRequestPtr read = context_.requests.acquire(DiskVerb::kReadPart);
    read->tag = kTag;
    read->slab =
        context_.slabs.acquire_sized(static_cast<std::uint32_t>(place.header_bytes + size));
    std::uint8_t *const memory = read->slab->data;
    DiskRecord record;
    record.at = place.record.at;
    record.buffer = {memory, place.header_bytes};
    read->records.push_back(record);
    record.from = from;
    record.buffer = {memory + place.header_bytes, size};
    read->records.push_back(record);
    return read;
}

void PieceReader::handle_read_done(DiskIndex disk, DiskRequestPtr read) {
    const bus::BundlePieceRequest request = *std::exchange(reading_[disk], std::nullopt);
    const Place place = locate(request);
    if (place.fault != PieceFault::kNone)
        refuse(request, place.fault);
    else if (place.record.at.number != read->records[kHeader].at.number)
        waiting_[place.record.disk].push_back(request);  // it was moved meanwhile
    else
        answer(request, place, *read);
    context_.requests.recycle(std::move(read));
}

void PieceReader::answer(const bus::BundlePieceRequest &request, const Place &place,
                         const DiskRequest &read) {
    const DiskRecord &header = read.records[kHeader];
    const DiskRecord &piece = read.records[kPiece];
    for (const DiskRecord *record : {&header, &piece})
        if (record->status != DiskStatus::kOk) return refuse(request, fault_of(record->status));
    const std::uint64_t bytes = header.head.size;
    const std::uint64_t offset = request.offset - place.from;
    if (offset >= bytes) return refuse(request, PieceFault::kBeyondEnd);
    const std::uint64_t size = std::min<std::uint64_t>(piece.buffer.size(), bytes - offset);
    if (piece.octets.size() < size) return refuse(request, PieceFault::kDamaged);
    const ByteView octets = piece.octets.first(size);
    context_.send(bus::AgentId::kSupervisor,
                  bus::BundlePiece{.id = request.id,
                                   .bundle_bytes = place.bundle_bytes,
                                   .stripes = place.stripes,
                                   .stripe_bytes = place.from + bytes,
                                   .crc32c = header.crc,
                                   .octets = {octets.begin(), octets.end()}});
}

void PieceReader::refuse(const bus::BundlePieceRequest &request, PieceFault fault) {
    bus::BundlePiece answer;
    answer.id = request.id;
    answer.fault = fault;
    context_.send(bus::AgentId::kSupervisor, std::move(answer));
}

}  // namespace farlink::storage
