// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_files/store_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "common/codec/crc.hpp"
#include "module/storage/core/fragments/fragment_label.hpp"
#include "module/storage/core/fragments/piece_label.hpp"
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

/// What a record's label has beside the destination comes before it.
ByteView endpoint_in(ByteView label) {
    if (const auto stripe = storage::decode_stripe(label)) return stripe->endpoint;
    if (const auto fragment = storage::decode_fragment_label(label)) return fragment->endpoint;
    if (const auto piece = storage::decode_piece_label(label)) return piece->endpoint;
    return label;
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
                                ? ": store is in use by a running node; stop it first"
                                : ": cannot be read, or its lock cannot be taken"));
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
    std::ranges::sort(store->bundles_, {},
                      [](const StoredBundle &bundle) { return bundle.head.arrival; });
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

void BundleCount::add(const RecordHead &head, const std::optional<storage::StripeLabel> &stripe,
                      bool damaged) {
    if (!stripe) {
        whole_ += damaged ? 0 : 1;
        return;
    }
    stripes_ += damaged ? 0 : 1;
    const Whole bundle{head.identity, head.arrival, head.received, stripe->writing};
    (damaged ? damaged_ : striped_).insert(bundle);
}

std::uint64_t BundleCount::intact() const {
    const auto left = std::ranges::count_if(
        striped_, [this](const Whole &bundle) { return !damaged_.contains(bundle); });
    return whole_ + static_cast<std::uint64_t>(left);
}

void StoreFiles::take(const RestoredRecord &record) {
    StoredBundle bundle;
    bundle.head = record.head;
    bundle.at = record.at;
    bundle.label_size = static_cast<std::uint16_t>(record.label.size());
    bundle.damaged = record.damaged;
    bundle.stripe = storage::decode_stripe(record.label);
    const auto destination = storage::decode_label(endpoint_in(record.label));
    if (bundle.stripe) bundle.stripe->endpoint = {};
    bundle.destination = destination ? bp::to_string(*destination) : "?";
    bundles_.push_back(std::move(bundle));
}

const StoredBundle *StoreFiles::find(RecordNumber record) const {
    const auto found = std::ranges::find_if(
        bundles_, [record](const StoredBundle &bundle) { return bundle.at.number == record; });
    return found == bundles_.end() ? nullptr : &*found;
}

StoreFiles::Place StoreFiles::find_stripe(const StoredBundle &of, std::uint8_t number) {
    const auto wanted = [&](const StoredBundle &each) {
        return each.stripe && each.stripe->number == number &&
               each.stripe->count == of.stripe->count &&
               each.stripe->writing == of.stripe->writing &&
               each.head.identity == of.head.identity && each.head.arrival == of.head.arrival &&
               each.head.received == of.head.received;
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

bool StoreFiles::complete(const StoredBundle &bundle) {
    if (!bundle.stripe) return true;
    for (std::uint8_t number = 0; number < bundle.stripe->count; ++number)
        if (find_stripe(bundle, number).files == nullptr) return false;
    return true;
}

Result<Bytes, std::string> StoreFiles::read(const StoredBundle &bundle) {
    if (!bundle.stripe) return read_record(bundle);
    if (!complete(bundle))
        return fail("record " + name_of(bundle.at.number) + ": one of " +
                    std::to_string(bundle.stripe->count) +
                    " stripes; name the folders of the other disks with --other-disk");
    Bytes whole;
    for (std::uint8_t number = 0; number < bundle.stripe->count; ++number) {
        const Place place = find_stripe(bundle, number);
        const auto part = place.files->read_record(*place.record);
        if (!part) return part;
        append(whole, *part);
    }
    return whole;
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
        return fail(name + ": damaged");
    return Bytes(payload.begin(), payload.end());
}

}  // namespace farlink::ctl
