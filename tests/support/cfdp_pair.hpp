// SPDX-License-Identifier: Apache-2.0
// Two CFDP entities with files in memory, and a path between them that loses, repeats and reorders.
// Owned by a test; one thread.
// The clock is virtual, and a seed gives the same run.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "cfdp/core/entity.hpp"
#include "common/base/random.hpp"
#include "tests/support/octets.hpp"

namespace farlink::test {

class MemoryFilestore final : public cfdp::Filestore {
public:
    std::map<std::string, Bytes> files{};
    std::map<cfdp::TransactionId, Bytes> states{};
    std::map<cfdp::TransactionId, Bytes> copies{};
    std::set<std::string> forbidden{};
    std::vector<cfdp::FilestoreRequest> executed{};
    cfdp::FilestoreResult result = cfdp::FilestoreResult::kDone;  ///< of each request
    std::uint64_t room = ~std::uint64_t{0};
    unsigned delivered = 0;
    unsigned syncs = 0;
    unsigned open_copies = 0;
    bool broken = false;
    bool slow = false;     ///< syncs end when the test calls Entity::handle_synced()
    bool syncing = false;  ///< one has been started
    /// Called after each change; a test that kills the process throws.
    std::function<void()> written{};

    Result<std::unique_ptr<cfdp::SourceFile>, cfdp::FileFault> open(
        const std::string &name) override {
        const auto found = files.find(name);
        if (found == files.end()) return fail(cfdp::FileFault::kName);
        return std::make_unique<Source>(found->second);
    }
    Result<std::unique_ptr<cfdp::ArrivingCopy>, cfdp::FileFault> create(
        const cfdp::TransactionId &id) override {
        copies[id].clear();
        return reopen(id);
    }
    std::unique_ptr<cfdp::ArrivingCopy> reopen(const cfdp::TransactionId &id) {
        return std::make_unique<Copy>(*this, id);
    }
    bool start_sync(cfdp::SyncScope) override {
        if (slow) {
            ++syncs;
            syncing = true;
        }
        return slow;
    }
    Result<void, cfdp::FileFault> sync(cfdp::SyncScope) override {
        ++syncs;
        if (broken) return fail(cfdp::FileFault::kOther);
        return {};
    }
    Result<void, cfdp::FileFault> save(const cfdp::TransactionId &id, ByteView state) override {
        if (broken) return fail(cfdp::FileFault::kOther);
        states[id].assign(state.begin(), state.end());
        note_write();
        return {};
    }
    bool is_allowed(cfdp::EntityId, const std::string &name) const override {
        return !forbidden.contains(name);
    }
    cfdp::FilestoreResult execute(cfdp::EntityId, const cfdp::FilestoreRequest &request) override {
        executed.push_back(request);
        note_write();
        return result;
    }
    Result<std::string, cfdp::FileFault> list(cfdp::EntityId, const std::string &folder) override {
        if (forbidden.contains(folder)) return fail(cfdp::FileFault::kName);
        return "listing of " + folder;
    }
    std::string name_for_open(cfdp::EntityId, const std::string &name) const override {
        return name;
    }

private:
    void note_write() const {
        if (written) written();
    }

    class Source final : public cfdp::SourceFile {
    public:
        explicit Source(Bytes content) : content_(std::move(content)) {}
        std::uint64_t size() const override { return content_.size(); }
        Result<Bytes, cfdp::FileFault> read(std::uint64_t offset, std::size_t size) override {
            const auto begin = content_.begin() + static_cast<std::ptrdiff_t>(offset);
            return Bytes(begin, begin + static_cast<std::ptrdiff_t>(size));
        }

    private:
        Bytes content_;
    };

    class Copy final : public cfdp::ArrivingCopy {
    public:
        Copy(MemoryFilestore &store, cfdp::TransactionId id) : store_(store), id_(id) {
            ++store_.open_copies;
        }
        Copy(const Copy &) = delete;
        Copy &operator=(const Copy &) = delete;
        ~Copy() override { --store_.open_copies; }
        Result<void, cfdp::FileFault> write(std::uint64_t offset, ByteView data) override {
            Bytes &content = store_.copies[id_];
            if (offset + data.size() > store_.room) return fail(cfdp::FileFault::kNoSpace);
            if (content.size() < offset + data.size()) content.resize(offset + data.size());
            std::ranges::copy(data, content.begin() + static_cast<std::ptrdiff_t>(offset));
            return {};
        }
        Result<void, cfdp::FileFault> save(ByteView state) override {
            store_.states[id_].assign(state.begin(), state.end());
            store_.note_write();
            return {};
        }
        Result<std::string, cfdp::FileFault> finish(const std::string &name) override {
            store_.files[name] = std::move(store_.copies[id_]);
            store_.copies.erase(id_);
            ++store_.delivered;
            store_.note_write();
            return name;
        }
        void discard() override {
            store_.copies.erase(id_);
            store_.states.erase(id_);
        }

    private:
        MemoryFilestore &store_;
        cfdp::TransactionId id_;
    };
};

struct PathFaults {
    unsigned loss_percent = 0;
    unsigned repeat_percent = 0;
    Duration shortest = milliseconds(10);
    Duration longest = milliseconds(10);  ///< greater: PDUs overtake each other
};

class CfdpPair {
public:
    static constexpr cfdp::EntityId kA = 1;
    static constexpr cfdp::EntityId kB = 2;

    struct End {
        explicit End(cfdp::EntityId id) : entity({.local = id}, store) {}
        MemoryFilestore store;
        cfdp::Entity entity;
        std::vector<cfdp::Report> ended;
    };

    CfdpPair(std::uint64_t seed, PathFaults faults, cfdp::RemoteSettings settings = {})
        : random(seed), faults_(faults) {
        settings.entity = kB;
        a->entity.set_remote(settings);
        settings.entity = kA;
        b->entity.set_remote(settings);
    }

    cfdp::TransactionId put(std::size_t size, cfdp::PutRequest request, std::uint64_t number = 1) {
        a->store.files["source"] = octets_of(size, random.next());
        request.destination = kB;
        request.source_name = "source";
        if (request.destination_name.empty()) request.destination_name = "copy";
        return *a->entity.put(request, number);
    }

    /// Until both have ended all, or the time is over.
    bool run(Duration longest = seconds(100'000)) {
        const TimePoint end = now + longest;
        while (true) {
            drain(*a, kB);
            drain(*b, kA);
            if (a->entity.active() + b->entity.active() == 0 && wire_.empty()) return true;
            TimePoint next = std::min(a->entity.next_timeout(), b->entity.next_timeout());
            if (!wire_.empty()) next = std::min(next, wire_.begin()->first);
            if (next == kNever || next > end) return false;
            now = std::max(now, next);
            step();
        }
    }

    Random random;
    TimePoint now{};
    std::unique_ptr<End> a = std::make_unique<End>(kA);
    std::unique_ptr<End> b = std::make_unique<End>(kB);
    bool cut = false;  ///< nothing passes
    std::uint64_t pdus = 0;
    std::vector<Bytes> seen{};  ///< all PDUs
    /// May change a PDU, or drop it with false.
    std::function<bool(Bytes &)> filter{};

private:
    void drain(End &from, cfdp::EntityId to) {
        while (auto pdu = from.entity.poll_pdu(to, now)) {
            ++pdus;
            seen.push_back(*pdu);
            if (cut || (filter && !filter(*pdu))) continue;
            if (!random.chance(faults_.loss_percent, 100)) carry(to, *pdu);
            if (random.chance(faults_.repeat_percent, 100)) carry(to, *pdu);
        }
        for (cfdp::Report &each : from.entity.take_ended()) from.ended.push_back(std::move(each));
    }
    void carry(cfdp::EntityId to, const Bytes &pdu) {
        const auto range = static_cast<std::uint64_t>((faults_.longest - faults_.shortest).count());
        const Duration takes = faults_.shortest + nanoseconds(range == 0 ? 0 : random.below(range));
        wire_.emplace(now + takes, std::pair{to, pdu});
    }
    void step() {
        while (!wire_.empty() && wire_.begin()->first <= now) {
            const auto [to, pdu] = wire_.begin()->second;
            wire_.erase(wire_.begin());
            (to == kA ? a : b)->entity.handle_pdu(pdu, to == kA ? kB : kA, now);
        }
        a->entity.handle_timeout(now);
        b->entity.handle_timeout(now);
    }

    PathFaults faults_;
    std::multimap<TimePoint, std::pair<cfdp::EntityId, Bytes>> wire_;
};

}  // namespace farlink::test
