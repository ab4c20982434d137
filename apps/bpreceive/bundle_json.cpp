// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceive/bundle_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "apps/shared/messages/bundle_name.hpp"

namespace farlink::bpreceive {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(ByteView octets) {
    std::string text;
    text.reserve((octets.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < octets.size(); at += 3) {
        const ByteView three = octets.subspan(at, std::min<std::size_t>(3, octets.size() - at));
        std::uint32_t bits = 0;
        for (std::size_t each = 0; each < 3; ++each)
            bits = bits << 8 | (each < three.size() ? three[each] : 0U);
        for (std::size_t each = 0; each < 4; ++each)
            text += each <= three.size() ? kDigits[bits >> (18 - 6 * each) & 63] : '=';
    }
    return text;
}

std::string line_of(const client::Adu &adu, const std::string &file, bool with_payload) {
    Json line{{"type", "bundle"},
              {"id", messages::id_text(adu.id())},
              {"source", adu.source},
              {"destination", adu.destination},
              {"bytes", adu.payload.size()},
              {"repeated", adu.repeated},
              {"statusReport", adu.is_status_report},
              {"ageMilliseconds", adu.age_ms},
              {"hopCount", adu.hop_count}};
    if (!adu.report_to.empty()) line["reportTo"] = adu.report_to;
    if (adu.previous_node != 0) line["previousNode"] = adu.previous_node;
    if (!file.empty()) line["file"] = file;
    if (with_payload) line["payload"] = base64(adu.payload);
    // Texts of others may be no UTF-8.
    return line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace farlink::bpreceive
