// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/secured_bundle.hpp"

#include <algorithm>

#include "common/base/invariant.hpp"
#include "common/bp/base/slices.hpp"
#include "common/bp/bpsec/block/cbor_items.hpp"
#include "common/bp/bpsec/primary_crc.hpp"
#include "common/bp/v7/block_numbers.hpp"

namespace farlink::bp::bpsec {
namespace {

using codec::CborReader;

std::uint64_t security_type(Service service) {
    return service == Service::kIntegrity ? v7::kIntegrityBlock : v7::kConfidentialityBlock;
}

/// RFC 9172 sections 3.7 and 3.8: what may be a target.
Verdict check_target(Service service, const Part &block, const Part &target) {
    if (target.is_confidentiality()) return fail(Fault::kTargetIsSecurity);
    if (service == Service::kIntegrity)
        return target.is_integrity() ? Verdict(fail(Fault::kTargetIsSecurity)) : Verdict();
    if (target.is_payload() && (block.flags & v7::kReplicateBlock) == 0)
        return fail(Fault::kNotReplicated);
    return {};
}

std::uint64_t size_of(std::span<const ByteView> pieces) {
    return total_size(pieces);
}

/// The head of a payload block up to its data.
void append_payload_head(const Part &part, std::uint64_t size, Bytes &to) {
    to.push_back(part.crc_type == v7::CrcType::kNone ? 0x85 : 0x86);
    for (const std::uint64_t field :
         {part.type, part.number, part.flags, static_cast<std::uint64_t>(part.crc_type)})
        codec::append_cbor_head(to, codec::CborMajor::kUnsigned, field);
    codec::append_cbor_head(to, codec::CborMajor::kBytes, size);
}

void append_block(const Part &part, Bytes &to) {
    const std::size_t begin = to.size();
    to.resize(begin + v7::kBlockOverhead + part.data.size());
    const std::uint8_t *const end =
        v7::write_block(&to[begin], part.type, part.number, part.flags, part.crc_type, part.data);
    to.resize(static_cast<std::size_t>(end - to.data()));
}

/// What follows the payload's data: its CRC over all of its block, and the end of the bundle.
void append_payload_tail(v7::CrcType type, ByteView head, std::span<const ByteView> pieces,
                         Bytes &to) {
    if (type != v7::CrcType::kNone) {
        v7::BlockCrc crc(type);
        crc.add(head);
        for (const ByteView piece : pieces) crc.add(piece);
        const auto size = static_cast<std::uint8_t>(v7::crc_size(type));
        const std::uint8_t string_head[] = {static_cast<std::uint8_t>(0x40 | size)};
        crc.add(string_head);
        const std::uint32_t value = crc.finish(false);
        to.push_back(string_head[0]);
        for (unsigned i = size; i > 0; --i)
            to.push_back(static_cast<std::uint8_t>(value >> (8 * (i - 1))));
    }
    to.push_back(codec::kCborBreak);
}

}  // namespace

Verdict SecuredBundle::read(std::span<const ByteView> slices, const BundleView &view) {
    parts_.clear();
    payload_.clear();
    memory_.clear();
    security_count_ = 0;
    primary_signed_ = primary_was_signed_ = payload_changed_ = false;
    is_fragment_ = view.is_fragment;
    if (view.version != 7 || slices.empty() || slices[0].size() < view.payload_offset)
        return fail(Fault::kBadBundle);
    if (const Verdict read = read_parts(slices[0], view); !read) return read;
    if (const Verdict read = read_payload(slices, view); !read) return read;
    // A BCB shows which BIBs cannot be read.
    if (const Verdict read = read_service(Service::kConfidentiality); !read) return read;
    return read_service(Service::kIntegrity);
}

Verdict SecuredBundle::read_parts(ByteView head, const BundleView &view) {
    if (const Verdict read = read_primary(head.subspan(1, view.primary_end - 1)); !read)
        return read;
    CborReader reader(head.subspan(view.primary_end, view.head_end - view.primary_end));
    for (v7::Block block; !reader.done();) {
        if (!v7::read_block(reader, block)) return fail(Fault::kBadBundle);
        Part part;
        part.type = block.head.type;
        part.number = block.head.number;
        part.flags = block.head.flags;
        part.crc_type = block.head.crc_type;
        part.data = block.data;
        part.octets = block.octets;
        parts_.push_back(part);
    }
    return {};
}

Verdict SecuredBundle::read_primary(ByteView primary) {
    primary_ = canonical_primary_ = primary;
    primary_has_crc_ = primary_crc_type(primary) != v7::CrcType::kNone;
    if (is_deterministic_array(primary)) return {};
    Bytes canonical;
    if (!write_deterministic(primary, canonical)) return fail(Fault::kBadBundle);
    canonical_primary_ = own(std::move(canonical));
    return {};
}

Verdict SecuredBundle::read_payload(std::span<const ByteView> slices, const BundleView &view) {
    CborReader reader(slices[0].subspan(view.head_end));
    v7::BlockHead head;
    if (!v7::read_block_head(reader, head)) return fail(Fault::kBadBundle);
    Part part;
    part.type = head.type;
    part.number = head.number;
    part.flags = head.flags;
    part.crc_type = head.crc_type;
    parts_.push_back(part);
    payload_head_ = {slices[0].data() + view.head_end, reader.at()};
    payload_size_ = view.payload_length;
    const std::uint64_t end = view.payload_offset + view.payload_length;
    for_each_piece(slices, view.payload_offset, end,
                   [&](ByteView piece) { payload_.push_back(piece); });
    payload_tail_.clear();
    for_each_piece(slices, end, view.size, [&](ByteView piece) { append(payload_tail_, piece); });
    return {};
}

/// Reads the blocks of one service that are not encrypted themselves.
Verdict SecuredBundle::read_service(Service service) {
    for (const Part &part : parts_) {
        if (part.type != security_type(service) || part.encrypted) continue;
        SecurityPart &security = next_security();
        security.number = part.number;
        security.service = service;
        if (const Verdict read = read_security_block(part.data, security.block); !read) return read;
        if (const Verdict noted = note_targets(security, part); !noted) return noted;
    }
    return {};
}

/// Checks the rules about targets, and marks them.
Verdict SecuredBundle::note_targets(const SecurityPart &security, const Part &block) {
    const bool encrypts = security.service == Service::kConfidentiality;
    if (encrypts && (block.flags & v7::kDiscardBlockIfUnprocessable) != 0)
        return fail(Fault::kMayBeDiscarded);
    for (const SecurityTarget &target : security.block.targets) {
        if (target.number == 0) {
            if (encrypts) return fail(Fault::kTargetIsPrimary);
            if (primary_signed_) return fail(Fault::kServiceTwice);
            primary_signed_ = primary_was_signed_ = true;
            continue;
        }
        Part *const part = part_of(target.number);
        if (part == nullptr) {
            // A fragment has only some of its bundle's blocks (RFC 9171 section 5.8).
            if (is_fragment_) continue;
            return fail(Fault::kTargetMissing);
        }
        if (const Verdict allowed = check_target(security.service, block, *part); !allowed)
            return allowed;
        bool &mark = encrypts ? part->encrypted : part->is_signed;
        if (mark) return fail(Fault::kServiceTwice);
        mark = true;
        if (encrypts) part->was_encrypted = true;
    }
    return {};
}

SecurityPart &SecuredBundle::next_security() {
    if (security_count_ == security_.size()) security_.emplace_back();
    return security_[security_count_++];
}

Part *SecuredBundle::part_of(std::uint64_t number) {
    if (number == 0) return nullptr;
    const auto found = std::ranges::find(parts_, number, &Part::number);
    return found == parts_.end() ? nullptr : &*found;
}

const Part *SecuredBundle::find(std::uint64_t number) const {
    if (number == 0) return nullptr;
    const auto found = std::ranges::find(parts_, number, &Part::number);
    return found == parts_.end() ? nullptr : &*found;
}

const SecurityPart *SecuredBundle::find_security(std::uint64_t number) const {
    const auto found = std::ranges::find(security(), number, &SecurityPart::number);
    return found == security().end() ? nullptr : &*found;
}

const SecurityPart *SecuredBundle::find(const Operation &operation) const {
    const SecurityPart *const security = find_security(operation.block);
    const bool matches = security != nullptr && security->service == operation.service &&
                         security->block.has_target(operation.target);
    return matches ? security : nullptr;
}

void SecuredBundle::list_operations(std::vector<Operation> &to) const {
    to.clear();
    for (const Service service : {Service::kConfidentiality, Service::kIntegrity})
        for (const SecurityPart &security : this->security()) {
            if (security.service != service) continue;
            for (const SecurityTarget &target : security.block.targets)
                to.push_back({service, security.number, target.number});
        }
}

bool SecuredBundle::has(Service service, std::uint64_t target) const {
    return std::ranges::any_of(security(), [&](const SecurityPart &security) {
        return security.service == service && security.block.has_target(target);
    });
}

std::uint64_t SecuredBundle::lowest_free_number() const {
    v7::BlockNumbers numbers;
    for (const Part &part : parts_) (void)numbers.insert(part.number);
    return numbers.lowest_free();
}

void SecuredBundle::set_crc(std::uint64_t number, v7::CrcType type) {
    if (number == 0) return write_primary_crc(type);
    Part *const part = part_of(number);
    if (part == nullptr || part->crc_type == type) return;
    part->crc_type = type;
    part->octets = {};
    payload_changed_ |= part->is_payload();
}

void SecuredBundle::write_primary_crc(v7::CrcType type) {
    if (primary_crc_type(primary_) == type) return;
    primary_ = canonical_primary_ = own(with_crc_type(primary_, type));
    primary_has_crc_ = type != v7::CrcType::kNone;
}

void SecuredBundle::set_data(std::uint64_t number, ByteView data) {
    Part *const part = part_of(number);
    FARLINK_INVARIANT(part != nullptr && !part->is_payload());
    part->data = data;
    part->octets = {};
}

void SecuredBundle::set_payload(std::vector<ByteView> &&pieces) {
    payload_ = std::move(pieces);
    payload_size_ = size_of(payload_);
    payload_changed_ = true;
}

void SecuredBundle::set_encrypted(std::uint64_t number, bool encrypted) {
    Part *const part = part_of(number);
    if (part == nullptr) return;
    part->encrypted = encrypted;
    // What a BIB holds is out of reach as long as it is encrypted.
    if (encrypted && part->is_integrity()) {
        erase_security(number);
        refresh_signed();
    }
}

void SecuredBundle::add(const Part &part, Place place) {
    parts_.insert(place == Place::kFirst ? parts_.begin() : parts_.end() - 1, part);
}

Verdict SecuredBundle::add_security(std::uint64_t number, ByteView data) {
    const Part *const part = find(number);
    FARLINK_INVARIANT(part != nullptr);
    SecurityPart &security = next_security();
    security.number = number;
    security.service = part->is_integrity() ? Service::kIntegrity : Service::kConfidentiality;
    Verdict verdict = read_security_block(data, security.block);
    if (verdict) verdict = note_targets(security, *part);
    if (verdict) return {};
    --security_count_;
    refresh_signed();
    return verdict;
}

void SecuredBundle::remove(const Operation &operation) {
    const SecurityPart *const found = find(operation);
    if (found == nullptr) return;
    SecurityPart &security = security_[static_cast<std::size_t>(found - security_.data())];
    std::vector<SecurityTarget> &targets = security.block.targets;
    targets.erase(targets.begin() +
                  static_cast<std::ptrdiff_t>(security.block.index_of(operation.target)));
    if (Part *const target = part_of(operation.target); target != nullptr) {
        if (operation.service == Service::kConfidentiality)
            target->encrypted = false;
        else
            target->is_signed = false;
    } else if (operation.target == 0) {
        primary_signed_ = false;
    }
    if (!targets.empty()) return rewrite(security);
    erase_part(operation.block);
    erase_security(operation.block);
}

void SecuredBundle::discard(std::uint64_t number) {
    const Part *const part = find(number);
    FARLINK_INVARIANT(part != nullptr && !part->is_payload());
    std::vector<Operation> operations;
    list_operations(operations);
    for (const Operation &operation : operations)
        if (operation.target == number) remove(operation);
    erase_security(number);
    erase_part(number);
    refresh_signed();
}

void SecuredBundle::rewrite(const SecurityPart &security) {
    Bytes data;
    write_security_block(security.block, data);
    set_data(security.number, own(std::move(data)));
}

void SecuredBundle::erase_part(std::uint64_t number) {
    std::erase_if(parts_, [number](const Part &part) { return part.number == number; });
}

void SecuredBundle::erase_security(std::uint64_t number) {
    for (std::size_t i = 0; i < security_count_; ++i) {
        if (security_[i].number != number) continue;
        const auto at = security_.begin() + static_cast<std::ptrdiff_t>(i);
        std::rotate(at, at + 1, security_.begin() + static_cast<std::ptrdiff_t>(security_count_));
        --security_count_;
        return;
    }
}

/// From the BIBs that can be read.
void SecuredBundle::refresh_signed() {
    primary_signed_ = has(Service::kIntegrity, 0);
    for (Part &part : parts_) part.is_signed = has(Service::kIntegrity, part.number);
}

void SecuredBundle::render(Bytes &head, Bytes &tail) const {
    head.assign(1, codec::kCborIndefiniteArray);
    append(head, primary_);
    for (const Part &part : parts_) {
        if (part.is_payload()) break;
        if (part.octets.empty())
            append_block(part, head);
        else
            append(head, part.octets);
    }
    if (!payload_changed_) {
        append(head, payload_head_);
        tail = payload_tail_;
        return;
    }
    const std::size_t begin = head.size();
    append_payload_head(parts_.back(), payload_size_, head);
    tail.clear();
    append_payload_tail(parts_.back().crc_type, ByteView(head).subspan(begin), payload_, tail);
}

}  // namespace farlink::bp::bpsec
