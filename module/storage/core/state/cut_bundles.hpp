// SPDX-License-Identifier: Apache-2.0
// Bundles that links cut at the end of contacts: how much of each has left, and which may not be
// cut although no contact is long enough for them.
// Owned by StorageContext; one thread.
// Bundles are named by their handles. After a restart nothing is known: a bundle then leaves from
// its first octet, and its destination has some octets twice.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace farlink::storage {

class CutBundles {
public:
    enum class Verdict : std::uint8_t {
        kUnknown,  ///< its head is read with the bundle
        kMayBeCut,
        kMayNotBeCut,
    };
    struct Cut {
        std::uint64_t sent_payload = 0;  ///< octets of its payload that have left
        Verdict verdict = Verdict::kUnknown;
    };

    [[nodiscard]] bool empty() const { return cuts_.empty(); }
    /// So many octets of its payload have left.
    void set_sent(std::uint64_t bundle, std::uint64_t payload_bytes) {
        cuts_[bundle] = {payload_bytes, Verdict::kMayBeCut};
    }
    [[nodiscard]] std::uint64_t sent(std::uint64_t bundle) const {
        const Cut *const cut = find(bundle);
        return cut == nullptr ? 0 : cut->sent_payload;
    }

    /// No contact carries the bundle as a whole. False when it may not be cut either.
    [[nodiscard]] bool may_leave_in_parts(std::uint64_t bundle) {
        return cuts_[bundle].verdict != Verdict::kMayNotBeCut;
    }
    /// Whether its head must be read to decide if it may leave in parts.
    [[nodiscard]] bool is_to_be_judged(std::uint64_t bundle) const {
        const Cut *const cut = find(bundle);
        return cut != nullptr && cut->verdict == Verdict::kUnknown;
    }
    void judge(std::uint64_t bundle, bool may_be_cut) {
        cuts_[bundle].verdict = may_be_cut ? Verdict::kMayBeCut : Verdict::kMayNotBeCut;
    }

    /// The bundle is gone, or leaves from its first octet if it leaves again.
    void forget(std::uint64_t bundle) {
        if (!cuts_.empty()) cuts_.erase(bundle);
    }
    /// Calls `visit(bundle, payload_bytes)` for each bundle of which a part has left.
    template <class Visit>
    void for_each_sent(Visit &&visit) const {
        for (const auto &[bundle, cut] : cuts_)
            if (cut.sent_payload > 0) visit(bundle, cut.sent_payload);
    }

private:
    [[nodiscard]] const Cut *find(std::uint64_t bundle) const {
        if (cuts_.empty()) return nullptr;
        const auto found = cuts_.find(bundle);
        return found == cuts_.end() ? nullptr : &found->second;
    }

    std::unordered_map<std::uint64_t, Cut> cuts_;
};

}  // namespace farlink::storage
