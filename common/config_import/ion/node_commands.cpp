// SPDX-License-Identifier: Apache-2.0
// The commands of ionadmin: the node's number and its contact plan.
#include <algorithm>
#include <string>

#include "common/config/fields/config_error.hpp"
#include "common/config_import/ion/ion_rules.hpp"

namespace farlink::config {
namespace {

constexpr std::string_view kForecast =
    "is for ION's congestion forecasts; farlink books the volume of contacts itself";
constexpr std::string_view kClock = "farlink uses the system's clock";
constexpr std::string_view kSpace =
    "ION's memory; in farlink, `bufferBytes` and `storageConfig` limit memory and disk";

bool is_given(const IonReading &reading, std::string_view file) {
    const auto ends = [&](const IonFile &each) {
        return each.name == file || each.name.ends_with('/' + std::string(file));
    };
    return std::ranges::any_of(reading.source.files(), ends);
}

/// `1 NODE [file]`
void read_node(const IonReading &reading) {
    const auto node = node_number_of(reading.words[1]);
    if (!node) return reading.wrong(1, "the number of the node");
    NodeDraft &draft = reading.draft;
    if (draft.node_command && draft.node != node)
        return reading.refused("the files are of two nodes: another number is in " +
                               reading.verdicts.place_of(*draft.node_command));
    draft.node = node;
    if (!draft.node_command) draft.node_command = reading.command;
    reading.mapped("myNodeId " + std::to_string(*node));
    const std::string_view file = reading.words[2];
    if (!file.empty() && !is_given(reading, file))
        reading.noted("the file " + in_quotes(file) + " only sizes ION's memory");
}

/// Whether both nodes of the command are one: ION's loopback.
bool to_itself(const IonReading &reading, std::size_t from) {
    const auto one = node_number_of(reading.words[from]);
    return one && one == node_number_of(reading.words[from + 1]);
}

/// `a`, `c` or `d` with `contact` or `range`; contacts of a plan are read and checked together.
void read_contact(const IonReading &reading) {
    const std::string_view verb = reading.words[0];
    const bool registers = reading.words[2] == "-1";
    if (registers)
        return reading.noted("the registration of a node: the nodes are those of the contacts");
    if (verb == "d" && reading.words[2] == "0")
        return reading.noted("a hypothetical contact, which was not imported");
    if (to_itself(reading, verb == "a" ? 4 : 3))
        return reading.noted("a node needs no contact with itself");
    reading.draft.contact_commands.push_back(reading.command);
    reading.mapped("contact plan");
}

/// `@` and `^`
void read_reference(const IonReading &reading) {
    reading.draft.contact_commands.push_back(reading.command);
    reading.mapped("contact plan");
}

constexpr IonRule kNodeRules[]{
    {"1", "", 2, 3, read_node, {}, "`1`, node number and optionally a file"},
    {.verb = "s", .text = "a node starts with the program `farlink`"},
    {.verb = "x", .text = "a node ends with the program `farlink`"},
    {"a",
     "contact",
     7,
     8,
     read_contact,
     {},
     "`a contact`, start, stop, sending node, receiving node, bytes per second and optionally a "
     "confidence"},
    {"c",
     "contact",
     6,
     7,
     read_contact,
     {},
     "`c contact`, start, sending node, receiving node, bytes per second and optionally a "
     "confidence"},
    {"d",
     "contact",
     5,
     5,
     read_contact,
     {},
     "`d contact`, start or *, sending node and receiving node"},
    {"a",
     "range",
     7,
     7,
     read_contact,
     {},
     "`a range`, start, stop, one node, the other node and seconds"},
    {"d", "range", 5, 5, read_contact, {}, "`d range`, start or *, one node and the other node"},
    {"@", "", 2, 2, read_reference, {}, "`@` and a time"},
    {"^", "", 2, 2, read_reference, {}, "`^` and a region"},
};

constexpr IonRule kNodeSettings[]{
    {.verb = "m", .object = "horizon", .least = 3, .most = 3, .text = kForecast},
    {.verb = "m", .object = "production", .least = 3, .most = 3, .text = kForecast},
    {.verb = "m", .object = "consumption", .least = 3, .most = 3, .text = kForecast},
    {.verb = "m",
     .object = "alarm",
     .least = 3,
     .most = 3,
     .text =
         "is called on ION's congestion forecasts; `alarms.command` is called on farlink's alarms"},
    {.verb = "m",
     .object = "usage",
     .least = 2,
     .most = 2,
     .text = "prints; `farlinkctl status` does the same"},
    {.verb = "m", .object = "utcdelta", .least = 3, .most = 3, .text = kClock},
    {.verb = "m", .object = "clockerr", .least = 3, .most = 3, .text = kClock},
    {.verb = "m", .object = "clocksync", .least = 2, .most = 3, .text = kClock},
    {.verb = "m", .object = "inbound", .least = 3, .most = 4, .text = kSpace},
    {.verb = "m", .object = "outbound", .least = 3, .most = 4, .text = kSpace},
    {.verb = "m", .object = "search", .least = 3, .most = 3, .text = kSpace},
    {.verb = "m",
     .object = "home",
     .least = 3,
     .most = 3,
     .text = "farlink has no regions; its contact plan has the contacts of one"},
    {.verb = "m",
     .object = "outer",
     .least = 3,
     .most = 3,
     .outcome = ImportOutcome::kRefused,
     .text = "farlink has no regions: a passageway between two cannot be imported"},
    {.verb = "a",
     .object = "passageway",
     .least = 2,
     .most = kAnyNumber,
     .outcome = ImportOutcome::kRefused,
     .text = "farlink has no regions: a passageway between two cannot be imported"},
};

constexpr std::string_view kMemory = "sizes ION's shared memory; farlink has none";

constexpr IonRule kMemoryRules[]{
    {.verb = "sdrName", .least = 2, .most = 2, .text = kMemory},
    {.verb = "wmKey", .least = 2, .most = 2, .text = kMemory},
    {.verb = "wmSize", .least = 2, .most = 2, .text = kMemory},
    {.verb = "wmAddress", .least = 2, .most = 2, .text = kMemory},
    {.verb = "sdrWmSize", .least = 2, .most = 2, .text = kMemory},
    {.verb = "configFlags",
     .least = 2,
     .most = 2,
     .text = "where ION keeps its data; farlink keeps waiting bundles on disk"},
    {.verb = "heapWords",
     .least = 2,
     .most = 2,
     .text = "the space for ION's bundles; in farlink, see "
             "`storageConfig.totalStorageCapacityBytes`, 16 GiB by default"},
    {.verb = "heapKey", .least = 2, .most = 2, .text = kMemory},
    {.verb = "logSize", .least = 2, .most = 2, .text = kMemory},
    {.verb = "logKey", .least = 2, .most = 2, .text = kMemory},
    {.verb = "pathName",
     .least = 2,
     .most = 2,
     .text = "the folder of ION's data; in farlink, see `storageConfig.storeFilePath`"},
};

}  // namespace

std::span<const IonRule> node_rules() {
    return kNodeRules;
}

std::span<const IonRule> node_settings() {
    return kNodeSettings;
}

std::span<const IonRule> memory_rules() {
    return kMemoryRules;
}

}  // namespace farlink::config
