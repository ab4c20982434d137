// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/stored_bundle_queries.hpp"

#include <algorithm>
#include <utility>

#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::storage {
namespace {

constexpr unsigned kPlaceShift = 32;

Bytes text(std::string_view words) {
    const ByteView octets = as_bytes(words);
    return {octets.begin(), octets.end()};
}

bus::StoredState state_of(EntryState state) {
    switch (state) {
        case EntryState::kReading:
        case EntryState::kReleased:
            return bus::StoredState::kLeaving;
        case EntryState::kInCustody:
            return bus::StoredState::kInCustody;
        case EntryState::kAside:
            return bus::StoredState::kAside;
        case EntryState::kQuarantined:
            return bus::StoredState::kUnreadable;
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
    const bool held = entries[index].state != EntryState::kFree;
    return held && name_of(entries, index) == name ? index : kNoEntry;
}

// ---- requests
// ------------------------------------------------------------------------------------

void StoreDesk::handle(const bus::StoreRequest &request) {
    if (waiting_.size() < kMostWaiting) {
        waiting_.push_back(request);
        return begin();
    }
    bus::StoreReply refusal;
    refusal.id = request.id;
    refusal.error = text("too many requests wait for the store; try again");
    shelf_.send(bus::AgentId::kSupervisor, std::move(refusal));
}

void StoreDesk::begin() {
    while (phase_ == Phase::kIdle && !waiting_.empty()) {
        request_ = waiting_.pop_front();
        ++serial_;
        reply_ = {};
        reply_.id = request_.id;
        reply_.last = request_.after;
        destination_ = bp::EidPattern::parse(as_text(request_.destination));
        taken_ = 0;
        // Names count places from 1, so this is the place behind that bundle.
        place_ = request_.bundles.empty() ? request_.after >> kPlaceShift : 0;
        phase_ = Phase::kLooking;
        if (request_.destination.empty() || destination_) return;
        reply_.error = text("the destination is neither an endpoint nor one that ends in *");
        answer();
    }
}

TimePoint StoreDesk::next_timeout() const {
    if (phase_ == Phase::kIdle) return kNever;
    return phase_ == Phase::kLooking ? TimePoint{} : read_until_;
}

void StoreDesk::handle_timeout(TimePoint now) {
    if (phase_ == Phase::kReading && now >= read_until_) return answer();
    if (phase_ != Phase::kLooking) return;
    const std::size_t end = std::min(place_ + kLookAtOnce, places());
    const std::uint64_t deleted_before = reply_.deleted;
    judged_ = kNoFlow;  // it may have gone since, and another one got its number
    for (; place_ < end; ++place_) {
        const EntryIndex index = bundle_at(place_);
        if (index == kNoEntry) continue;
        if (taken_ == request_.limit) {
            reply_.more = true;
            return finish_looking(now);
        }
        take(index);
        if (reply_.deleted - deleted_before == kDeleteAtOnce) {
            ++place_;
            return;
        }
    }
    if (place_ >= places()) finish_looking(now);
}

// ---- looking
// -------------------------------------------------------------------------------------

std::size_t StoreDesk::places() const {
    return request_.bundles.empty() ? shelf_.inventory.entries().places() : request_.bundles.size();
}

/// The bundle there, if it is meant.
EntryIndex StoreDesk::bundle_at(std::size_t place) {
    const EntryTable &entries = shelf_.inventory.entries();
    const EntryIndex index = request_.bundles.empty()
                                 ? static_cast<EntryIndex>(place)
                                 : find_named(entries, request_.bundles[place]);
    return index != kNoEntry && is_meant(entries[index]) ? index : kNoEntry;
}

/// What is being written is not held yet, and what is deleted already, held no more.
bool StoreDesk::is_meant(const Entry &entry) {
    if (entry.state == EntryState::kFree || entry.state == EntryState::kExpiring) return false;
    if (entry.state == EntryState::kWriting && request_.verb == bus::StoreVerb::kList) return false;
    return !destination_ || (entry.flow != kNoFlow && covers(entry.flow));
}

/// Bundles of a flow often lie one behind another.
bool StoreDesk::covers(FlowIndex flow) {
    if (judged_ == flow) return judged_covered_;
    const auto endpoint = decode_label(shelf_.inventory.destinations().label_of(flow));
    judged_ = flow;
    judged_covered_ = endpoint && destination_->matches(*endpoint);
    return judged_covered_;
}

void StoreDesk::take(EntryIndex index) {
    reply_.last = name_of(shelf_.inventory.entries(), index);
    if (request_.verb == bus::StoreVerb::kList)
        list(index);
    else
        remove(index);
}

void StoreDesk::list(EntryIndex index) {
    ++taken_;
    const Entry &entry = shelf_.inventory.entry(index);
    bus::StoredBundle row;
    row.bundle = reply_.last;
    row.state = state_of(entry.state);
    row.custody = entry.in_custody();
    row.disk = disk_of(index);
    row.bytes = entry.size;
    row.expires = entry.expiry;
    if (entry.state == EntryState::kCritical &&
        shelf_.critical.any(index, CriticalCopy::State::kLent))
        row.state = bus::StoredState::kLeaving;
    if (entry.state == EntryState::kAside &&
        shelf_.refused.knows(shelf_.inventory.entries().handle_of(index)))
        row.state = bus::StoredState::kRefused;
    if (entry.flow != kNoFlow) {
        row.priority = shelf_.inventory.destinations().flow(entry.flow).priority;
        const auto label = shelf_.inventory.destinations().label_of(entry.flow);
        row.destination = text(bp::to_string(decode_label(label).value_or(bp::EidView{})));
    }
    reply_.bundles.push_back(std::move(row));
}

/// Of a bundle in stripes that of the first one.
DiskIndex StoreDesk::disk_of(EntryIndex index) const {
    std::optional<DiskIndex> first;
    shelf_.inventory.for_each_record(index, [&first](const StoredRecord &record) {
        if (!first) first = record.disk;
    });
    return first.value_or(0);
}

void StoreDesk::remove(EntryIndex index) {
    // A flow may go with its last bundle, and another one get its number.
    judged_ = kNoFlow;
    const std::uint64_t bytes = shelf_.inventory.entry(index).size;
    switch (releaser_.remove_by_operator(index, request_.force)) {
        case Releaser::Removal::kDone:
            ++taken_;
            ++reply_.deleted;
            reply_.deleted_bytes += bytes;
            return;
        case Releaser::Removal::kBusy:
            ++reply_.kept;
            return;
        case Releaser::Removal::kInCustody:
            ++reply_.kept_in_custody;
            return;
    }
}

void StoreDesk::finish_looking(TimePoint now) {
    want_heads();
    phase_ = Phase::kReading;
    read_until_ = now + kReadWithin;
    if (all_read()) answer();
}

// ---- heads
// ---------------------------------------------------------------------------------------

void StoreDesk::want_heads() {
    const Inventory &inventory = shelf_.inventory;
    const std::size_t rows = std::min(reply_.bundles.size(), kMostHeads);
    std::uint64_t bytes = 0;
    for (std::uint32_t row = 0; row < rows; ++row) {
        const bus::StoredBundle &bundle = reply_.bundles[row];
        if (bundle.state == bus::StoredState::kUnreadable) continue;
        const EntryIndex index = find_named(inventory.entries(), bundle.bundle);
        if (index == kNoEntry || inventory.entries()[index].striped()) continue;
        const std::uint64_t more = inventory.record_bytes_of(index);
        if (more > kLargestReadBytes || bytes + more > kMostHeadReadBytes) continue;
        bytes += more;
        heads_[bundle.disk].push_back(row);
    }
    for (std::vector<std::uint32_t> &of_disk : heads_) std::ranges::reverse(of_disk);
}

// A bundle may have gone or moved meanwhile: where it lies is looked up now.
DiskRequestPtr StoreDesk::poll_read(DiskIndex disk, TimePoint now) {
    std::vector<std::uint32_t> &rows = heads_[disk];
    if (phase_ != Phase::kReading || reading_[disk] != 0 || rows.empty() || now >= read_until_)
        return nullptr;
    const Inventory &inventory = shelf_.inventory;
    DiskRequestPtr request = shelf_.requests.acquire(DiskVerb::kRead);
    request->tag = kTag;
    std::uint64_t bytes = 0;
    for (; !rows.empty(); rows.pop_back()) {
        const EntryIndex index =
            find_named(inventory.entries(), reply_.bundles[rows.back()].bundle);
        if (index == kNoEntry) continue;
        const EntryState state = inventory.entries()[index].state;
        const StoredRecord stored = inventory.record_on(disk, index);
        if (stored.at.number == 0 || state == EntryState::kWriting ||
            state == EntryState::kQuarantined)
            continue;
        if (bytes + stored.bytes > kLargestReadBytes) break;
        DiskRecord record;
        record.at = stored.at;
        record.entry = serial_;
        record.place = rows.back();
        record.buffer = {static_cast<std::uint8_t *>(nullptr), stored.bytes};
        request->records.push_back(record);
        bytes += stored.bytes;
    }
    if (request->records.empty()) {
        shelf_.requests.recycle(std::move(request));
        if (all_read()) answer();
        return nullptr;
    }
    request->slab = shelf_.slabs.acquire_sized(static_cast<std::uint32_t>(bytes));
    std::uint8_t *at = request->slab->data;
    for (DiskRecord &record : request->records) {
        record.buffer = {at, record.buffer.size()};
        at += record.buffer.size();
    }
    reading_[disk] = serial_;
    return request;
}

void StoreDesk::handle_read_done(DiskIndex disk, DiskRequestPtr request) {
    reading_[disk] = 0;
    if (phase_ == Phase::kReading)
        for (const DiskRecord &record : request->records) note_head(record);
    shelf_.requests.recycle(std::move(request));
    if (phase_ == Phase::kReading && all_read()) answer();
}

/// What cannot be read is listed without its head: whoever wants to send it will find out.
void StoreDesk::note_head(const DiskRecord &record) {
    if (record.entry != serial_ || record.status != DiskStatus::kOk) return;
    const auto view = bp::parse_again({&record.octets, 1});
    if (!view || view->head_end > kLargestHeadBytes) return;
    const ByteView head = record.octets.first(view->head_end);
    reply_.bundles[record.place].head.assign(head.begin(), head.end());
}

bool StoreDesk::all_read() const {
    return std::ranges::count(reading_, serial_) == 0 &&
           std::ranges::all_of(heads_, &std::vector<std::uint32_t>::empty);
}

void StoreDesk::answer() {
    for (std::vector<std::uint32_t> &of_disk : heads_) of_disk.clear();
    shelf_.send(bus::AgentId::kSupervisor, std::exchange(reply_, {}));
    phase_ = Phase::kIdle;
    begin();
}

}  // namespace farlink::storage
