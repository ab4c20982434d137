// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/new_block.hpp"

#include <algorithm>

namespace farlink::bp::bpsec {

Verdict check_new_block(const SecuredBundle &bundle, std::span<const std::uint64_t> targets,
                        const NewBlock &block) {
    if (bundle.is_fragment()) return fail(Fault::kIsFragment);
    if (targets.empty()) return fail(Fault::kNoTarget);
    if (targets.size() > kMostTargets) return fail(Fault::kTooMany);
    for (std::size_t i = 1; i < targets.size(); ++i)
        if (std::ranges::find(targets.first(i), targets[i]) !=
            targets.begin() + static_cast<std::ptrdiff_t>(i))
            return fail(Fault::kRepeatedTarget);
    if (block.number == 1 || bundle.find(block.number) != nullptr) return fail(Fault::kNoNumber);
    return {};
}

std::uint64_t number_for(const SecuredBundle &bundle, const NewBlock &block) {
    return block.number != 0 ? block.number : bundle.lowest_free_number();
}

Verdict add_new_block(SecuredBundle &bundle, const BlockHeader &header, const SecurityBlock &block,
                      Place place) {
    Bytes data;
    write_security_block(block, data);
    Part part;
    part.type = header.type;
    part.number = header.number;
    part.flags = header.flags;
    part.data = bundle.own(std::move(data));
    bundle.add(part, place);
    return bundle.add_security(part.number, part.data);
}

bool is_primary_covered(const SecuredBundle &bundle) {
    const auto covers = [](const SecurityPart &security) {
        return security.block.has_target(0) ||
               (scope_or_whole(security.block) & kScopePrimary) != 0;
    };
    const auto is_hidden = [](const Part &part) { return part.is_integrity() && part.encrypted; };
    return std::ranges::any_of(bundle.security(), covers) ||
           std::ranges::any_of(bundle.parts(), is_hidden);
}

}  // namespace farlink::bp::bpsec
