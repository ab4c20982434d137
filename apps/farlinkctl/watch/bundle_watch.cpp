// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/watch/bundle_watch.hpp"

#include <utility>

#include "common/base/bytes.hpp"
#include "common/base/siphash.hpp"

namespace farlink::ctl {

std::vector<history::FoundBundle> BundleWatch::select(std::vector<history::FoundBundle> found,
                                                      TimePoint now) {
    std::vector<history::FoundBundle> selected;
    for (history::FoundBundle &each : found) {
        if (rules_.most > 0 && shown_ + selected.size() >= rules_.most) break;
        ++seen_;
        if (!matches(each.bundle)) continue;
        ++matched_;
        if (!is_sampled(each.bundle.id)) continue;
        if (take_one(now))
            selected.push_back(std::move(each));
        else
            ++beyond_limit_;
    }
    shown_ += selected.size();
    return selected;
}

bool BundleWatch::matches(const history::PastBundle &bundle) const {
    const bp::EidView source = bundle.id.source.view();
    const bp::EidView destination = bundle.destination.view();
    if (rules_.ending && bundle.passage.ending != *rules_.ending) return false;
    if (rules_.source && !rules_.source->matches(source)) return false;
    if (rules_.destination && !rules_.destination->matches(destination)) return false;
    return !rules_.either || rules_.either->matches(source) || rules_.either->matches(destination);
}

bool BundleWatch::is_sampled(const bp::BundleId &id) const {
    if (rules_.sample <= 1) return true;
    // The fragments of a bundle go together.
    bp::BundleId whole = id;
    whole.fragment.reset();
    const std::string text = bp::to_string(whole);
    return siphash128(SipKey{}, as_bytes(text)).low % rules_.sample == 0;
}

bool BundleWatch::take_one(TimePoint now) {
    if (rules_.per_second == 0) return true;
    if (now - second_ >= seconds(1)) {
        second_ = now;
        taken_ = 0;
    }
    return ++taken_ <= rules_.per_second;
}

std::optional<std::uint64_t> age_ms_of(const history::PastBundle &bundle) {
    constexpr std::uint64_t kMsPerSecond = 1000;
    const std::uint64_t created = bundle.id.creation_time;
    if (created == 0) return std::nullopt;
    if (bundle.version == bp::kBpVersion6 && created > kDtnNever / kMsPerSecond)
        return std::nullopt;
    const DtnTime created_ms = bundle.version == bp::kBpVersion6 ? created * kMsPerSecond : created;
    // A source's clock may be ahead.
    return bundle.passage.time > created_ms ? bundle.passage.time - created_ms : 0;
}

}  // namespace farlink::ctl
