// SPDX-License-Identifier: Apache-2.0
// Takes custody of BPv6 bundles, and gives it away (RFC 5050 section 5.10, CCSDS 734.2-B-1).
// Owned by StorageCore; one thread; no file, clock or log.
// Custody is taken when a bundle is flushed, and lasts until the next custodian answers or the
// bundle's lifetime ends (docs/adr/0009-custody.md).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/bp/eid/eid_pattern.hpp"
#include "common/bp/v6/custody_signal_collector.hpp"
#include "common/config/node/node_config.hpp"
#include "module/storage/core/custody/custody_ids.hpp"
#include "module/storage/core/index/identity.hpp"
#include "module/storage/core/state/storage_context.hpp"

namespace farlink::storage {

struct CustodyOptions {
    NodeNumber node;  ///< 0: this store takes no custody
    config::CustodyConfig config{};
    /// Of a node with applications; 0: it has none, and every service is its own.
    std::uint64_t echo_service = 0;
};

/// A custody signal of a node that may not give it, or that is not proved to be its own.
struct IgnoredSignal {
    std::string source;
    bool ipn = false;   ///< the scheme of the source
    NodeNumber sender;  ///< the neighbour that brought it; 0: not certain
    bool unproven = false;
    bool partly = false;  ///< it counted for other bundles
};

/// Memory for the heads of one batch that are written anew.
struct HeadSpace {
    SlabRef slab;
    std::size_t used = 0;
};

class Custodian {
public:
    /// `reports`: acceptance is reported where the bundle requests it. `started`: the time by the
    /// clock.
    Custodian(StorageContext &context, const CustodyOptions &options, bool reports,
              DtnTime started);

    /// The node ran before, at this time at least.
    void handle_restored(DtnTime received) { ids_.stay_above(received); }
    void set_key(const SipKey &key) { identity_of_.set_key(key); }

    // ---- for StoreWriter
    /// Whether custody is taken with the bundle.
    [[nodiscard]] bool takes(const BatchedBundle &bundle) const {
        return local_.node != 0 && (bundle.requests & kRequestCustody) != 0;
    }
    /// What is stored of such a bundle: this node is its custodian. The views and the new head lie
    /// in `space`, the payload stays where it is.
    struct Octets {
        std::span<const ByteView> slices;
        std::uint64_t size = 0;
    };
    [[nodiscard]] Octets take_over(HeadSpace &space, const Batch &batch, std::uint32_t place,
                                   const bp::BundleView &view);
    /// The bundle is flushed: its custodian until now gets a signal. `view` is that of the bundle
    /// as it was received, `octets` begin with its head.
    void accepted(EntryIndex index, const bp::BundleView &view, ByteView octets, TimePoint now);
    /// There is no space for it.
    void refused(const bp::BundleView &view, ByteView octets, TimePoint now);
    /// An equal bundle was here, and its destination has confirmed that it has it.
    void arrived_before(const bp::BundleView &view, ByteView octets, TimePoint now);
    /// An equal critical bundle was sent to all neighbours, and another custodian has it. True: the
    /// custodian of this copy sends it for the first time, and can do without an answer.
    [[nodiscard]] bool leaves_unanswered(const Hash128 &identity, const bp::BundleView &view,
                                         ByteView octets);
    /// An equal bundle, `held`, is flushed already.
    void repeated(EntryIndex held, const bp::BundleView &view, ByteView octets, TimePoint now);

    // ---- for Lender and CriticalReleaser
    /// A bundle goes to that neighbour; false when it has been released while the disk read it.
    [[nodiscard]] bool lend(EntryIndex index, NodeNumber neighbour, const bp::BundleView &view,
                            ByteView octets);
    /// It came back with this outcome; true when nothing is left to do with it.
    [[nodiscard]] bool set_outcome(EntryIndex index, Outcome outcome, Duration owlt, TimePoint now);
    /// One of the copies of a critical bundle was sent.
    void set_copy_sent(EntryIndex index, Duration owlt, TimePoint now);
    /// No custodian has answered for it yet.
    [[nodiscard]] bool holds(EntryIndex index);
    /// Of a critical bundle: it went to its destination, whose answer may still come.
    [[nodiscard]] bool awaits_destination(EntryIndex index);

    // ---- signals and time
    void want_reports(bool reports) { reports_wanted_ = reports; }
    /// A custody signal of either kind. The node that has run out of storage, if the signal reports
    /// it.
    std::optional<NodeNumber> handle(const bus::CustodyRecord &message, TimePoint now);
    /// The bundles that it counted for; those that it released are gone.
    [[nodiscard]] std::span<const EntryIndex> answered() const { return found_; }
    /// Whose signals were ignored, for the log: the last of them, once.
    [[nodiscard]] std::optional<IgnoredSignal> poll_ignored() {
        return std::exchange(ignored_, std::nullopt);
    }
    /// A bundle that waits for its signal no longer, to be sent again; kNoEntry when there is none.
    [[nodiscard]] EntryIndex poll_overdue(TimePoint now);
    /// Sends the signals that are due.
    void send_signals(TimePoint now);
    /// Sends all that there are.
    void expedite();
    [[nodiscard]] TimePoint next_timeout() const;

private:
    /// That custodian may have the bundle from this node; also true when it is not known.
    [[nodiscard]] bool may_have_from_here(const bp::EidView &custodian, EntryIndex held);
    void count_sent(const CustodyTable::Sent &sent);
    [[nodiscard]] bool destination_may_answer(EntryIndex index);
    void answer(const bp::BundleView &view, ByteView octets, bp::v6::CustodyAnswer with,
                TimePoint now);
    void report_acceptance(const bp::BundleView &view, TimePoint now);
    struct Signal {
        bool succeeded = false;
        std::uint8_t reason = 0;
    };
    /// Puts what it names into found_; empty when it cannot be read.
    [[nodiscard]] std::optional<Signal> read(ByteView record, const bp::EidView &source);
    void find_range(const bp::v6::CustodyRange &range, const bp::EidView &source);
    void find_subject(const bp::v6::Subject &subject);
    [[nodiscard]] bool is_trusted(const bp::EidView &source) const;
    [[nodiscard]] bool may_answer(const bp::EidView &source, EntryIndex index);
    void ignore(const bus::CustodyRecord &message, bool ipn, bool unproven);
    void release(EntryIndex index, NodeNumber by);
    [[nodiscard]] bool postpone(EntryIndex index, std::uint8_t reason, TimePoint now);
    [[nodiscard]] Duration patience(const CustodyTable::Sent &sent, Duration owlt) const;

    StorageContext &context_;
    bp::EidView local_;  ///< the administrative endpoint
    config::CustodyConfig config_;
    bool reports_wanted_;
    CustodyIds ids_;
    IdentityHasher identity_of_;
    bp::v6::CustodySignalCollector signals_;
    SlabPool heads_;
    std::vector<bp::EidPattern> trusted_;  ///< nodes that may answer for any bundle
    std::vector<NodeNumber> way_;          ///< memory for the nodes of one way
    std::vector<EntryIndex> found_;        ///< what a signal is about
    bool strange_ = false;                 ///< it also names what its source may not answer for
    std::optional<IgnoredSignal> ignored_;
};

}  // namespace farlink::storage
