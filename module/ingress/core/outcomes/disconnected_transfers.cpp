// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/outcomes/disconnected_transfers.hpp"

#include <array>
#include <utility>

#include "common/base/invariant.hpp"

namespace farlink::ingress {

// RFC 9171 section 4.2.7: source, creation timestamp and, for a fragment, offset and length.
std::string DisconnectedTransfers::identity_of(const bp::BundleView &bundle) {
    const bp::EidView &source = bundle.source;
    const std::array<std::uint64_t, 8> numbers{static_cast<std::uint64_t>(source.scheme),
                                               source.node,
                                               source.service,
                                               bundle.creation_time,
                                               bundle.sequence,
                                               bundle.version + (bundle.is_fragment ? 256U : 0U),
                                               bundle.is_fragment ? bundle.fragment_offset : 0,
                                               bundle.is_fragment ? bundle.payload_length : 0};
    std::string identity(reinterpret_cast<const char *>(numbers.data()), sizeof numbers);
    return identity.append(source.name);
}

void DisconnectedTransfers::add(const bp::BundleView &bundle, std::uint64_t arrival, bool safe) {
    if (by_identity_.size() >= kRemembered || !bundle.has_identity()) return;
    std::string identity = identity_of(bundle);
    const auto [place, fresh] = by_identity_.try_emplace(identity, Transfer{arrival, safe, {}});
    if (fresh) by_arrival_.emplace(arrival, std::move(identity));
}

std::optional<bool> DisconnectedTransfers::find(const bp::BundleView &bundle) const {
    if (!bundle.has_identity()) return std::nullopt;
    const auto found = by_identity_.find(identity_of(bundle));
    if (found == by_identity_.end()) return std::nullopt;
    return found->second.safe;
}

void DisconnectedTransfers::wait(const bp::BundleView &bundle, const Repeat &repeat) {
    const auto found = by_identity_.find(identity_of(bundle));
    FARLINK_INVARIANT(found != by_identity_.end() && !found->second.safe);
    found->second.waiting.push_back(repeat);
}

DisconnectedTransfers::Transfer *DisconnectedTransfers::find(std::uint64_t arrival) {
    const auto identity = by_arrival_.find(arrival);
    return identity == by_arrival_.end() ? nullptr : &by_identity_.at(identity->second);
}

std::vector<DisconnectedTransfers::Repeat> DisconnectedTransfers::secure(std::uint64_t arrival) {
    Transfer *transfer = find(arrival);
    if (transfer == nullptr) return {};
    transfer->safe = true;
    return std::exchange(transfer->waiting, {});
}

std::vector<DisconnectedTransfers::Repeat> DisconnectedTransfers::remove(std::uint64_t arrival) {
    const auto identity = by_arrival_.find(arrival);
    if (identity == by_arrival_.end()) return {};
    const auto transfer = by_identity_.find(identity->second);
    std::vector<Repeat> waiting = std::move(transfer->second.waiting);
    by_identity_.erase(transfer);
    by_arrival_.erase(identity);
    return waiting;
}

void DisconnectedTransfers::forget(UpstreamId upstream) {
    for (auto &[identity, transfer] : by_identity_)
        std::erase_if(transfer.waiting,
                      [upstream](const Repeat &repeat) { return repeat.upstream == upstream; });
}

}  // namespace farlink::ingress
