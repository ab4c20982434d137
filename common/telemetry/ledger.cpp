// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/ledger.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "common/base/counted.hpp"
#include "common/telemetry/applications_counters.hpp"
#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/storage_counters.hpp"

namespace farlink::telemetry {
namespace {

template <class Id>
std::uint64_t value_of(std::span<const std::uint64_t> values, Id id, std::size_t member = 0) {
    const std::size_t index = static_cast<std::size_t>(id) + member;
    return index < values.size() ? values[index] : 0;
}

/// The rows with a reason count deletions.
template <class Id, std::size_t kRows>
void collect_deletions(std::vector<Ledger::Deletion> &to,
                       const std::array<CounterRow<Id>, kRows> &table,
                       std::span<const std::uint64_t> values) {
    for (const CounterRow<Id> &row : table) {
        if (row.info.reason.empty()) continue;
        if (const std::uint64_t bundles = value_of(values, row.id); bundles != 0)
            to.push_back({std::string(row.info.reason), bundles});
    }
}

void collect_malformed(std::vector<Ledger::Deletion> &to, std::span<const std::uint64_t> ingress,
                       std::span<const std::string_view> labels) {
    for (std::size_t reason = 0; reason < kMalformedReasons; ++reason) {
        const std::uint64_t bundles = value_of(ingress, IngressCounter::kMalformed, reason);
        if (bundles == 0) continue;
        const std::string label =
            reason < labels.size() ? std::string(labels[reason]) : std::to_string(reason);
        to.push_back({"malformed_" + label, bundles});
    }
}

void put_row(std::ostream &out, std::string_view name, std::uint64_t bundles) {
    out << "  " << std::left << std::setw(40) << name << std::right << std::setw(20) << bundles
        << '\n';
}

}  // namespace

Ledger Ledger::from(std::span<const std::uint64_t> ingress, std::span<const std::uint64_t> egress,
                    std::span<const std::uint64_t> storage,
                    std::span<const std::string_view> malformed_labels,
                    std::span<const std::uint64_t> applications) {
    Ledger ledger;
    ledger.received = value_of(ingress, IngressCounter::kReceived);
    ledger.originated = value_of(ingress, IngressCounter::kOriginated);
    ledger.copies = value_of(ingress, IngressCounter::kCopies) +
                    value_of(storage, StorageCounter::kCustodySent) +
                    value_of(storage, StorageCounter::kCriticalSent);
    ledger.restored = value_of(storage, StorageCounter::kRestored);
    ledger.joined = value_of(storage, StorageCounter::kJoined);

    ledger.delivered = value_of(ingress, IngressCounter::kDelivered) +
                       value_of(applications, ApplicationsCounter::kDelivered);
    ledger.forwarded =
        value_of(egress, EgressCounter::kForwarded) + value_of(ingress, IngressCounter::kForwarded);
    ledger.stored = value_of(storage, StorageCounter::kStoredNow);
    ledger.in_flight = value_of(ingress, IngressCounter::kInFlight);
    ledger.expired =
        value_of(ingress, IngressCounter::kExpired) + value_of(storage, StorageCounter::kExpired);
    ledger.duplicates = value_of(ingress, IngressCounter::kDuplicatesDelivered) +
                        value_of(ingress, IngressCounter::kDuplicatesInFlight) +
                        value_of(storage, StorageCounter::kDuplicates) +
                        value_of(applications, ApplicationsCounter::kDuplicates);
    ledger.copies_dropped = value_of(ingress, IngressCounter::kCopiesDropped) +
                            value_of(storage, StorageCounter::kCopiesDropped) +
                            value_of(storage, StorageCounter::kCustodyReleased) +
                            value_of(storage, StorageCounter::kCriticalReleased);
    ledger.fragments_joined = value_of(storage, StorageCounter::kJoinedFragments);
    collect_malformed(ledger.deletions, ingress, malformed_labels);
    collect_deletions(ledger.deletions, kIngressCounters, ingress);
    collect_deletions(ledger.deletions, kStorageCounters, storage);
    collect_deletions(ledger.deletions, kEgressCounters, egress);
    collect_deletions(ledger.deletions, kApplicationsCounters, applications);
    return ledger;
}

std::uint64_t Ledger::deleted() const {
    std::uint64_t sum = 0;
    for (const Deletion &deletion : deletions) sum += deletion.bundles;
    return sum;
}

std::string Ledger::to_table() const {
    std::ostringstream out;
    out << "came in" << '\n';
    put_row(out, "received", received);
    put_row(out, "originated", originated);
    put_row(out, "restored", restored);
    put_row(out, "copies", copies);
    put_row(out, "joined from fragments", joined);
    put_row(out, "sum", left());
    out << "accounted for" << '\n';
    put_row(out, "delivered", delivered);
    put_row(out, "forwarded", forwarded);
    put_row(out, "stored", stored);
    put_row(out, "in flight", in_flight);
    put_row(out, "expired", expired);
    for (const Deletion &deletion : deletions)
        put_row(out, "deleted: " + deletion.reason, deletion.bundles);
    put_row(out, "duplicates", duplicates);
    put_row(out, "copies dropped", copies_dropped);
    put_row(out, "fragments joined", fragments_joined);
    put_row(out, "sum", right());
    if (unreported > 0)
        out << "ledger cannot balance: " << counted(unreported, "module")
            << " sent no final report\n";
    else if (restarted > 0)
        out << "ledger cannot balance: " << counted(restarted, "module")
            << " died and started again\n";
    else if (balanced())
        out << "balanced\n";
    else if (began_late)
        out << "ledger cannot balance: telemetry started late; earlier restarts of modules are "
               "unknown\n";
    else if (left() > right())
        out << "NOT balanced: " << counted(left() - right(), "bundle") << " missing\n";
    else
        out << "NOT balanced: " << counted(right() - left(), "bundle") << " counted twice\n";
    return out.str();
}

}  // namespace farlink::telemetry
