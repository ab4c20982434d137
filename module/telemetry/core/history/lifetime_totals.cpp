// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/lifetime_totals.hpp"

#include "common/codec/crc.hpp"
#include "common/config/fields/instant.hpp"
#include "common/config/fields/json_document.hpp"

namespace farlink::telemetry {
namespace {

constexpr const char *kVersion = "version";
constexpr const char *kCheck = "crc32c";
constexpr const char *kTotals = "totals";

/// Of the object without it, whose members are in alphabetic order.
std::uint32_t check_of(const Json &document) {
    return codec::crc32c(as_bytes(telemetry::to_text(document)));
}

std::uint64_t number_of(const Json &object, const char *key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

}  // namespace

Result<LifetimeTotals, HeaderError> LifetimeTotals::parse(std::string_view text) {
    if (config::nested_too_deeply(text)) return fail(HeaderError::kDamaged);
    Json document = Json::parse(text, nullptr, false);
    if (!document.is_object() || !document.contains(kCheck)) return fail(HeaderError::kDamaged);
    const Json check = document[kCheck];
    document.erase(kCheck);
    if (!check.is_number_unsigned() || check != check_of(document))
        return fail(HeaderError::kDamaged);
    if (number_of(document, kVersion) > kHistoryVersion) return fail(HeaderError::kNewer);
    const auto since = config::parse_utc(text_of(document, "since"));
    const auto totals = document.find(kTotals);
    if (!since || totals == document.end() || !totals->is_object())
        return fail(HeaderError::kDamaged);
    LifetimeTotals made(*since);
    made.starts_ = number_of(document, "starts") + 1;
    made.up_seconds_ = number_of(document, "upSeconds");
    for (const auto &[name, value] : totals->items())
        if (value.is_number_unsigned()) made.before_[name] = value.get<std::uint64_t>();
    return made;
}

Json LifetimeTotals::document(const Totals &counted, seconds up) const {
    Totals sums = before_;
    for (const auto &[name, value] : counted) sums[name] += value;
    return {{"since", config::format_utc(since_)},
            {"starts", starts_},
            {"upSeconds", up_seconds_ + static_cast<std::uint64_t>(up.count())},
            {kTotals, sums}};
}

std::string LifetimeTotals::to_text(const Totals &counted, seconds up) const {
    Json written = document(counted, up);
    written[kVersion] = kHistoryVersion;
    written[kCheck] = check_of(written);
    return telemetry::to_text(written) + '\n';
}

}  // namespace farlink::telemetry
