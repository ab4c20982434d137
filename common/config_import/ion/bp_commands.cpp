// SPDX-License-Identifier: Apache-2.0
// The commands of bpadmin without its egress plans: schemes, endpoints, inducts, outducts.
#include <algorithm>
#include <string>

#include "common/bp/eid/eid.hpp"
#include "common/config/fields/config_error.hpp"
#include "common/config_import/ion/ion_rules.hpp"

namespace farlink::config {
namespace {

constexpr std::string_view kLinksStart = "links start with the program `farlink`";
constexpr std::string_view kCustody = "farlink has custody of BPv6 bundles only";
constexpr std::string_view kOrangeBook =
    "farlink has no compressed reports and no custody of BPv7 bundles";

void read_scheme(const IonReading &reading) {
    const std::string_view scheme = reading.words[2];
    if (scheme == "ipn" || scheme == "dtn" || scheme == "dtn2") return reading.mapped("built in");
    if (scheme == "imc")
        return reading.noted(
            "bundles to groups are not forwarded, and an endpoint of a group is "
            "refused");
    reading.wrong(2, "ipn or dtn");
}

// ---- endpoints

/// The endpoint id in its usual form; reports what is none.
std::optional<std::string> endpoint_of(const IonReading &reading) {
    const auto eid = bp::Eid::parse(reading.words[2]);
    if (eid && !eid->view().is_null()) return eid->to_string();
    reading.wrong(2, "an endpoint such as ipn:10.1 or dtn://name/service; farlink has no groups");
    return std::nullopt;
}

std::vector<EndpointDraft>::iterator find_endpoint(NodeDraft &draft, const std::string &id) {
    return std::ranges::find(draft.endpoints, id, &EndpointDraft::id);
}

/// `a endpoint` or `c endpoint`
void read_endpoint(const IonReading &reading) {
    const auto id = endpoint_of(reading);
    const std::string_view rule = reading.words[3];
    if (rule != "q" && rule != "x") reading.wrong(3, "q or x");
    if (!id || (rule != "q" && rule != "x")) return;
    const auto earlier = find_endpoint(reading.draft, *id);
    const bool adds = reading.words[0] == "a";
    const bool there = earlier != reading.draft.endpoints.end();
    if (adds && there) return reading.again(earlier->command);
    if (!adds && !there) return reading.nothing_there("endpoint");
    if (there) reading.draft.endpoints.erase(earlier);
    reading.draft.endpoints.push_back({reading.command, *id});
    if (rule == "x")
        reading.changed("bundles wait until an application receives them, or they expire");
    if (!reading.words[4].empty())
        reading.changed("the script is started by `bpreceive " + *id + " --exec COMMAND`");
}

void delete_endpoint(const IonReading &reading) {
    const auto id = endpoint_of(reading);
    if (!id) return;
    const auto found = find_endpoint(reading.draft, *id);
    if (found == reading.draft.endpoints.end()) return reading.nothing_there("endpoint");
    reading.verdicts.noted(found->command,
                           "deleted by " + reading.verdicts.place_of(reading.command));
    reading.draft.endpoints.erase(found);
    reading.mapped();
}

// ---- protocols and ducts

void read_protocol(const IonReading &reading) {
    const std::string name(reading.words[2]);
    const auto [found, added] = reading.draft.protocols.emplace(name, reading.command);
    if (!added) return reading.again(found->second);
    const bool known = name == "tcp" || name == "stcp" || name == "udp" || name == "ltp";
    if (known) return reading.mapped("built in");
    reading.noted("farlink has no such convergence layer; a duct of it is refused");
}

void delete_protocol(const IonReading &reading) {
    if (reading.draft.protocols.erase(std::string(reading.words[2])) == 0)
        return reading.nothing_there("protocol");
    reading.mapped();
}

template <class Duct>
auto find_duct(std::vector<Duct> &ducts, const IonReading &reading) {
    return std::ranges::find_if(ducts, [&](const Duct &duct) {
        return duct.protocol == reading.words[2] && duct.name == reading.words[3];
    });
}

template <class Duct>
void put_duct(const IonReading &reading, std::vector<Duct> &ducts, Duct duct) {
    const auto earlier = find_duct(ducts, reading);
    const bool adds = reading.words[0] == "a";
    if (adds && earlier != ducts.end()) return reading.again(earlier->command);
    if (!adds && earlier == ducts.end()) return reading.nothing_there("duct");
    if (adds) {
        ducts.push_back(std::move(duct));
        return;
    }
    reading.verdicts.noted(earlier->command,
                           "changed by " + reading.verdicts.place_of(reading.command));
    *earlier = std::move(duct);
}

template <class Duct>
void drop_duct(const IonReading &reading, std::vector<Duct> &ducts) {
    const auto found = find_duct(ducts, reading);
    if (found == ducts.end()) return reading.nothing_there("duct");
    reading.verdicts.noted(found->command,
                           "deleted by " + reading.verdicts.place_of(reading.command));
    ducts.erase(found);
    reading.mapped();
}

void read_induct(const IonReading &reading) {
    put_duct(
        reading, reading.draft.inducts,
        InductDraft{reading.command, std::string(reading.words[2]), std::string(reading.words[3])});
}

void delete_induct(const IonReading &reading) {
    drop_duct(reading, reading.draft.inducts);
}

void read_outduct(const IonReading &reading) {
    OutductDraft duct{.command = reading.command,
                      .protocol = std::string(reading.words[2]),
                      .name = std::string(reading.words[3])};
    if (reading.words.size() > 5) {
        const auto longest = whole_number_of(reading.words[5]);
        if (!longest) return reading.wrong(5, "the longest payload in bytes, or 0");
        duct.longest_payload = *longest;
    }
    put_duct(reading, reading.draft.outducts, std::move(duct));
}

void delete_outduct(const IonReading &reading) {
    drop_duct(reading, reading.draft.outducts);
}

// ---- the rest

/// `r 'program file'`
void run_program(const IonReading &reading) {
    const IonWords command(reading.words[1]);
    const std::string_view program = command[0];
    const bool reads_file = program.ends_with("admin") && command.size() > 1 && command[1] != ".";
    if (!reads_file)
        return reading.noted(
            program == "bpecho"
                ? "the node returns the bundles that are sent to its service 2047 (echo)"
                : "farlink starts no other programs; start " + in_quotes(program) +
                      "'s counterpart separately");
    const std::string file(command[1]);
    for (const IonFile &each : reading.source.files())
        if (each.name == file || each.name.ends_with('/' + file))
            return reading.noted("its file is imported");
    reading.refused("give the file " + in_quotes(file) + " as well");
}

void read_reports(const IonReading &reading) {
    const std::string_view mode = reading.words[2];
    if (mode != "none" && mode != "traditional") return reading.refused(std::string(kOrangeBook));
    reading.draft.status_reports = mode == "traditional";
    reading.mapped(mode == "traditional" ? "statusReports true" : "statusReports false");
}

void read_custody_mode(const IonReading &reading) {
    if (reading.words[2] == "none") return reading.noted(std::string(kCustody));
    reading.refused(std::string(kOrangeBook));
}

constexpr std::string_view kEndpoint = "`a endpoint`, endpoint, q or x, and optionally 'a script'";
constexpr std::string_view kInduct = "`a induct`, protocol, name and 'a command'";
constexpr std::string_view kOutduct =
    "`a outduct`, protocol, name, 'a command' and optionally the longest payload";
constexpr auto kBpRefused = ImportOutcome::kRefused;
constexpr std::string_view kStops = "ION would not run the command; delete what it stops instead";

constexpr IonRule kBpRules[]{
    {.verb = "1", .most = 2, .text = "a node starts with the program `farlink`"},
    {.verb = "s", .text = kLinksStart},
    {.verb = "s", .object = "scheme", .least = 3, .most = 3, .text = kLinksStart},
    {.verb = "s", .object = "protocol", .least = 3, .most = 3, .text = kLinksStart},
    {.verb = "s", .object = "induct", .least = 4, .most = 4, .text = kLinksStart},
    {.verb = "s", .object = "outduct", .least = 4, .most = 4, .text = kLinksStart},
    {.verb = "x", .text = "a node ends with the program `farlink`"},
    {"x", "scheme", 3, 3, nullptr, kBpRefused, kStops},
    {"x", "protocol", 3, 3, nullptr, kBpRefused, kStops},
    {"x", "induct", 4, 4, nullptr, kBpRefused, kStops},
    {"x", "outduct", 4, 4, nullptr, kBpRefused, kStops},
    {"r", "", 2, 2, run_program, {}, "`r` and 'a command'"},
    {"a", "scheme", 3, 5, read_scheme, {}, "`a scheme`, name and two commands"},
    {"c", "scheme", 3, 5, read_scheme, {}, "`c scheme`, name and two commands"},
    {"a", "endpoint", 4, 5, read_endpoint, {}, kEndpoint},
    {"c", "endpoint", 4, 5, read_endpoint, {}, kEndpoint},
    {"d", "endpoint", 3, 3, delete_endpoint, {}, "`d endpoint` and an endpoint"},
    {"a", "protocol", 3, 6, read_protocol, {}, "`a protocol`, name and optionally its class"},
    {"d", "protocol", 3, 3, delete_protocol, {}, "`d protocol` and a name"},
    {"a", "induct", 5, 5, read_induct, {}, kInduct},
    {"c", "induct", 5, 5, read_induct, {}, kInduct},
    {"d", "induct", 4, 4, delete_induct, {}, "`d induct`, protocol and name"},
    {"a", "outduct", 5, 6, read_outduct, {}, kOutduct},
    {"c", "outduct", 5, 6, read_outduct, {}, kOutduct},
    {"d", "outduct", 4, 4, delete_outduct, {}, "`d outduct`, protocol and name"},
    {.verb = "m",
     .object = "heapmax",
     .least = 3,
     .most = 3,
     .text =
         "where ION keeps a bundle; in farlink, see `maxBundleSizeBytes` and `spoolAboveBytes`"},
    {.verb = "m",
     .object = "primarycrc",
     .least = 3,
     .most = 3,
     .text = "in farlink, see `bpsend --crc`"},
    {.verb = "m",
     .object = "payloadcrc",
     .least = 3,
     .most = 3,
     .text = "in farlink, see `bpsend --crc`"},
    {.verb = "m",
     .object = "maxcount",
     .least = 3,
     .most = 3,
     .text = "is for nodes without a clock; farlink chooses the sequence numbers of its bundles"},
    {"m", "srmode", 3, 3, read_reports, {}, "`m srmode` and none or traditional"},
    {"m", "custodymode", 3, 3, read_custody_mode, {}, "`m custodymode` and a mode"},
    {"m", "cbraggr", 2, kAnyNumber, nullptr, kBpRefused, kOrangeBook},
    {"m", "cbrretx", 2, kAnyNumber, nullptr, kBpRefused, kOrangeBook},
    {"m", "cbrcounterwidth", 2, kAnyNumber, nullptr, kBpRefused, kOrangeBook},
    {"m", "crebexpliciteid", 2, kAnyNumber, nullptr, kBpRefused, kOrangeBook},
    {"m", "crebreportto", 2, kAnyNumber, nullptr, kBpRefused, kOrangeBook},
    {"m", "crsmaxlog", 2, kAnyNumber, nullptr, kBpRefused, kOrangeBook},
    {"a", "cbraccept", 2, kAnyNumber, nullptr, kBpRefused, kOrangeBook},
    {"d", "cbraccept", 2, kAnyNumber, nullptr, kBpRefused, kOrangeBook},
    {"a", "custodyreq", 2, kAnyNumber, nullptr, kBpRefused, kOrangeBook},
    {"d", "custodyreq", 2, kAnyNumber, nullptr, kBpRefused, kOrangeBook},
};

}  // namespace

std::span<const IonRule> bp_rules() {
    return kBpRules;
}

}  // namespace farlink::config
