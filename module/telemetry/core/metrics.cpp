// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/metrics.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "common/telemetry/applications_counters.hpp"
#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/link_counters.hpp"
#include "common/telemetry/ltp_counters.hpp"
#include "common/telemetry/storage_counters.hpp"
#include "module/telemetry/core/module_name.hpp"
#include "module/telemetry/core/text/metrics_writer.hpp"

namespace farlink::telemetry {
namespace {

using Values = std::vector<std::uint64_t>;

constexpr double kNanosecondsPerSecond = 1e9;

std::uint64_t value_at(const Values &values, std::size_t place) {
    return place < values.size() ? values[place] : 0;
}

/// The name of a family; the counter tables have it without the prefix of all farlink's metrics.
std::string metric_name(std::string_view metric) {
    return "farlink_" + std::string(metric);
}

MetricKind kind_of(bool gauge) {
    return gauge ? MetricKind::kGauge : MetricKind::kCounter;
}

/// Begins the family of a row.
void begin_family(MetricsWriter &to, const CounterInfo &info) {
    to.family(metric_name(info.metric), kind_of(info.gauge), info.help);
}

std::span<const std::string_view> labels_of(const TelemetryCore &core, std::string_view family) {
    const auto found = std::ranges::find(core.families(), family, &FamilyLabels::family);
    return found == core.families().end() ? std::span<const std::string_view>() : found->labels;
}

/// The rows with a reason are the members of one family.
template <class Id, std::size_t kRows>
void write_deleted(MetricsWriter &to, const std::array<CounterRow<Id>, kRows> &table,
                   const Values &values) {
    bool begun = false;
    for (const CounterRow<Id> &row : table) {
        if (row.info.reason.empty()) continue;
        if (!std::exchange(begun, true))
            to.family(metric_name(row.info.metric), MetricKind::kCounter,
                      "Bundles deleted, by reason.");
        to.sample(label("reason", row.info.reason),
                  value_at(values, static_cast<std::size_t>(row.id)));
    }
}

template <class Id, std::size_t kRows>
void write_module(MetricsWriter &to, const TelemetryCore &core,
                  const std::array<CounterRow<Id>, kRows> &table, const Values &values) {
    for (const CounterRow<Id> &row : table) {
        if (!row.info.reason.empty()) continue;
        const auto place = static_cast<std::size_t>(row.id);
        begin_family(to, row.info);
        if (row.info.slots == 1) {
            to.sample({}, value_at(values, place));
            continue;
        }
        const auto labels = labels_of(core, row.info.name);
        for (std::size_t i = 0; i < std::min(row.info.slots, labels.size()); ++i)
            to.sample(label("reason", labels[i]), value_at(values, place + i));
    }
    write_deleted(to, table, values);
}

// ---- links ------------------------------------------------------------------------------------

/// Labels of each link and neighbour, made once for all families.
struct LabelledLink {
    std::string labels;
    const LinkTally *tally;
    bool whole;  ///< not a neighbour at it
};

std::vector<LabelledLink> labelled_links(const TelemetryCore &core) {
    std::vector<LabelledLink> links;
    for (const auto &[id, known] : core.links().links()) {
        const bus::LinkInfo *info = known.info();
        for (const auto &[module, host] : known.hosts)
            for (const auto &[peer, tally] : host) {
                std::string labels = label("link", std::to_string(id.value())) + ',' +
                                     label("module", module_name(module));
                if (info != nullptr && info->neighbour != NodeNumber{})
                    labels += ',' + label("neighbour", std::to_string(info->neighbour.value()));
                if (!peer.empty()) labels += ',' + label("peer", peer);
                links.push_back({std::move(labels), &tally, peer.empty()});
            }
    }
    return links;
}

bool counted_anywhere(const std::vector<LabelledLink> &links, std::size_t place) {
    return std::ranges::any_of(
        links, [&](const LabelledLink &link) { return link.tally->value(place) != 0; });
}

/// A family with a label for each member, of links that count any.
void write_link_family(MetricsWriter &to, const std::vector<LabelledLink> &links,
                       const CounterInfo &info, std::size_t place,
                       std::span<const std::string_view> members) {
    bool begun = false;
    for (std::size_t i = 0; i < std::min(info.slots, members.size()); ++i) {
        if (!counted_anywhere(links, place + i)) continue;
        if (!std::exchange(begun, true)) begin_family(to, info);
        const std::string reason = ',' + label("reason", members[i]);
        for (const LabelledLink &link : links)
            if (const std::uint64_t value = link.tally->value(place + i); value != 0)
                to.sample(link.labels + reason, value);
    }
}

/// A family for each counter of LTP that any link counts.
void write_ltp(MetricsWriter &to, const std::vector<LabelledLink> &links, const CounterInfo &info,
               std::size_t place) {
    for (std::size_t i = 0; i < kLtpCounters.size(); ++i) {
        if (!counted_anywhere(links, place + i)) continue;
        to.family(metric_name(kLtpCounters[i].metric), kind_of(kLtpCounters[i].gauge), info.help);
        for (const LabelledLink &link : links) to.sample(link.labels, link.tally->value(place + i));
    }
}

void write_link_counters(MetricsWriter &to, const TelemetryCore &core) {
    const std::vector<LabelledLink> links = labelled_links(core);
    if (links.empty()) return;
    for (const CounterRow<LinkCounter> &row : kLinkCounters) {
        const auto place = static_cast<std::size_t>(row.id);
        if (row.id == LinkCounter::kLtp) {
            write_ltp(to, links, row.info, place);
            continue;
        }
        if (row.info.slots > 1) {
            write_link_family(to, links, row.info, place, labels_of(core, row.info.name));
            continue;
        }
        begin_family(to, row.info);
        for (const LabelledLink &link : links)
            if (link.whole || link.tally->value(place) != 0)
                to.sample(link.labels, link.tally->value(place));
    }
}

struct LinkLevel {
    const char *key;
    const char *name;
    const char *help;
};

void write_link_states(MetricsWriter &to, const LiveState &state) {
    static constexpr LinkLevel kLevels[] = {
        {"up", "farlink_link_up", "1 while the link is up."},
        {"planned", "farlink_link_planned", "1 while a contact of the link is open."},
        {"enabled", "farlink_link_enabled", "0 while the operator has taken the link down."},
        {"connected", "farlink_link_connected", "1 while the link is connected."},
        {"rateBitsPerSec", "farlink_link_rate_bits_per_second",
         "Rate of the open contact; 0: unlimited."},
        {"lightTimeSeconds", "farlink_link_light_time_seconds",
         "One-way light time of the open contact."},
    };
    // Labels of links are made once for all families.
    std::vector<std::pair<std::string, const Json *>> links;
    const auto &known = state.links().json().get_ref<const Json::object_t &>();
    links.reserve(known.size());
    for (const auto &[number, link] : known) {
        std::string labels = label("link", number);
        if (const auto neighbour = link.find("neighbour");
            neighbour != link.end() && neighbour->is_number_unsigned())
            labels += ',' + label("neighbour", std::to_string(neighbour->get<std::uint64_t>()));
        links.emplace_back(std::move(labels), &link);
    }
    for (const LinkLevel &level : kLevels) {
        to.family(level.name, MetricKind::kGauge, level.help);
        for (const auto &[labels, link] : links) {
            const auto value = link->find(level.key);
            if (value == link->end()) continue;
            if (value->is_boolean())
                to.sample(labels, std::uint64_t{value->get<bool>()});
            else if (value->is_number())
                to.sample(labels, value->get<double>());
        }
    }
}

// ---- the rest ---------------------------------------------------------------------------------

void write_storage(MetricsWriter &to, const bus::StorageReport &report) {
    to.family("farlink_storage_disk_used_bytes", MetricKind::kGauge,
              "Disk space in use by bundles.");
    for (const bus::DiskReport &disk : report.disks)
        to.sample(label("disk", as_text(disk.path)), disk.used_bytes);
    to.family("farlink_storage_disk_capacity_bytes", MetricKind::kGauge,
              "Disk space that the store may use.");
    for (const bus::DiskReport &disk : report.disks)
        to.sample(label("disk", as_text(disk.path)), disk.capacity_bytes);
    to.family("farlink_storage_disk_ok", MetricKind::kGauge,
              "1 while the disk is ok, 0 while it is full, failing or set aside.");
    for (const bus::DiskReport &disk : report.disks)
        to.sample(label("disk", as_text(disk.path)),
                  std::uint64_t{disk.state == bus::DiskState::kOk});
    const auto each = [&](const char *name, const char *help, auto value) {
        to.family(name, MetricKind::kGauge, help);
        for (const bus::PendingReport &pending : report.pending)
            to.sample(label("destination", pending.name.empty()
                                               ? std::to_string(pending.destination.value())
                                               : std::string(as_text(pending.name))),
                      value(pending));
    };
    each("farlink_storage_pending_bundles", "Bundles in storage, by destination.",
         [](const auto &pending) { return pending.bundles; });
    each("farlink_storage_pending_bytes", "Bytes of the bundles in storage, by destination.",
         [](const auto &pending) { return pending.bytes; });
}

void write_latency(MetricsWriter &to, const TelemetryCore &core, bus::LatencyKind kind,
                   std::string_view name, std::string_view help) {
    const auto seconds = [](std::uint64_t ns) {
        return static_cast<double>(ns) / kNanosecondsPerSecond;
    };
    bool first = true;
    for (const auto &[key, report] : core.histograms()) {
        if (key.second != kind) continue;
        if (std::exchange(first, false)) to.family(name, MetricKind::kSummary, help);
        const std::string module = label("module", module_name(key.first));
        const auto quantile = [&](std::string_view part, std::uint64_t ns) {
            to.sample(module + ',' + label("quantile", part), seconds(ns));
        };
        quantile("0.5", report.p50_ns);
        quantile("0.9", report.p90_ns);
        quantile("0.99", report.p99_ns);
        quantile("0.999", report.p999_ns);
        to.part("_sum", module, seconds(report.sum_ns));
        to.part("_count", module, static_cast<double>(report.count));
    }
}

void write_latencies(MetricsWriter &to, const TelemetryCore &core) {
    write_latency(to, core, bus::LatencyKind::kCutThrough, "farlink_cut_through_seconds",
                  "Time from the reception of a bundle until egress reports its outcome.");
    write_latency(to, core, bus::LatencyKind::kStorageFlush, "farlink_storage_flush_seconds",
                  "Duration of a flush of a disk.");
}

void write_process(MetricsWriter &to, const TelemetryCore &core, const LiveState &state,
                   const std::string &version) {
    to.family("farlink_build_info", MetricKind::kGauge, "The version of farlink.");
    to.sample(label("version", version), std::uint64_t{1});
    to.family("farlink_ready", MetricKind::kGauge, "1 while all modules are ready.");
    to.sample({}, std::uint64_t{state.ready()});
    const bus::ProcessReport process = core.all_processes();
    if (process.resident_bytes == 0) return;
    to.family("process_cpu_seconds_total", MetricKind::kCounter,
              "Processor time of all processes of the node.");
    to.sample({}, static_cast<double>(process.cpu_ns) / kNanosecondsPerSecond);
    to.family("process_resident_memory_bytes", MetricKind::kGauge,
              "Resident memory of all processes of the node.");
    to.sample({}, process.resident_bytes);
    to.family("process_threads", MetricKind::kGauge, "Threads of all processes of the node.");
    to.sample({}, process.threads);
    to.family("process_open_fds", MetricKind::kGauge,
              "Open file descriptors of all processes of the node.");
    to.sample({}, process.descriptors);
}

}  // namespace

std::string metrics_text(const TelemetryCore &core, const LiveState &state,
                         const std::string &version) {
    MetricsWriter to;
    write_process(to, core, state, version);
    write_module(to, core, kIngressCounters, core.values(bus::AgentId::kIngress));
    write_module(to, core, kEgressCounters, core.values(bus::AgentId::kEgress));
    write_module(to, core, kStorageCounters, core.values(bus::AgentId::kStorage));
    write_module(to, core, kApplicationsCounters, core.values(bus::AgentId::kApplications));
    write_link_counters(to, core);
    write_link_states(to, state);
    if (core.storage()) write_storage(to, *core.storage());
    write_latencies(to, core);
    return to.take();
}

}  // namespace farlink::telemetry
