// SPDX-License-Identifier: Apache-2.0
#include "common/history/bundle_watch.hpp"

#include <array>
#include <utility>

#include "common/base/bytes.hpp"
#include "common/base/siphash.hpp"

namespace farlink::history {
namespace {

/// The error; empty: the pattern is set.
std::string set_pattern(const char *name, std::string_view text,
                        std::optional<bp::EidPattern> &to) {
    if (text.empty()) return {};
    to = bp::EidPattern::parse(text);
    if (to) return {};
    return std::string(name) + ": found " + std::string(text) +
           "; expected an endpoint or a pattern, such as ipn:20.1, ipn:20.* or dtn://node/*";
}

std::string set_ending(std::string_view text, std::optional<Ending> &to) {
    if (text.empty()) return {};
    std::string known;
    for (int each = 1; each <= static_cast<int>(kLastEnding); ++each) {
        const auto ending = static_cast<Ending>(each);
        if (to_string(ending) == text) {
            to = ending;
            return {};
        }
        known += (known.empty() ? "" : ", ") + std::string(to_string(ending));
    }
    return "outcome: found " + std::string(text) + "; expected one of " + known;
}

}  // namespace

Result<WatchRules, std::string> watch_rules(const WatchWords &words) {
    WatchRules rules;
    for (const std::string &error :
         std::array{set_pattern("pattern", words.pattern, rules.either),
                    set_pattern("source", words.source, rules.source),
                    set_pattern("destination", words.destination, rules.destination),
                    set_ending(words.outcome, rules.ending)})
        if (!error.empty()) return fail(error);
    return rules;
}

std::vector<const FoundBundle *> BundleWatch::select(std::span<const FoundBundle> found,
                                                     TimePoint now) {
    std::vector<const FoundBundle *> selected;
    for (const FoundBundle &each : found) {
        if (rules_.most > 0 && shown_ + selected.size() >= rules_.most) break;
        ++seen_;
        if (!matches(each.bundle)) continue;
        ++matched_;
        if (!is_sampled(each.bundle.id)) continue;
        if (take_one(now))
            selected.push_back(&each);
        else
            ++beyond_limit_;
    }
    shown_ += selected.size();
    return selected;
}

bool BundleWatch::matches(const PastBundle &bundle) const {
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

std::optional<std::uint64_t> age_ms_of(const PastBundle &bundle) {
    constexpr std::uint64_t kMsPerSecond = 1000;
    const std::uint64_t created = bundle.id.creation_time;
    if (created == 0) return std::nullopt;
    if (bundle.version == bp::kBpVersion6 && created > kDtnNever / kMsPerSecond)
        return std::nullopt;
    const DtnTime created_ms = bundle.version == bp::kBpVersion6 ? created * kMsPerSecond : created;
    // A source's clock may be ahead.
    return bundle.passage.time > created_ms ? bundle.passage.time - created_ms : 0;
}

}  // namespace farlink::history
