// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/hdtn/hdtn_links.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>

#include "common/config/fields/link_url.hpp"
#include "common/config_import/hdtn/hdtn_keys.hpp"
#include "common/config_import/hdtn/hdtn_tls.hpp"

namespace farlink::config {
namespace {

constexpr std::uint64_t kDefaultBufferBytes = 128 * kMiB;
constexpr std::uint64_t kLargestDatagram = 65'507;
constexpr std::uint64_t kDefaultLtpSessions = 100'000;
constexpr std::uint64_t kMostLtpSessions = 1'000'000;

struct Layer {
    std::string_view hdtn;
    std::string_view scheme;
    unsigned bit;
};
constexpr std::array kLayers{
    Layer{"stcp", "stcp", kStcp},           Layer{"tcpcl_v3", "tcpclv3", kTcpclv3},
    Layer{"tcpcl_v4", "tcpclv4", kTcpclv4}, Layer{"udp", "udp", kUdp},
    Layer{"ltp_over_udp", "ltp", kLtp},
};
/// Keys of layers that HDTN has beside those.
constexpr std::string_view kForeignKeys[] = {"remoteNodeId", "comPort", "baudRate"};
constexpr std::string_view kForeignPath = "EncapLocalSocketOrPipePath";

void refuse_layer(const JsonValue &json, const std::string &path, HdtnNotes &notes) {
    for (const JsonMember &member : json.members) {
        if (member.key == "convergenceLayer")
            notes.refuse(path + ".convergenceLayer",
                         "found " + member.value.describe() +
                             "; farlink has stcp, tcpcl_v3, tcpcl_v4, udp and ltp_over_udp");
        else if (member.key.ends_with(kForeignPath) ||
                 std::ranges::find(kForeignKeys, member.key) != std::end(kForeignKeys))
            notes.refuse(member_path(path, member.key),
                         "no counterpart, since its convergence layer has none");
    }
}

/// The layer of a link; empty: it is refused.
const Layer *layer_of(const JsonValue &json, const std::string &path, HdtnNotes &notes) {
    if (json.kind != JsonValue::Kind::kObject) {
        notes.refuse(path, "found " + json.describe() + "; expected an object");
        return nullptr;
    }
    const auto named = std::ranges::find(json.members, "convergenceLayer", &JsonMember::key);
    if (named == json.members.end()) {
        notes.refuse(path + ".convergenceLayer", "missing");
        return nullptr;
    }
    const auto known = std::ranges::find(kLayers, named->value.text, &Layer::hdtn);
    if (named->value.kind == JsonValue::Kind::kText && known != kLayers.end()) return &*known;
    refuse_layer(json, path, notes);
    return nullptr;
}

/// 0 of TCPCLv3: transfers are never segmented.
void import_segment_size(const HdtnSection &section, ImportedJson &out,
                         const std::string &out_path) {
    constexpr std::string_view kKey = "tcpclV3MyMaxTxSegmentSizeBytes";
    const JsonValue *const value = section.find(kKey);
    if (value == nullptr) return;
    const std::uint64_t wanted = value->integer == 0 ? kMostLinkBytes : value->integer;
    const std::uint64_t kept = std::clamp<std::uint64_t>(wanted, 64, kMostLinkBytes);
    out["maxSegmentBytes"] = kept;
    const std::string what = out_path + ".maxSegmentBytes: " + std::to_string(kept);
    if (kept == value->integer)
        section.notes().map(section.place(kKey), what);
    else
        section.notes().change(section.place(kKey),
                               what + (value->integer == 0 ? ", the largest: HDTN's 0 means whole "
                                                             "bundles"
                                                           : ", the nearest value"));
}

/// The node's `maxBundleSizeBytes`, which each link has here.
void import_bundle_size(const HdtnLinkContext &context, unsigned layer, ImportedJson &out,
                        const std::string &out_path) {
    const std::uint64_t wanted = context.max_bundle_bytes;
    if (wanted == 0) return;
    const std::string of = " (" + out_path + ")";
    if (layer == kUdp && wanted > kLargestDatagram)
        return context.notes.note("maxBundleSizeBytes" + of, "more than a datagram; no limit");
    if ((layer & (kStcp | kTcpcl)) != 0 && wanted > kDefaultBufferBytes)
        return context.notes.note("maxBundleSizeBytes" + of,
                                  "larger bundles than memory holds go through the disk: without a "
                                  "limit up to 64 GiB, over STCP 4 GiB");
    const std::uint64_t kept = std::clamp<std::uint64_t>(wanted, kKiB, kMostLinkBytes);
    out["maxBundleSizeBytes"] = kept;
    const std::string what = out_path + ".maxBundleSizeBytes: " + std::to_string(kept);
    if (kept == wanted)
        context.notes.map("maxBundleSizeBytes", what);
    else
        context.notes.change("maxBundleSizeBytes", what + ", the nearest value");
    if (kept <= kDefaultBufferBytes || context.out.contains("bufferBytes")) return;
    context.out["bufferBytes"] = kept;
    context.notes.change("maxBundleSizeBytes", "bufferBytes: " + std::to_string(kept) +
                                                   ", which holds one such bundle over LTP");
}

/// HDTN sends back to whoever announces itself.
void import_return_path(const HdtnLinkContext &context, ImportedJson &out, const std::string &place,
                        const std::string &out_path) {
    if (context.choices.trust_like_hdtn) {
        out["neighbours"] = ImportedJson::array({{{"address", "0.0.0.0/0"}}});
        return context.notes.change(place, out_path +
                                               ".neighbours: any address may claim any node, as "
                                               "in HDTN; list the neighbours in its place");
    }
    context.notes.note(
        place,
        "HDTN sends bundles back to every peer that announces itself; farlink only to proved "
        "neighbours. For custody signals, echoes and bundles on this way back add to " +
            out_path +
            R"(: "neighbours": [{"nodeId": N, "address": "A.B.C.D"}]; --trust-like-hdtn writes )"
            R"({"address": "0.0.0.0/0"})");
}

void import_ltp_sessions(const HdtnSection &section, ImportedJson &out,
                         const std::string &out_path) {
    constexpr std::string_view kKey = "ltpMaxExpectedSimultaneousSessions";
    const JsonValue *const value = section.find(kKey);
    if (value == nullptr) return;
    if (value->integer <= kDefaultLtpSessions)
        return section.notes().note(
            section.place(kKey),
            "in HDTN the size of a table, in farlink a limit; the default of 100,000 is kept");
    const std::uint64_t kept = std::min(value->integer, kMostLtpSessions);
    out["ltpMaxExpectedSimultaneousSessions"] = kept;
    const std::string what =
        member_path(out_path, kKey) + ": " + std::to_string(kept) + ", here a limit";
    section.notes().change(section.place(kKey), what);
}

bool has_ltp_induct(const ImportedJson &inducts, std::uint64_t port) {
    const std::string url = "ltp://0.0.0.0:" + std::to_string(port);
    return std::ranges::any_of(
        inducts, [&](const ImportedJson &induct) { return induct.value("url", "") == url; });
}

void import_induct(const JsonValue &json, const std::string &path, const HdtnLinkContext &context) {
    const Layer *const layer = layer_of(json, path, context.notes);
    if (layer == nullptr) return;
    HdtnSection section(json, path, hdtn_induct_keys(), context.notes, layer->bit);
    const std::string out_path = item_path("inductsConfig", context.out["inductsConfig"].size());
    const std::uint64_t port = section.required("boundPort", 1, 65'535);
    if (layer->bit == kLtp && has_ltp_induct(context.out["inductsConfig"], port))
        return context.notes.change(path + ".boundPort",
                                    "the LTP induct of this port precedes it and accepts blocks of "
                                    "any engine; this induct is left out");
    ImportedJson out;
    out["url"] = std::string(layer->scheme) + "://0.0.0.0:" + std::to_string(port);
    context.notes.map(path + ".convergenceLayer",
                      out_path + ".url: " + out["url"].get<std::string>());
    context.notes.map(path + ".boundPort", "as convergenceLayer");
    section.apply(out, out_path);
    import_bundle_size(context, layer->bit, out, out_path);
    import_segment_size(section, out, out_path);
    import_ltp_sessions(section, out, out_path);
    if (layer->bit == kTcpclv4) import_induct_tls(section, context.choices, out, out_path);
    if ((layer->bit & kTcpcl) != 0) import_return_path(context, out, path, out_path);
    context.out["inductsConfig"].push_back(std::move(out));
}

std::string url_of(HdtnSection &section, std::string_view scheme) {
    const std::string host = section.text("remoteHostname");
    const std::uint64_t port = section.required("remotePort", 1, 65'535);
    if (host.empty()) {
        section.notes().refuse(section.place("remoteHostname"), "missing");
        return {};
    }
    const bool bare_ipv6 = host.contains(':') && !host.starts_with('[');
    const std::string url = std::string(scheme) + "://" + (bare_ipv6 ? '[' + host + ']' : host) +
                            ':' + std::to_string(port);
    if (const auto parsed = parse_link_url(url); !parsed && port != 0)
        section.notes().refuse(
            section.place("remoteHostname"),
            "found " + in_quotes(host) + ", " + std::string(to_string(parsed.error())));
    return url;
}

/// One outduct for each neighbour.
void check_next_hop(const HdtnSection &section, const ImportedJson &outducts) {
    const JsonValue *const node = section.find("nextHopNodeId");
    if (node == nullptr)
        return section.notes().refuse(section.place("nextHopNodeId"), "missing, or not an integer");
    for (std::size_t i = 0; i < outducts.size(); ++i)
        if (outducts[i].value("nextHopNodeId", std::uint64_t{0}) == node->integer)
            section.notes().refuse(section.place("nextHopNodeId"),
                                   "found " + node->describe() + ", the neighbour of " +
                                       item_path("outductsConfig", i) +
                                       " too: farlink has one outduct for each neighbour");
}

void import_outduct(const JsonValue &json, const std::string &path,
                    const HdtnLinkContext &context) {
    const Layer *const layer = layer_of(json, path, context.notes);
    if (layer == nullptr) return;
    HdtnSection section(json, path, hdtn_outduct_keys(), context.notes, layer->bit);
    const std::string out_path = item_path("outductsConfig", context.out["outductsConfig"].size());
    ImportedJson out;
    out["url"] = url_of(section, layer->scheme);
    for (const char *const key : {"convergenceLayer", "remoteHostname", "remotePort"})
        if (section.find(key) != nullptr)
            context.notes.map(section.place(key),
                              out_path + ".url: " + out["url"].get<std::string>());
    check_next_hop(section, context.out["outductsConfig"]);
    section.apply(out, out_path);
    import_segment_size(section, out, out_path);
    if ((layer->bit & kTcpcl) != 0) import_bundle_size(context, layer->bit, out, out_path);
    if (layer->bit == kTcpclv4) import_outduct_tls(section, context.choices, out, out_path);
    if (layer->bit == kLtp && out.contains("maxNumberOfBundlesInPipeline"))
        out["bundlePipelineLimit"] = std::min<std::uint64_t>(
            out["maxNumberOfBundlesInPipeline"].get<std::uint64_t>(), kMostLtpSessions);
    context.out["outductsConfig"].push_back(std::move(out));
}

template <class Import>
void import_list(const JsonValue &json, const char *section_key, const char *list_key,
                 std::span<const HdtnKey> keys, const HdtnLinkContext &context, Import import_one) {
    HdtnSection section(json, section_key, keys, context.notes);
    ImportedJson unused;
    section.apply(unused, section_key);
    context.out[section_key] = ImportedJson::array();
    const JsonValue *const list = section.find(list_key);
    if (list == nullptr) return context.notes.refuse(section.place(list_key), "missing");
    for (std::size_t i = 0; i < list->items.size(); ++i)
        import_one(list->items[i], item_path(section.place(list_key), i), context);
}

constexpr std::array<std::string_view, 3> kOwnOfSpan{"url", "nextHopNodeId", "ltpSenderBoundPort"};

void join_port(ImportedJson &outduct, const std::string &path, ImportedJson &induct,
               const std::string &induct_path, HdtnNotes &notes) {
    if (outduct.value("remoteLtpEngineId", std::uint64_t{0}) !=
        outduct.value("nextHopNodeId", std::uint64_t{0}))
        notes.refuse(path + ".remoteLtpEngineId",
                     "found another number than nextHopNodeId on the UDP port of " + induct_path +
                         ", which identifies neighbours by their engine");
    ImportedJson kept;
    for (const auto &[key, value] : outduct.items()) {
        if (std::ranges::find(kOwnOfSpan, key) != kOwnOfSpan.end()) {
            kept[key] = value;
        } else if (key != "remoteLtpEngineId" && !induct.contains(key)) {
            induct[key] = value;
            notes.change(member_path(path, key),
                         "moved to " + induct_path + ", whose UDP port the outduct leaves by");
        } else if (key != "remoteLtpEngineId" && induct[key] != value) {
            notes.change(member_path(path, key),
                         "left out: " + induct_path + " has " + induct[key].dump() +
                             ", and one engine serves both; a contact gives its own light time");
        }
    }
    outduct = std::move(kept);
}

}  // namespace

void import_inducts(const JsonValue &json, const HdtnLinkContext &context) {
    import_list(json, "inductsConfig", "inductVector", hdtn_induct_list_keys(), context,
                import_induct);
}

void import_outducts(const JsonValue &json, const HdtnLinkContext &context) {
    import_list(json, "outductsConfig", "outductVector", hdtn_outduct_list_keys(), context,
                import_outduct);
}

void join_ltp_ports(const HdtnLinkContext &context) {
    ImportedJson &inducts = context.out["inductsConfig"];
    ImportedJson &outducts = context.out["outductsConfig"];
    for (std::size_t i = 0; i < outducts.size(); ++i) {
        const auto port = outducts[i].value("ltpSenderBoundPort", std::uint64_t{0});
        if (port == 0) continue;
        const std::string url = "ltp://0.0.0.0:" + std::to_string(port);
        for (std::size_t j = 0; j < inducts.size(); ++j)
            if (inducts[j].value("url", "") == url)
                join_port(outducts[i], item_path("outductsConfig", i), inducts[j],
                          item_path("inductsConfig", j), context.notes);
    }
}

std::string located(const std::string &name, const HdtnChoices &choices) {
    if (name.empty()) return name;
    const std::filesystem::path path(name);
    if (path.is_absolute() || choices.working_folder.empty())
        return path.lexically_normal().string();
    return (std::filesystem::path(choices.working_folder) / path).lexically_normal().string();
}

}  // namespace farlink::config
