// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/top/top_view.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "apps/farlinkctl/node/state_tables.hpp"
#include "apps/farlinkctl/shared/figures.hpp"
#include "apps/farlinkctl/shared/reply_table.hpp"
#include "common/telemetry/link_counters.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<TopLine>;

constexpr const char *kQueuedMember =
    telemetry::counter_info<telemetry::LinkCounter::kQueuedBytes>().json.link.data();

/// Rows that each table gets before any table gets more.
constexpr std::size_t kLeastLinks = 4;
constexpr std::size_t kLeastOthers = 3;

const Json &part(const Json &state, const char *key) {
    static const Json kNone = Json::object();
    const auto found = state.find(key);
    return found != state.end() && found->is_object() ? *found : kNone;
}

/// On the left, or on the right of its column.
std::string padded(std::string text, std::size_t columns, bool right = true) {
    const std::size_t size = columns_of(text);
    if (size >= columns) return text;
    const std::string gap(columns - size, ' ');
    return right ? gap + text : text + gap;
}

// ---- the head -----------------------------------------------------------------------------------

std::string module_summary(const Json &modules) {
    std::string words;
    for (const auto &[name, module] : modules.items()) {
        const std::string state = text(module, "state");
        if (state != "ready") words += (words.empty() ? "" : ", ") + name + ' ' + state;
    }
    return words.empty() ? "all modules ready" : words;
}

std::string plan_summary(const Json &plan) {
    if (!is_true(plan, "configured")) return "no contact plan";
    return "plan " + text(plan, "version") + ", " + counted_text(plan, "contacts", "contact");
}

std::string rate_words(const char *name, double bundles, double bits) {
    return std::string(name) + ' ' + short_number(bits) + "bit/s " + short_number(bundles) +
           " bundles/s";
}

Lines head_of(const TopPicture &picture) {
    const Json &node = part(picture.state, "node");
    const Json &storage = part(picture.state, "storage");
    const Json &process = part(picture.state, "process");
    std::string modules = module_summary(part(picture.state, "modules"));
    if (const std::string why = node.value("degraded", std::string()); !why.empty())
        modules += ", degraded: " + why;
    Lines lines{{"farlink node " + text(node, "number") + "  up " +
                     duration_text(number(node, "uptimeSeconds")) + "  " + modules + "  " +
                     plan_summary(part(picture.state, "plan")),
                 modules == "all modules ready" ? TopStyle::kHead : TopStyle::kError}};
    const LinkRates rates = picture.rates ? picture.rates->node : LinkRates{};
    lines.push_back({rate_words("in", rates.in_bundles, rates.in_bits) + "   " +
                     rate_words("out", rates.out_bundles, rates.out_bits)});
    lines.push_back({"stored " + short_number(number(storage, "bundles")) + " bundles, " +
                     octets_text(number(storage, "bytes")) + "   custody " +
                     short_number(number(storage, "custodyBundles")) + "   processor " +
                     text(process, "cpuPercent") + " %   memory " +
                     octets_text(number(process, "residentBytes"))});
    if (!picture.trouble.empty()) lines.push_back({printable(picture.trouble), TopStyle::kError});
    return lines;
}

// ---- tables -------------------------------------------------------------------------------------

struct LinkRow {
    std::string name;
    const Json *link = nullptr;
    LinkRates rates;
    std::string state;
};

double key_of(const LinkRow &row, TopSort sort) {
    switch (sort) {
        case TopSort::kNumber:
            return -number(*row.link, "number");
        case TopSort::kIn:
            return row.rates.in_bits;
        case TopSort::kOut:
            return row.rates.out_bits;
        case TopSort::kQueued:
            return number(*row.link, kQueuedMember);
        case TopSort::kState:
            return row.state == "not connected"                                        ? 3
                   : row.state == "not listening" || row.state == "up, neighbour full" ? 2
                   : row.state == "up" || row.state == "listening"                     ? 0
                                                                                       : 1;
    }
    return 0;
}

TopStyle style_of(const std::string &state) {
    if (state == "up" || state == "listening") return TopStyle::kPlain;
    if (state == "not connected" || state == "not listening") return TopStyle::kError;
    return state == "up, neighbour full" ? TopStyle::kWarning : TopStyle::kFaint;
}

std::string link_line(const std::array<std::string, 8> &cells) {
    constexpr std::array<std::size_t, 8> kWidths{5, 6, 16, 9, 9, 9, 9, 9};
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        // Words begin at the same place, figures end there.
        const bool words = i == 2;
        line += (i == 0 ? "" : words ? "  " : " ") + padded(cells[i], kWidths[i], !words);
    }
    return line;
}

Lines links_of(const TopPicture &picture) {
    std::vector<LinkRow> rows;
    for (const auto &[name, link] : part(picture.state, "links").items()) {
        if (!link.is_object()) continue;
        LinkRow row{name, &link, {}, link_state(link)};
        if (picture.rates)
            if (const auto known = picture.rates->links.find(name);
                known != picture.rates->links.end())
                row.rates = known->second;
        rows.push_back(std::move(row));
    }
    const auto above = [&](const LinkRow &one, const LinkRow &other) {
        const double first = key_of(one, picture.sort);
        const double second = key_of(other, picture.sort);
        return first != second ? first > second
                               : number(*one.link, "number") < number(*other.link, "number");
    };
    std::ranges::sort(rows, above);
    Lines lines{
        {link_line({"link", "node", "state", "in bit/s", "in/s", "out bit/s", "out/s", "queued"}),
         TopStyle::kHeading}};
    for (const LinkRow &row : rows)
        lines.push_back(
            {link_line({row.name, text(*row.link, "neighbour"), row.state,
                        short_number(row.rates.in_bits), short_number(row.rates.in_bundles),
                        short_number(row.rates.out_bits), short_number(row.rates.out_bundles),
                        octets_text(number(*row.link, kQueuedMember))}),
             style_of(row.state)});
    return lines;
}

Lines disks_of(const TopPicture &picture) {
    Lines lines{{padded("disk", 5) + padded("used", 10) + padded("of", 10) + padded("%", 5) + "  " +
                     padded("state", 10, false) + "path",
                 TopStyle::kHeading}};
    for (const auto &[name, disk] : part(part(picture.state, "storage"), "disks").items()) {
        const double capacity = number(disk, "capacityBytes");
        const double percent = capacity > 0 ? 100 * number(disk, "usedBytes") / capacity : 0;
        const std::string state = cell(disk, "state");
        lines.push_back({padded(name, 5) + padded(octets_text(number(disk, "usedBytes")), 10) +
                             padded(octets_text(capacity), 10) +
                             padded(std::to_string(static_cast<int>(percent)), 5) + "  " +
                             padded(state, 10, false) + cell(disk, "path"),
                         state == "ok"     ? TopStyle::kPlain
                         : state == "full" ? TopStyle::kWarning
                                           : TopStyle::kError});
    }
    return lines;
}

/// "node 7", or a dtn name.
std::string where_of(const Json &pending) {
    return (pending.contains("name") ? "" : "node ") + destination_text(pending);
}

/// Sorted by octets, the largest first.
Lines pending_of(const TopPicture &picture) {
    constexpr std::size_t kNarrowest = 10;
    constexpr std::size_t kWidest = 40;
    std::vector<const Json *> pending;
    std::size_t wide = kNarrowest;
    for (const auto &[key, each] : part(picture.state, "pending").items()) {
        if (!each.is_object()) continue;
        pending.push_back(&each);
        wide = std::max(wide, std::min(kWidest, columns_of(where_of(each))));
    }
    std::ranges::stable_sort(pending, std::greater<>(),
                             [](const Json *each) { return number(*each, "bytes"); });
    Lines lines{{padded("waits for", wide) + padded("bundles", 10) + padded("size", 10) +
                     padded("custody", 10) + "  next expiry",
                 TopStyle::kHeading}};
    for (const Json *each : pending)
        lines.push_back({padded(where_of(*each), wide) + padded(text(*each, "bundles"), 10) +
                         padded(octets_text(number(*each, "bytes")), 10) +
                         padded(text(*each, "custodyBundles"), 10) + "  " +
                         cell(*each, "nextExpiry")});
    return lines;
}

/// The newest first.
Lines events_of(const TopPicture &picture) {
    Lines lines{{"events", TopStyle::kHeading}};
    for (auto each = picture.events.rbegin(); each != picture.events.rend(); ++each) {
        const std::string level = text(*each, "level");
        lines.push_back({event_line(*each), level == "error"     ? TopStyle::kError
                                            : level == "warning" ? TopStyle::kWarning
                                                                 : TopStyle::kPlain});
    }
    return lines;
}

// ---- the whole ----------------------------------------------------------------------------------

struct Section {
    Lines lines;        ///< the heading first
    std::size_t least;  ///< lines that it gets before any other gets more
    std::size_t given = 0;
};

/// Distributes the least lines first, then the rest in order.
void share(std::vector<Section> &sections, std::size_t rows) {
    for (const bool least : {true, false})
        for (Section &section : sections) {
            const std::size_t wanted =
                least ? std::min(section.lines.size(), section.least) : section.lines.size();
            const std::size_t more = std::min(wanted - std::min(wanted, section.given), rows);
            section.given += more;
            rows -= more;
        }
}

/// The last line has the number of omitted rows.
void append(Lines &lines, const Section &section) {
    const std::size_t all = section.lines.size();
    const bool cut_off = section.given < all;
    for (std::size_t i = 0; i < section.given; ++i) {
        if (cut_off && section.given > 1 && i + 1 == section.given)
            lines.push_back({std::to_string(all - i) + " more", TopStyle::kFaint});
        else
            lines.push_back(section.lines[i]);
    }
}

}  // namespace

std::string_view to_string(TopSort sort) {
    constexpr std::array<std::string_view, kTopSorts> kNames{"number", "in", "out", "queued",
                                                             "state"};
    return kNames[static_cast<std::size_t>(sort)];
}

TopSort next(TopSort sort) {
    return static_cast<TopSort>((static_cast<std::size_t>(sort) + 1) % kTopSorts);
}

std::vector<TopLine> draw_top(const TopPicture &picture, TopSize size) {
    Lines lines = head_of(picture);
    lines.resize(std::min(lines.size(), size.rows));
    const std::size_t foot = picture.keys && lines.size() < size.rows ? 1 : 0;
    std::vector<Section> sections{{links_of(picture), kLeastLinks + 1},
                                  {disks_of(picture), kLeastOthers + 1},
                                  {pending_of(picture), kLeastOthers + 1},
                                  {events_of(picture), kLeastOthers + 1}};
    share(sections, size.rows - lines.size() - foot);
    for (const Section &section : sections) append(lines, section);
    if (foot == 1) {
        lines.resize(size.rows - 1);
        lines.push_back(
            {"q quit   s sort links: " + std::string(to_string(picture.sort)), TopStyle::kFaint});
    }
    for (TopLine &line : lines) {
        line.text = cut(line.text, size.columns);
        // A heading is a bar over the whole screen.
        if (line.style == TopStyle::kHeading) line.text = padded(line.text, size.columns, false);
    }
    return lines;
}

std::string painted(const TopLine &line, bool colours) {
    if (!colours) return line.text;
    constexpr std::array<const char *, 7> kStyles{"", "1", "7", "32", "33", "31", "2"};
    const std::string style = kStyles[static_cast<std::size_t>(line.style)];
    return style.empty() ? line.text : "\x1b[" + style + 'm' + line.text + "\x1b[0m";
}

}  // namespace farlink::ctl
