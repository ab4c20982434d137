// SPDX-License-Identifier: Apache-2.0
// Hostile sets of fragments in storage against a plain array. Input: six octets a step, which are
// sequence and kind of step, offset, length, total length, what is changed in the payload, and how
// long the node runs.
#include <map>
#include <optional>
#include <vector>

#include "common/base/invariant.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v7/builder.hpp"
#include "tests/unit/module/storage/core/rig.hpp"

namespace {

using namespace farlink;
using test::Rig;

constexpr std::size_t kStep = 6;
constexpr NodeNumber kThisNode{10};

/// What is known of a data unit, octet by octet; what came first stays.
using Model = std::vector<std::optional<std::uint8_t>>;
using Models = std::map<std::pair<std::uint64_t, std::uint64_t>, Model>;

struct Fragment {
    std::uint64_t sequence = 0;
    std::uint64_t offset = 0;
    std::uint64_t total = 0;
    Bytes payload;
};

Fragment fragment_of(ByteView step) {
    Fragment fragment;
    fragment.sequence = step[0] % 4;
    fragment.total = 1 + step[3] % 64U;
    fragment.offset = step[1] % fragment.total;
    fragment.payload.resize(1 + step[2] % (fragment.total - fragment.offset));
    for (std::size_t i = 0; i < fragment.payload.size(); ++i)
        fragment.payload[i] = static_cast<std::uint8_t>(fragment.sequence + fragment.offset + i);
    // One octet differs from that of the others.
    if (step[4] >= 192) fragment.payload[step[4] % fragment.payload.size()] ^= 0x80U;
    return fragment;
}

Bytes encode(const Fragment &fragment) {
    bp::v7::PrimaryFields primary;
    primary.flags = bp::v7::kIsFragment;
    primary.destination = bp::ipn_eid(kThisNode.value(), 1);
    primary.source = bp::ipn_eid(7, 1);
    primary.creation_time_ms = test::kRigStartMs - 1000;
    primary.sequence = fragment.sequence;
    primary.lifetime_ms = 3'600'000;
    primary.fragment_offset = fragment.offset;
    primary.total_adu_length = fragment.total;
    return bp::v7::Builder(primary).finish(fragment.payload);
}

bool contradicts(const Model &model, const Fragment &fragment) {
    for (std::size_t i = 0; i < fragment.payload.size(); ++i)
        if (const auto &known = model[fragment.offset + i]; known && *known != fragment.payload[i])
            return true;
    return false;
}

bool learn(Model &model, const Fragment &fragment) {
    bool news = false;
    for (std::size_t i = 0; i < fragment.payload.size(); ++i) {
        auto &known = model[fragment.offset + i];
        news |= !known;
        known = fragment.payload[i];
    }
    return news;
}

void check_released(const test::Released &released, Models &models) {
    const ByteView octets(released.octets);
    const auto view = bp::parse({&octets, 1});
    FARLINK_INVARIANT(view && !view->is_fragment);
    const auto model = models.find({view->sequence, view->payload_length});
    FARLINK_INVARIANT(model != models.end());
    for (std::size_t i = 0; i < model->second.size(); ++i)
        FARLINK_INVARIANT(model->second[i] == octets[view->payload_offset + i]);
    models.erase(model);
}

void store(Rig &rig, Models &models, const Fragment &fragment) {
    Model &model = models[{fragment.sequence, fragment.total}];
    model.resize(fragment.total);
    const bool wrong = contradicts(model, fragment);
    const Outcome outcome = rig.store_octets(encode(fragment));
    FARLINK_INVARIANT(wrong == (outcome == Outcome::kContradicts));
    if (wrong) return;
    const bool news = learn(model, fragment);
    FARLINK_INVARIANT(outcome == (news ? Outcome::kStored : Outcome::kDuplicate));
    for (const test::Released &released : rig.released) check_released(released, models);
    rig.released.clear();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    test::SimDirectory directory;
    test::RigOptions options;
    options.custody.node = kThisNode;
    Models models;
    auto rig = std::make_unique<Rig>(directory, options);
    for (ByteView rest(data, size); rest.size() >= kStep; rest = rest.subspan(kStep)) {
        const ByteView step = rest.first(kStep);
        if (step[0] >= 0xf0) {
            // What has left would come again if it were not noted on the disk.
            rig->run_for(seconds(2));
            rig.reset();
            directory.kill();
            rig = std::make_unique<Rig>(directory, options);
        } else {
            store(*rig, models, fragment_of(step));
        }
    }
    std::size_t begun = 0;
    for (const auto &[key, model] : models)
        begun += std::ranges::any_of(model, [](const auto &octet) { return octet.has_value(); });
    FARLINK_INVARIANT(rig->count(storage::StorageCounter::kSetsIncomplete) == begun);
    return 0;
}
