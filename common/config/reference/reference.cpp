// SPDX-License-Identifier: Apache-2.0
#include "common/config/reference/reference.hpp"

#include <array>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include "common/config/fields/link_url.hpp"
#include "common/config/fields/section_checker.hpp"
#include "common/config/node/node_fields.hpp"
#include "common/config/reload/live_settings.hpp"
#include "common/plan/contact_fields.hpp"

namespace farlink::config {
namespace {

constexpr std::string_view kMinimal = R"({
  "myNodeId": 1,
  "inductsConfig": [
    { "url": "stcp://0.0.0.0:4556" }
  ],
  "outductsConfig": [
    { "url": "stcp://127.0.0.1:4558", "nextHopNodeId": 2 }
  ]
}
)";

constexpr std::string_view kIntroduction = R"(# Configuration

<!-- Generated from the field tables in common/config; do not edit.
     FARLINK_UPDATE_GENERATED=1 ./unit_config --gtest_filter='Generated*' writes it again. -->

One JSON file configures a node; a contact plan contains the times of its links. This is the
smallest useful configuration: one induct, one outduct, and no plan, so that all links have
permanent contacts.

```json
)";

constexpr std::string_view kRules = R"(```

`config/examples` has more examples, and `config/schema` has JSON Schemas for editors: begin a file
with `"$schema": "farlink.schema.json"` (or its path), and the editor completes and explains the
keys.

The file is checked as a whole before the node starts. All errors are reported together, each with
its place in the file, the value found and the values allowed:

<!-- commands: faulty -->
```console
$ farlink --check --config gateway.json
gateway.json: bufferBytes: found -1; expected an integer from 1048576 to 1099511627776 (bytes)
gateway.json: inductsConfig[0].maxSession: unknown key; did you mean "maxSessions"?
```

Unknown keys, duplicate keys, numbers in quotes and fractions in place of integers are errors. The
tables state the unit of each number. Sizes in bytes and rates in bits per second may be texts with
a suffix, `"64k"`, `"5M"`, `"1G"`, `"2T"` in powers of 1000, `"64Ki"` to `"2Ti"` in powers of 1024,
also in the options of a URL. File names are relative to the folder of the file that contains them.
)";

constexpr std::string_view kPlanIntroduction = R"(## Contact plan

The plan states when links have contacts. A node opens and closes its own links according to the
contacts that begin at itself, and computes routes from all contacts. Without a plan all links have
permanent contacts.

```json
{
  "contacts": [
    { "contact": 0, "source": 10, "dest": 2, "startTime": 0, "endTime": 12 },
    { "contact": 1, "source": 10, "dest": 2, "startTime": 24, "endTime": 36,
      "rateBitsPerSec": 1000000, "owlt": 1.28 }
  ]
}
```

[Contact plans](contact-plans.md) describes how to write, check and display a plan; a list of ION's
commands is also a plan ([its form](../formats/contact-plan.md)). A plan is checked like a
configuration, and has at most 500,000 contacts. HDTN's former key `rate` (Mbit/s) is rejected with
a message that names `rateBitsPerSec`.
)";

constexpr std::string_view kUrlIntroduction = R"(## Link URLs

A link is `scheme://host:port`, with an IPv6 address in brackets (`stcp://[::1]:4556`). The scheme
selects the convergence layer; [links.md](links.md) describes what each one guarantees and when to
use it. In a configuration file the other settings of a link are keys next to `url`. Programs that
take a link as an argument accept the same keys as options of the URL:
`tcpclv4://relay:4556?tls=required&ca=ca.pem&maxSegmentBytes=65536`; there `&`, `%`,
spaces and characters outside of ASCII are written as `%` and two hexadecimal digits.
)";

std::string type_of(const FieldInfo &field) {
    switch (field.kind) {
        case FieldKind::kInteger:
            return field.unit == kNodeUnit ? "integer or text" : "integer";
        case FieldKind::kSeconds:
            return "number";
        case FieldKind::kInstant:
            return "number or text";
        case FieldKind::kBoolean:
            return "true or false";
        case FieldKind::kText:
            return "text";
        case FieldKind::kTexts:
            return "list of texts";
        case FieldKind::kChoice:
            return alternatives(field.choices, true);
        case FieldKind::kLinkUrl:
            return "URL";
        case FieldKind::kObject:
            return "object, see below";
        case FieldKind::kList:
            return "list of objects, see below";
    }
    return {};
}

/// "128 MiB" for a number of bytes that is one exactly, "2^64 - 1" for the largest integer.
std::string value_in_words(std::uint64_t value, std::string_view unit) {
    if (value == std::numeric_limits<std::uint64_t>::max()) return "2^64 - 1";
    constexpr std::array<std::string_view, 4> kUnits{"KiB", "MiB", "GiB", "TiB"};
    std::string words = std::to_string(value);
    if (unit != "bytes") return words;
    for (const std::string_view larger : kUnits) {
        if (value == 0 || value % 1024 != 0) break;
        value /= 1024;
        words = std::to_string(value) + ' ' + std::string(larger);
    }
    return words;
}

std::string range_of(const FieldInfo &field) {
    const bool number = field.kind == FieldKind::kInteger || field.kind == FieldKind::kSeconds ||
                        field.kind == FieldKind::kInstant;
    if (!number) return {};
    std::string least = value_in_words(field.minimum, field.unit);
    std::string most = value_in_words(field.maximum, field.unit);
    const bool shown = !field.unit.empty() && field.unit != kNodeUnit;
    if (shown && !most.ends_with("iB")) most += ' ' + std::string(field.unit);
    // "64 bytes to 4095 MiB": what follows the second number must not count for the first.
    if (most.ends_with("iB") && field.minimum != 0 && !least.ends_with("iB"))
        least += field.minimum == 1 ? " byte" : " bytes";
    return ", " + least + " to " + most;
}

std::string default_of(const FieldInfo &field) {
    if (field.required) return "**required**";
    if (!field.computed_default.empty()) return std::string(field.computed_default);
    if (const auto *number = std::get_if<std::uint64_t>(&field.fallback)) {
        const std::string digits = std::to_string(*number);
        const std::string words = value_in_words(*number, field.unit);
        std::string text = '`' + digits + '`' + (words == digits ? "" : " (" + words + ')');
        if (!field.no_fallback_for.empty())
            text += "; " + std::string(field.no_fallback_for) + ": none";
        return text;
    }
    if (const auto *flag = std::get_if<bool>(&field.fallback)) return *flag ? "`true`" : "`false`";
    if (const auto *text = std::get_if<std::string_view>(&field.fallback))
        return "`\"" + std::string(*text) + "\"`";
    if (field.kind == FieldKind::kList || field.kind == FieldKind::kTexts) return "`[]`";
    if (field.kind == FieldKind::kObject) return "`{}`";
    return "none";
}

std::string layers_of(const FieldInfo &field) {
    if (field.schemes.empty()) return "all";
    std::string layers;
    for (const std::string_view scheme : field.schemes)
        layers += (layers.empty() ? "" : ", ") + std::string(scheme);
    return layers;
}

void put_section(std::ostream &out, const SectionInfo &section, std::string_view heading) {
    const bool of_link = !section.link.empty();
    out << "\n"
        << heading << "\n\n"
        << section.help << "\n\n"
        << "| key | type and range | default | " << (of_link ? "convergence layers | " : "")
        << "meaning |\n"
        << "|---|---|---|---|" << (of_link ? "---|" : "") << '\n';
    for (const FieldInfo &field : section.fields) {
        out << "| `" << field.key << "` | " << type_of(field) << range_of(field) << " | "
            << default_of(field) << " | ";
        if (of_link) out << layers_of(field) << " | ";
        out << field.help << " |\n";
    }
    for (const FieldInfo &field : section.fields)
        if (field.section != nullptr)
            put_section(out, *field.section, "### `" + std::string(field.section->title) + '`');
}

constexpr std::string_view kReloadIntroduction = R"(## Changing a running node

`farlinkctl reload`, or SIGHUP, reads the file again and applies what differs
([control.md](control.md#reloading-the-configuration)). These settings are applied while the node
runs; a change of any other one needs a restart. Certificates, keys and tokens are read again as
well when their files have changed.

| setting | takes effect for |
|---|---|
)";

void put_live_settings(std::ostream &out) {
    out << '\n' << kReloadIntroduction;
    for (const LiveSetting &setting : live_settings())
        if (setting.applied != Applied::kRestart)
            out << "| `" << setting.path << "` | " << setting.effect << " |\n";
    out << "\nSettings in these sections that need a restart: ";
    bool first = true;
    for (const LiveSetting &setting : live_settings())
        if (setting.applied == Applied::kRestart)
            out << (std::exchange(first, false) ? "`" : ", `") << setting.path << '`';
    out << ".\n";
}

void put_schemes(std::ostream &out) {
    out << '\n' << kUrlIntroduction << "\n| scheme | meaning |\n|---|---|\n";
    for (const SchemeInfo &scheme : known_schemes())
        out << "| `" << scheme.name << "` | " << scheme.help << " |\n";
}

}  // namespace

std::string_view minimal_config() {
    return kMinimal;
}

std::string config_reference_markdown() {
    std::ostringstream out;
    out << kIntroduction << kMinimal << kRules;
    put_section(out, node_table().info(), "## The file");
    put_schemes(out);
    put_live_settings(out);
    out << '\n' << kPlanIntroduction;
    put_section(out, contact_plan_table().info(), "### The plan's file");
    return out.str();
}

}  // namespace farlink::config
