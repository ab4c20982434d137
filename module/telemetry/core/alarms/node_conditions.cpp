// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/node_conditions.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "common/base/duration_words.hpp"
#include "common/config/fields/instant.hpp"
#include "module/telemetry/core/alarms/figures.hpp"

namespace farlink::telemetry {
namespace {

constexpr const char *kNewAuthority =
    "replace the certificate in the file, which the node reads without a restart; see it: "
    "farlinkctl cert show FILE";
constexpr const char *kNewCertificate =
    "replace the certificate in the file, and the file of its key if the key is new; the node "
    "reads both without a restart; see it: farlinkctl cert show FILE";
constexpr const char *kNewApiCertificate =
    "replace the certificate in the file, then: farlinkctl reload; see it: farlinkctl cert show "
    "FILE";

std::string clock_text(const AlarmFacts &facts) {
    if (facts.clock_behind_s > 0)
        return "the wall clock was set back by " + duration_in_words(facts.clock_behind_s) +
               ": bundles expire by elapsed time";
    const std::string suspended =
        ": no bundle expires (in " + counted_in_groups(facts.modules_suspended, "module") + ")";
    if (facts.clock_ahead_s > 0)
        return "the wall clock was set forward by " + duration_in_words(facts.clock_ahead_s) +
               suspended;
    return "at the start the wall clock was not set, was behind the reception of stored bundles, "
           "or showed that the node was off for a long time" +
           suspended;
}

/// What the end of a certificate means.
std::string_view end_text(const CertificateFacts &certificate) {
    if (certificate.authority)
        return ": the certificates of peers that it signed are refused, and new sessions with them "
               "fail";
    if (certificate.link == kNoLink) return ": new connections that verify it fail";
    return ": peers refuse it, and new sessions fail";
}

const char *renewal_text(const CertificateFacts &certificate) {
    if (certificate.link == kNoLink) return kNewApiCertificate;
    return certificate.authority ? kNewAuthority : kNewCertificate;
}

}  // namespace

void find_full_storage(const AlarmFacts &facts, bool lasting, std::vector<Condition> &found) {
    const bool disk_full = std::ranges::any_of(facts.disks, &DiskFacts::full);
    if (!facts.storage_full || (!disk_full && (!lasting || facts.storage_recovers))) return;
    std::string text = disk_full
                           ? "storage is full: bundles are refused, or their senders are paused"
                       : facts.reserve_missing
                           ? "storage accepts no bundles"
                           : "storage refuses bundles although no disk is full: a quota or another "
                             "limit is reached, or a disk fails";
    bool by_others = false;
    for (const DiskFacts &disk : facts.disks) {
        if (!disk.full || disk.used_bytes / 9 >= disk.capacity_bytes / 10) continue;
        by_others = true;
        text += "; the file system of " + disk.path + " is full, " +
                octets_in_words(disk.used_bytes) + " of it used by bundles, which may use " +
                octets_in_words(disk.capacity_bytes);
    }
    if (facts.reserve_missing)
        text +=
            "; until the reserve for a shutdown is complete, no bundle is stored, and STCP and "
            "MTCP inducts receive nothing";
    if (facts.without_room > 0)
        text += "; " + counted_in_groups(facts.without_room, "bundle") +
                " in memory could not be stored";
    found.push_back({AlarmName::kStorageFull,
                     {},
                     std::move(text),
                     by_others
                         ? "free space in that file system: find other files (df -h, du -sh), and "
                           "remove or move them; deleted bundles free space only in whole log "
                           "files of `segmentBytes`"
                         : "see the backlog: farlinkctl storage show; free space: farlinkctl "
                           "storage delete, or add a contact: farlinkctl plan add --file FILE"});
}

void find_certificate_ends(const AlarmFacts &facts, const config::AlarmsConfig &config,
                           DtnTime wall, std::vector<Condition> &found) {
    for (const CertificateFacts &each : facts.certificates) {
        const bool ended = each.ends <= wall;
        if (!ended && each.ends - wall > config.certificate_days * kDayMs) continue;
        const std::string who = (each.authority ? "the CA certificate " : "the certificate ") +
                                each.name + " of " + each.use + " in " + each.file +
                                (ended ? " expired at " : " expires at ") +
                                config::format_utc(each.ends);
        found.push_back({ended ? AlarmName::kCertificateEnded : AlarmName::kCertificateEndsSoon,
                         {.link = each.link, .file = each.file},
                         ended ? who + std::string(end_text(each))
                               : who + ", in " + duration_in_words((each.ends - wall) / kSecondMs),
                         renewal_text(each),
                         who});
    }
}

void find_clock_faults(const AlarmFacts &facts, std::vector<Condition> &found) {
    if (facts.modules_suspended > 0 || facts.clock_behind_s > 0)
        found.push_back(
            {AlarmName::kClockSuspended,
             {},
             clock_text(facts),
             "correct the clock first; if the alarm does not end by itself then: farlinkctl "
             "clock confirm; bundles that have expired by this clock are then deleted"});
    if (!facts.clock_synchronised)
        found.push_back({AlarmName::kClockNotSynchronised,
                         {},
                         "the clock of the system is not synchronised: contacts may begin and "
                         "bundles expire at the wrong time",
                         "start a time service; see its state: timedatectl, or chronyc tracking"});
}

void find_silent_modules(const AlarmFacts &facts, std::vector<Condition> &found) {
    for (const ModuleFacts &module : facts.modules) {
        const bool lost = module.state == "lost";
        if (!lost && module.state != "silent") continue;
        found.push_back(
            {AlarmName::kModuleSilent,
             {.module = module.name},
             "module " + module.name +
                 (lost ? ": its process has ended or is not reachable"
                       : ": no heartbeats; the module hangs, or its process is stopped"),
             lost ? "see the log for the reason; with --isolate or systemd it is started "
                    "again, otherwise restart the node"
                  : "find its process: ps -eo pid,stat,cmd | grep farlink; if its state is T: "
                    "kill -CONT PID; otherwise kill -9 PID, and --isolate or systemd starts it "
                    "again; without these, restart the node"});
    }
}

void find_large_bundles(const AlarmFacts &facts, std::vector<Condition> &found) {
    if (facts.too_large_now == 0) return;
    std::string links;
    for (const LinkFacts &link : facts.links)
        if (link.too_large > 0)
            links += (links.empty() ? ": link " : ", link ") + std::to_string(link.link.value());
    const bool one = facts.too_large_now == 1;
    found.push_back({AlarmName::kBundleTooLarge,
                     {},
                     counted_in_groups(facts.too_large_now, "bundle") +
                         (one ? " waits because it is" : " wait because they are") +
                         " larger than the link of the route accepts and may not be fragmented" +
                         links,
                     "see the bundles (tooLarge): farlinkctl storage list; raise the limit of the "
                     "link or of the neighbour, or allow fragments (`fragment` of the outduct), or "
                     "delete them: farlinkctl storage delete"});
}

void find_exceeding_bundles(const AlarmFacts &facts, std::vector<Condition> &found) {
    if (facts.exceeding_now == 0) return;
    const bool one = facts.exceeding_now == 1;
    found.push_back({AlarmName::kBundleExceedsContacts,
                     {},
                     counted_in_groups(facts.exceeding_now, "bundle") +
                         (one ? " waits because it is larger than every contact on its routes"
                              : " wait because they are larger than every contact on their routes"),
                     "see the bundles (aside): farlinkctl storage list; add a longer or a faster "
                     "contact: farlinkctl plan add --file FILE; or delete them: farlinkctl storage "
                     "delete"});
}

void find_unchecked_peers(const AlarmFacts &facts, std::vector<Condition> &found) {
    for (const UncheckedFacts &each : facts.unchecked)
        found.push_back(
            {AlarmName::kPeersNotChecked,
             {.link = each.link},
             "link " + std::to_string(each.link.value()) +
                 " accepts any host as a neighbour: " + each.reason,
             each.action + "; if this is intended, add the alarm to `ignore` of `alarms`"});
}

void find_stopped_history(const AlarmFacts &facts, std::vector<Condition> &found) {
    if (facts.history_fault.empty()) return;
    found.push_back({AlarmName::kHistoryStopped,
                     {},
                     "the history is not written: " + facts.history_fault,
                     "free space on its disk, or change history.folder and restart the node"});
}

}  // namespace farlink::telemetry
