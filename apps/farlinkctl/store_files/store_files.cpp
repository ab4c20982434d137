// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_files/store_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "common/codec/crc.hpp"
#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::ctl {
namespace {

using storage::FileError;

std::optional<storage::FileHeader> read_header(storage::LogDirectory &directory, FileNumber file) {
    for (const std::uint64_t offset : {std::uint64_t{0}, storage::kHeaderCopyOffset}) {
        std::array<std::uint8_t, storage::kFileHeaderBytes> octets{};
        const auto got = directory.read(file, offset, octets);
        if (!got || *got < octets.size()) continue;
        if (auto header = storage::decode_file_header(octets)) return header;
    }
    return std::nullopt;
}

}  // namespace

std::optional<RecordNumber> parse_record(std::string_view text) {
    const auto number = [](std::string_view digits) -> std::optional<std::uint32_t> {
        std::uint32_t value = 0;
        const char *end = digits.data() + digits.size();
        const auto parsed = std::from_chars(digits.data(), end, value);
        if (parsed.ec != std::errc{} || parsed.ptr != end || value == 0) return std::nullopt;
        return value;
    };
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto file = number(text.substr(0, colon));
    const auto place = number(text.substr(colon + 1));
    if (!file || !place) return std::nullopt;
    return storage::make_record_number(*file, *place);
}

Result<NodeNumber, std::string> claim_store(const std::string &path,
                                            storage::LogDirectory &directory) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) return fail(path + ": no such folder");
    // A copy of a store may lack the lock file.
    const bool used = std::filesystem::exists(std::filesystem::path(path) / "lock", error) ||
                      !directory.list().value_or(std::vector<FileNumber>{}).empty();
    if (!used) return fail(path + ": contains no store");
    if (const auto locked = directory.lock(); !locked)
        return fail(path + (locked.error() == FileError::kLocked
                                ? ": the store is in use by a running node; stop the node first"
                                : ": cannot be read or locked"));
    const auto files = directory.list();
    if (!files) return fail(path + ": cannot be listed");
    for (const FileNumber file : *files)
        if (const auto header = read_header(directory, file)) return header->node;
    // The store is empty or unreadable: its node does not matter.
    return NodeNumber{};
}

Result<std::unique_ptr<StoreFiles>, std::string> StoreFiles::open(const std::string &path) {
    auto store = std::make_unique<StoreFiles>(path);
    const auto node = claim_store(path, store->directory_);
    if (!node) return fail(node.error());
    store->node_ = *node;
    storage::LogOptions options;
    options.node = *node;
    auto recovery =
        storage::recover_log(store->directory_, options, store->files_,
                             [&store](const RestoredRecord &record) { store->take(record); });
    if (!recovery) return fail(path + ": " + std::string(to_string(recovery.error())));
    store->recovery_ = std::move(*recovery);
    std::ranges::sort(store->bundles_, {}, [](const StoredBundle &bundle) {
        return std::pair(bundle.head.arrival, bundle.at.number);
    });
    store->group_pieces();
    return store;
}

Result<std::unique_ptr<StoreFiles>, std::string> StoreFiles::open(
    const std::string &path, const std::vector<std::string> &others) {
    auto store = open(path);
    if (!store) return store;
    for (const std::string &other : others) {
        auto more = open(other);
        if (!more) return more;
        (*store)->others_.push_back(std::move(*more));
    }
    return store;
}

bool BundleCount::add(const RecordHead &head, const storage::LabelContent &content, bool damaged) {
    if (std::holds_alternative<storage::UnknownLabel>(content)) return false;
    if (const auto *const piece = std::get_if<storage::PieceLabel>(&content))
        return add_piece(*piece, head.size, damaged);
    const auto *const stripe = std::get_if<storage::StripeLabel>(&content);
    if (stripe == nullptr) {
        whole_ += damaged ? 0 : 1;
        return true;
    }
    stripes_ += damaged ? 0 : 1;
    const Whole bundle{head.identity, head.arrival, head.received, stripe->writing};
    (damaged ? damaged_ : striped_).insert(bundle);
    return true;
}

bool BundleCount::add_piece(const storage::PieceLabel &piece, std::uint64_t bytes, bool damaged) {
    Spool &spool = spools_[piece.spool];
    const bool fits = damaged || spool.pieces.add(piece, bytes);
    spool.damaged |= damaged || !fits;
    pieces_ += fits && !damaged ? 1 : 0;
    return fits;
}

std::uint64_t BundleCount::spools(bool complete) const {
    return static_cast<std::uint64_t>(std::ranges::count_if(spools_, [complete](const auto &each) {
        return !each.second.damaged && each.second.pieces.complete() == complete;
    }));
}

std::uint64_t BundleCount::intact() const {
    const auto left = std::ranges::count_if(
        striped_, [this](const Whole &bundle) { return !damaged_.contains(bundle); });
    return whole_ + static_cast<std::uint64_t>(left) + spools(true);
}

std::uint64_t BundleCount::incomplete() const {
    return spools(false);
}

void StoreFiles::take(const RestoredRecord &record) {
    StoredBundle bundle;
    bundle.head = record.head;
    bundle.at = record.at;
    bundle.label_size = static_cast<std::uint16_t>(record.label.size());
    bundle.content = storage::content_of(record.label);
    bundle.damaged =
        record.damaged || std::holds_alternative<storage::UnknownLabel>(bundle.content);
    std::visit(
        [&bundle](auto &content) {
            const auto destination = storage::decode_label(content.endpoint);
            bundle.destination = destination ? bp::to_string(*destination) : "?";
            content.endpoint = {};
        },
        bundle.content);
    bundles_.push_back(std::move(bundle));
}

void StoreFiles::group_pieces() {
    for (const StoredBundle &bundle : bundles_)
        if (const auto *const piece = bundle.piece()) spools_[piece->spool].push_back(&bundle);
    for (auto &[spool, pieces] : spools_)
        std::ranges::stable_sort(
            pieces, {}, [](const StoredBundle *bundle) { return bundle->piece()->offset; });
}

std::vector<const StoredBundle *> StoreFiles::records_of(const StoredBundle &bundle) const {
    const auto *const piece = bundle.piece();
    return piece == nullptr ? std::vector{&bundle} : spools_.at(piece->spool);
}

const StoredBundle *StoreFiles::find(RecordNumber record) const {
    const auto found = std::ranges::find_if(
        bundles_, [record](const StoredBundle &bundle) { return bundle.at.number == record; });
    return found == bundles_.end() ? nullptr : &*found;
}

StoreFiles::Place StoreFiles::find_stripe(const StoredBundle &of, std::uint8_t number) {
    const storage::StripeLabel &one = *of.stripe();
    const auto wanted = [&](const StoredBundle &each) {
        const auto *const stripe = each.stripe();
        return stripe != nullptr && stripe->number == number && stripe->count == one.count &&
               stripe->writing == one.writing && each.head.identity == of.head.identity &&
               each.head.arrival == of.head.arrival && each.head.received == of.head.received;
    };
    const auto find_in = [&](StoreFiles &files) -> Place {
        const auto found = std::ranges::find_if(files.bundles_, wanted);
        if (found == files.bundles_.end()) return {};
        return {&files, &*found};
    };
    Place place = find_in(*this);
    for (std::size_t at = 0; place.files == nullptr && at < others_.size(); ++at)
        place = find_in(*others_[at]);
    return place;
}

Result<std::vector<StoreFiles::Place>, std::string> StoreFiles::stripes_of(
    const StoredBundle &bundle) {
    std::vector<Place> stripes;
    for (std::uint8_t number = 0; number < bundle.stripe()->count; ++number) {
        stripes.push_back(find_stripe(bundle, number));
        if (stripes.back().files == nullptr)
            return fail("record " + name_of(bundle.at.number) + ": the bundle is stored in " +
                        std::to_string(bundle.stripe()->count) +
                        " stripes; give the folders of the other disks by --other-disk");
    }
    return stripes;
}

Result<std::vector<StoreFiles::Place>, std::string> StoreFiles::pieces_of(
    const StoredBundle &bundle) {
    std::map<std::uint64_t, Place> pieces;  // by offset: a piece may have a second copy
    SpoolPieces octets;
    const auto add = [&](StoreFiles &files) {
        const auto found = files.spools_.find(bundle.piece()->spool);
        if (found == files.spools_.end()) return;
        for (const StoredBundle *const each : found->second)
            if (!each->damaged && octets.add(*each->piece(), each->head.size))
                pieces.emplace(each->piece()->offset, Place{&files, each});
    };
    add(*this);
    for (const auto &other : others_) add(*other);
    if (!octets.complete())
        return fail("record " + name_of(bundle.at.number) +
                    ": the record is a piece of a bundle of " +
                    std::to_string(bundle.piece()->bundle_bytes) + " bytes; " + octets.missing() +
                    " are missing; give the folders of the other disks by --other-disk");
    std::vector<Place> places;
    for (const auto &[offset, place] : pieces) places.push_back(place);
    return places;
}

Result<std::vector<StoreFiles::Place>, std::string> StoreFiles::parts_of(
    const StoredBundle &bundle) {
    if (bundle.stripe() != nullptr) return stripes_of(bundle);
    if (bundle.piece() != nullptr) return pieces_of(bundle);
    return std::vector{Place{this, &bundle}};
}

bool StoreFiles::complete(const StoredBundle &bundle) {
    return parts_of(bundle).has_value();
}

Result<void, std::string> StoreFiles::read(const StoredBundle &bundle, const TakeOctets &take) {
    const auto parts = parts_of(bundle);
    if (!parts) return fail(parts.error());
    for (const Place &part : *parts) {
        const auto octets = part.files->read_record(*part.record);
        if (!octets) return fail(octets.error());
        if (!take(*octets)) break;
    }
    return {};
}

Result<Bytes, std::string> StoreFiles::read_head(const StoredBundle &bundle) {
    Bytes octets;
    const auto done = read(bundle, [&](ByteView part) {
        append(octets, part);
        return bundle.piece() == nullptr;
    });
    if (!done) return fail(done.error());
    return octets;
}

Bytes StoreFiles::read_beginning(const StoredBundle &bundle) {
    const bool inside = (bundle.stripe() != nullptr && bundle.stripe()->number > 0) ||
                        (bundle.piece() != nullptr && bundle.piece()->offset > 0);
    if (inside || bundle.damaged) return {};
    Bytes octets(std::min<std::uint64_t>(bundle.head.size, kBeginning));
    const auto got =
        directory_.read(storage::file_of(bundle.at.number),
                        bundle.at.offset + kRecordHeaderBytes + bundle.label_size, octets);
    octets.resize(got.value_or(std::size_t{0}));
    return octets;
}

Result<Bytes, std::string> StoreFiles::read_record(const StoredBundle &bundle) {
    const std::string name = "record " + name_of(bundle.at.number);
    Bytes octets(kRecordHeaderBytes + bundle.label_size + bundle.head.size);
    const FileNumber file = storage::file_of(bundle.at.number);
    const auto got = directory_.read(file, bundle.at.offset, octets);
    if (!got) return fail(name + ": read failed");
    const auto known = files_.find(file);
    const ByteView all = ByteView(octets);
    const auto fixed = all.first<kRecordHeaderBytes>();
    const auto header = known == files_.end()
                            ? std::nullopt
                            : storage::decode_record_header(known->second.mark, fixed);
    const ByteView label = all.subspan(kRecordHeaderBytes, bundle.label_size);
    const ByteView payload = all.subspan(kRecordHeaderBytes + bundle.label_size);
    if (*got < octets.size() || !header || header->number != bundle.at.number ||
        header->head.size != bundle.head.size || header->label_size != bundle.label_size ||
        !storage::verify_record_header(fixed, label) ||
        codec::crc32c(payload) != header->payload_crc)
        return fail(name + ": record damaged");
    return Bytes(payload.begin(), payload.end());
}

}  // namespace farlink::ctl
