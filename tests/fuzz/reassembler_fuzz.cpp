// SPDX-License-Identifier: Apache-2.0
// Fragments in any order and overlap against a plain array. Input: six octets a fragment, which are
// sequence, offset, length, total length, the octet that fills it, and the time that passes.
#include <map>
#include <optional>
#include <vector>

#include "apps/shared/traffic/fragments/reassembler.hpp"
#include "common/base/invariant.hpp"

namespace {

using namespace farlink;
using Outcome = traffic::Reassembler::Outcome;

constexpr std::uint64_t kLimitBytes = 4096;
constexpr std::size_t kLimitUnits = 3;
constexpr std::size_t kStep = 6;

/// What is known of a data unit, octet by octet; what came first stays.
using Model = std::vector<std::optional<std::uint8_t>>;

bp::BundleView fragment(ByteView step) {
    bp::BundleView view;
    view.version = 7;
    view.source = bp::ipn_eid(10, 1);
    view.creation_time = 1;
    view.lifetime_ms = 1000;
    view.sequence = step[0] % 4;
    view.is_fragment = true;
    view.fragment_offset = step[1];
    view.payload_length = step[2];
    view.total_adu_length = step[3];
    return view;
}

void learn(Model &model, const bp::BundleView &view, std::uint8_t octet) {
    model.resize(view.total_adu_length);
    for (std::uint64_t i = 0; i < view.payload_length; ++i)
        if (auto &known = model[view.fragment_offset + i]; !known) known = octet;
}

void check_whole(const Model &model, const std::optional<Bytes> &whole) {
    FARLINK_INVARIANT(whole && whole->size() == model.size());
    for (std::size_t i = 0; i < model.size(); ++i)
        FARLINK_INVARIANT(model[i] && *model[i] == (*whole)[i]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    traffic::Reassembler reassembler({kLimitBytes, kLimitUnits});
    std::map<std::uint64_t, Model> models;
    DtnTime now_ms = 1;
    for (ByteView rest(data, size); rest.size() >= kStep; rest = rest.subspan(kStep)) {
        const ByteView step = rest.first(kStep);
        now_ms += step[5];
        if (reassembler.expire(now_ms) != 0) models.clear();
        const bp::BundleView view = fragment(step);
        const Bytes payload(view.payload_length, step[4]);
        const ByteView slice(payload);
        const Outcome outcome = reassembler.handle_fragment(view, {&slice, 1}, now_ms);
        if (outcome == Outcome::kPending || outcome == Outcome::kComplete)
            learn(models[view.sequence], view, step[4]);
        if (outcome == Outcome::kComplete) {
            check_whole(models[view.sequence], reassembler.poll_data_unit());
            models.erase(view.sequence);
        }
        FARLINK_INVARIANT(reassembler.held_bytes() <= kLimitBytes);
        FARLINK_INVARIANT(reassembler.pending() <= kLimitUnits);
        FARLINK_INVARIANT(reassembler.pending() == models.size());
    }
    FARLINK_INVARIANT((reassembler.pending() == 0) == (reassembler.held_bytes() == 0));
    return 0;
}
