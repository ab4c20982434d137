// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/queries/stored_bundle_queries.hpp"

#include <algorithm>
#include <utility>

#include "common/bp/parse.hpp"
#include "common/history/history_reader.hpp"
#include "module/storage/core/index/endpoint_label.hpp"
#include "module/storage/core/state/first_piece.hpp"

namespace farlink::storage {
namespace {

constexpr unsigned kPlaceShift = 32;

Bytes text(std::string_view words) {
    const ByteView octets = as_bytes(words);
    return {octets.begin(), octets.end()};
}

bus::StoredState published(EntryState state) {
    switch (state) {
        case EntryState::kReading:
        case EntryState::kReleased:
            return bus::StoredState::kLeaving;
        case EntryState::kInCustody:
            return bus::StoredState::kInCustody;
        case EntryState::kExceedsContacts:
            return bus::StoredState::kExceedsContacts;
        case EntryState::kQuarantined:
            return bus::StoredState::kUnreadable;
        case EntryState::kGathered:
            return bus::StoredState::kGathered;
        default:
            return bus::StoredState::kWaiting;
    }
}

}  // namespace

std::uint64_t name_of(const EntryTable &entries, EntryIndex index) {
    return ((std::uint64_t{index} + 1) << kPlaceShift) |
           static_cast<std::uint32_t>(entries[index].arrival);
}

EntryIndex find_named(const EntryTable &entries, std::uint64_t name) {
    const std::uint64_t place = name >> kPlaceShift;
    if (place == 0 || place > entries.places()) return kNoEntry;
    const auto index = static_cast<EntryIndex>(place - 1);
    const bool held = entries[index].state() != EntryState::kFree;
    return held && name_of(entries, index) == name ? index : kNoEntry;
}

std::uint64_t name_of_set(const FragmentSets &sets, SetIndex index) {
    return ((std::uint64_t{index} + 1) << kPlaceShift) |
           static_cast<std::uint32_t>(sets[index].key.high);
}

// ---- requests
// ------------------------------------------------------------------------------------

void StoredBundleQueries::handle(const bus::StoreRequest &request) {
    if (waiting_.size() < kMostWaiting) {
        waiting_.push_back(request);
        return begin();
    }
    bus::StoreReply refusal;
    refusal.id = request.id;
    refusal.error = text("too many requests for the store are queued; try again");
    context_.send(bus::AgentId::kSupervisor, std::move(refusal));
}

void StoredBundleQueries::begin() {
    while (phase_ == Phase::kIdle && !waiting_.empty()) {
        request_ = waiting_.pop_front();
        ++serial_;
        reply_ = {};
        reply_.id = request_.id;
        reply_.last = request_.after;
        destination_.reset();
        if (request_.verb == bus::StoreVerb::kFind)
            name_found();
        else
            destination_ = bp::EidPattern::parse(as_text(request_.destination));
        taken_ = 0;
        // Names count places from 1, so this is the place behind that bundle.
        place_ = request_.bundles.empty() ? request_.after >> kPlaceShift : 0;
        phase_ = Phase::kLooking;
        if (request_.verb == bus::StoreVerb::kFind) {
            if (!request_.bundles.empty()) return;
        } else {
            if (request_.destination.empty() || destination_) return;
            reply_.error =
                text("the destination is neither an endpoint nor a pattern that ends in *");
        }
        answer();
    }
}

/// The bundles of both versions that have the identity; one of fragments that are joined has none,
/// nor has an administrative record.
void StoredBundleQueries::name_found() {
    request_.bundles.clear();
    const auto query = history::parse_bundle_query(as_text(request_.destination));
    if (!query || !query->sequence || !query->creation_time) return;
    bp::BundleView view;
    view.source = query->source.view();
    view.creation_time = *query->creation_time;
    view.sequence = *query->sequence;
    view.is_fragment = query->fragment.has_value();
    view.fragment_offset = query->fragment ? query->fragment->offset : 0;
    view.payload_length = query->fragment ? query->fragment->length : 0;
    for (const std::uint8_t version : {std::uint8_t{7}, bp::kBpVersion6}) {
        view.version = version;
        const EntryIndex held = context_.inventory.find(identity_of_(view));
        if (held != kNoEntry)
            request_.bundles.push_back(name_of(context_.inventory.entries(), held));
    }
}

TimePoint StoredBundleQueries::next_timeout() const {
    if (phase_ == Phase::kIdle) return kNever;
    return phase_ == Phase::kLooking ? TimePoint{} : read_until_;
}

void StoredBundleQueries::handle_timeout(TimePoint now) {
    if (phase_ == Phase::kReading && now >= read_until_) return answer();
    if (phase_ != Phase::kLooking) return;
    const std::size_t end = std::min(place_ + kLookAtOnce, places());
    judged_ = kNoFlow;  // it may have gone since, and another one got its number
    if (request_.verb == bus::StoreVerb::kSets)
        look_at_sets(end, now);
    else
        look_at_bundles(end, now);
}

// ---- looking
// -------------------------------------------------------------------------------------

std::size_t StoredBundleQueries::places() const {
    if (request_.verb == bus::StoreVerb::kSets) return context_.fragments.sets().places();
    return request_.bundles.empty() ? context_.inventory.entries().places()
                                    : request_.bundles.size();
}

void StoredBundleQueries::look_at_bundles(std::size_t end, TimePoint now) {
    const std::uint64_t deleted_before = reply_.deleted;
    for (; place_ < end; ++place_) {
        const EntryIndex index = bundle_at(place_);
        if (index == kNoEntry) continue;
        if (limit_reached(now)) return;
        take(index);
        if (reply_.deleted - deleted_before == kDeleteAtOnce) {
            ++place_;
            return;
        }
    }
    if (place_ >= places()) finish_looking(now);
}

void StoredBundleQueries::look_at_sets(std::size_t end, TimePoint now) {
    const FragmentSets &sets = context_.fragments.sets();
    std::size_t fragments = 0;
    for (; place_ < end && fragments < kFragmentsAtOnce; ++place_) {
        const auto set = static_cast<SetIndex>(place_);
        fragments += sets[set].pieces.size();
        const EntryIndex first = set_at(place_);
        if (first == kNoEntry) continue;
        if (limit_reached(now)) return;
        list_set(set, first);
    }
    if (place_ >= places()) finish_looking(now);
}

/// There is one more than were asked for.
bool StoredBundleQueries::limit_reached(TimePoint now) {
    if (taken_ < request_.limit) return false;
    reply_.more = true;
    finish_looking(now);
    return true;
}

/// The bundle there, if it is meant.
EntryIndex StoredBundleQueries::bundle_at(std::size_t place) {
    const EntryTable &entries = context_.inventory.entries();
    const EntryIndex index = request_.bundles.empty()
                                 ? static_cast<EntryIndex>(place)
                                 : find_named(entries, request_.bundles[place]);
    return index != kNoEntry && is_meant(entries[index]) ? index : kNoEntry;
}

/// The first flushed fragment of the set there, if it is meant.
EntryIndex StoredBundleQueries::set_at(std::size_t place) {
    const auto &pieces = context_.fragments.sets()[static_cast<SetIndex>(place)].pieces;
    const auto first = std::ranges::find_if(pieces, &FragmentPiece::flushed);
    if (first == pieces.end()) return kNoEntry;
    return is_meant(context_.inventory.entry(first->entry)) ? first->entry : kNoEntry;
}

/// What is being written is not held yet, and what is deleted already, held no more.
bool StoredBundleQueries::is_meant(const Entry &entry) {
    if (entry.state() == EntryState::kFree || entry.state() == EntryState::kExpiring) return false;
    // The fragments of a bundle are listed, its pieces are not.
    if (!entry.counts() && entry.state() != EntryState::kQuarantined) return false;
    const bool shown =
        request_.verb == bus::StoreVerb::kList || request_.verb == bus::StoreVerb::kFind;
    if (entry.state() == EntryState::kWriting && shown) return false;
    return !destination_ || (entry.flow != kNoFlow && covers(entry.flow));
}

/// Bundles of a flow often lie one behind another.
bool StoredBundleQueries::covers(FlowIndex flow) {
    if (judged_ == flow) return judged_covered_;
    const auto endpoint = decode_label(context_.inventory.destinations().label_of(flow));
    judged_ = flow;
    judged_covered_ = endpoint && destination_->matches(*endpoint);
    return judged_covered_;
}

void StoredBundleQueries::take(EntryIndex index) {
    reply_.last = name_of(context_.inventory.entries(), index);
    if (request_.verb == bus::StoreVerb::kDelete) return remove(index);
    ++taken_;
    reply_.bundles.push_back(row_of(index));
}

void StoredBundleQueries::list_set(SetIndex index, EntryIndex first) {
    ++taken_;
    const FragmentSet &set = context_.fragments.sets()[index];
    bus::StoredSet listed;
    listed.set = reply_.last = name_of_set(context_.fragments.sets(), index);
    listed.first = row_of(first);
    if (set.whole != kNoEntry) {
        listed.state = state_of(set.whole);
        listed.first.expires = context_.inventory.entry(set.whole).expiry;
    }
    listed.total_bytes = listed.stored_bytes = set.total;
    listed.fragments = set.pieces.size();
    for (const bp::FragmentExtent &gap : set.gaps(set.pieces.size() + 1)) {
        ++listed.gaps;
        listed.stored_bytes -= gap.length;
        if (listed.missing.size() < kMostGaps)
            listed.missing.push_back({gap.offset, gap.offset + gap.length});
    }
    reply_.sets.push_back(std::move(listed));
}

bus::StoredBundle StoredBundleQueries::row_of(EntryIndex index) const {
    const Entry &entry = context_.inventory.entry(index);
    bus::StoredBundle row;
    row.bundle = name_of(context_.inventory.entries(), index);
    row.state = state_of(index);
    row.custody = entry.in_custody();
    row.disk = disk_of(index);
    row.bytes = entry.bytes();
    row.expires = entry.expiry;
    if (entry.flow == kNoFlow) return row;
    row.priority = context_.inventory.destinations().flow(entry.flow).priority;
    const auto label = context_.inventory.destinations().label_of(entry.flow);
    row.destination = text(bp::to_string(decode_label(label).value_or(bp::EidView{})));
    return row;
}

bus::StoredState StoredBundleQueries::state_of(EntryIndex index) const {
    const EntryState state = context_.inventory.entry(index).state();
    if (state == EntryState::kCritical && context_.critical.any(index, CriticalCopy::State::kLent))
        return bus::StoredState::kLeaving;
    if (state == EntryState::kExceedsContacts &&
        context_.refused.knows(context_.inventory.entries().handle_of(index)))
        return context_.refused.is_too_large(context_.inventory.entries().handle_of(index))
                   ? bus::StoredState::kTooLarge
                   : bus::StoredState::kRefused;
    return published(state);
}

DiskIndex StoredBundleQueries::disk_of(EntryIndex index) const {
    return head_record_of(index).record.disk;
}

/// Of a bundle in stripes or pieces the first one. One that is joined of fragments has none.
StoredBundleQueries::HeadRecord StoredBundleQueries::head_record_of(EntryIndex index) const {
    const Inventory &inventory = context_.inventory;
    const Entry &entry = inventory.entries()[index];
    if (entry.spooled && entry.joined) index = context_.fragments.piece_at(index, 0);
    HeadRecord head;
    inventory.for_each_record(index, [&head](const StoredRecord &record) {
        if (head.record.bytes == 0) head.record = record;
    });
    head.bytes = head.record.bytes;
    if (head.bytes == 0) return head;
    const bool whole = !entry.spooled && !entry.striped() && head.bytes <= kLargestReadBytes;
    if (whole) return head;
    head.from = kRecordHeaderBytes + inventory.label_bytes_of(index);
    head.bytes = std::min<std::uint64_t>(head.record.bytes - head.from, kLargestHeadBytes);
    return head;
}

void StoredBundleQueries::remove(EntryIndex index) {
    // A flow may go with its last bundle, and another one get its number.
    judged_ = kNoFlow;
    const std::uint64_t bytes = context_.inventory.entry(index).bytes();
    switch (remover_.remove_by_operator(index, request_.force)) {
        case Remover::Removal::kDone:
            ++taken_;
            ++reply_.deleted;
            reply_.deleted_bytes += bytes;
            return;
        case Remover::Removal::kBusy:
            ++reply_.kept;
            return;
        case Remover::Removal::kInCustody:
            ++reply_.kept_in_custody;
            return;
    }
}

void StoredBundleQueries::finish_looking(TimePoint now) {
    want_heads();
    phase_ = Phase::kReading;
    read_until_ = now + kReadWithin;
    if (all_read()) answer();
}

// ---- heads
// ---------------------------------------------------------------------------------------

/// One row of the reply has one bundle; of a set that is its first fragment.
std::size_t StoredBundleQueries::row_count() const {
    return reply_.bundles.size() + reply_.sets.size();
}

bus::StoredBundle &StoredBundleQueries::row_at(std::size_t at) {
    return reply_.sets.empty() ? reply_.bundles[at] : reply_.sets[at].first;
}

void StoredBundleQueries::want_heads() {
    const Inventory &inventory = context_.inventory;
    const std::size_t end = std::min(row_count(), kMostHeads);
    std::uint64_t bytes = 0;
    for (std::uint32_t at = 0; at < end; ++at) {
        const bus::StoredBundle &bundle = row_at(at);
        if (bundle.state == bus::StoredState::kUnreadable) continue;
        const EntryIndex index = find_named(inventory.entries(), bundle.bundle);
        if (index == kNoEntry) continue;
        const std::uint64_t more = head_record_of(index).bytes;
        if (more == 0 || bytes + more > kMostHeadReadBytes) continue;
        bytes += more;
        heads_[bundle.disk].push_back(at);
    }
    for (std::vector<std::uint32_t> &of_disk : heads_) std::ranges::reverse(of_disk);
}

// A bundle may have gone or moved meanwhile: where it lies is looked up now. Whole records and
// beginnings of records are read apart.
DiskRequestPtr StoredBundleQueries::poll_read(DiskIndex disk, TimePoint now) {
    std::vector<std::uint32_t> &rows = heads_[disk];
    if (phase_ != Phase::kReading || reading_[disk] != 0 || rows.empty() || now >= read_until_)
        return nullptr;
    const Inventory &inventory = context_.inventory;
    DiskRequestPtr request = context_.requests.acquire(DiskVerb::kRead);
    request->tag = kTag;
    std::uint64_t bytes = 0;
    for (; !rows.empty(); rows.pop_back()) {
        const EntryIndex index = find_named(inventory.entries(), row_at(rows.back()).bundle);
        if (index == kNoEntry) continue;
        const EntryState state = inventory.entries()[index].state();
        if (state == EntryState::kWriting || state == EntryState::kQuarantined) continue;
        const HeadRecord head = head_record_of(index);
        if (head.record.at.number == 0 || head.record.disk != disk) continue;
        const DiskVerb verb = head.from > 0 ? DiskVerb::kReadPart : DiskVerb::kRead;
        if (request->records.empty()) request->verb = verb;
        if (verb != request->verb || bytes + head.bytes > kLargestReadBytes) break;
        DiskRecord record;
        record.at = head.record.at;
        record.from = head.from;
        record.entry = serial_;
        record.place = rows.back();
        record.buffer = {static_cast<std::uint8_t *>(nullptr), head.bytes};
        request->records.push_back(record);
        bytes += head.bytes;
    }
    if (request->records.empty()) {
        context_.requests.recycle(std::move(request));
        if (all_read()) answer();
        return nullptr;
    }
    request->slab = context_.slabs.acquire_sized(static_cast<std::uint32_t>(bytes));
    std::uint8_t *at = request->slab->data;
    for (DiskRecord &record : request->records) {
        record.buffer = {at, record.buffer.size()};
        at += record.buffer.size();
    }
    reading_[disk] = serial_;
    return request;
}

void StoredBundleQueries::handle_read_done(DiskIndex disk, DiskRequestPtr request) {
    reading_[disk] = 0;
    if (phase_ == Phase::kReading)
        for (const DiskRecord &record : request->records) note_head(record);
    context_.requests.recycle(std::move(request));
    if (phase_ == Phase::kReading && all_read()) answer();
}

/// An unreadable bundle is listed without its head; it is quarantined when it is read for a link.
void StoredBundleQueries::note_head(const DiskRecord &record) {
    if (record.entry != serial_ || record.status != DiskStatus::kOk) return;
    const auto view =
        record.from > 0 ? read_first_piece(record.octets) : bp::parse_again({&record.octets, 1});
    if (!view || view->head_end > kLargestHeadBytes) return;
    const ByteView head = record.octets.first(view->head_end);
    row_at(record.place).head.assign(head.begin(), head.end());
}

bool StoredBundleQueries::all_read() const {
    return std::ranges::count(reading_, serial_) == 0 &&
           std::ranges::all_of(heads_, &std::vector<std::uint32_t>::empty);
}

void StoredBundleQueries::answer() {
    for (std::vector<std::uint32_t> &of_disk : heads_) of_disk.clear();
    context_.send(bus::AgentId::kSupervisor, std::exchange(reply_, {}));
    phase_ = Phase::kIdle;
    begin();
}

}  // namespace farlink::storage
