// SPDX-License-Identifier: Apache-2.0
// Reads the store of a node that is not running: its records, and the octets of a bundle.
// Owned by one command; one thread.
// It changes nothing but the file `lock`, which it holds as a node does.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "common/base/result.hpp"
#include "module/storage/core/state/stripe_label.hpp"
#include "module/storage/store/directory/posix_directory.hpp"
#include "module/storage/store/log/log_recovery.hpp"

namespace farlink::ctl {

/// A bundle of the store, or a stripe of one, as the log describes it.
struct StoredBundle {
    RecordHead head;
    RecordLocation at;
    std::string destination;
    std::uint16_t label_size = 0;
    bool damaged = false;                        ///< a checksum of the log does not match
    std::optional<storage::StripeLabel> stripe;  ///< without its endpoint

    [[nodiscard]] std::uint64_t record_size() const { return record_bytes(label_size, head.size); }
};

/// Counts bundles: one with several stripes in the folder counts once, and not at all when a stripe
/// is damaged.
class BundleCount {
public:
    void add(const RecordHead &head, const std::optional<storage::StripeLabel> &stripe,
             bool damaged);
    [[nodiscard]] std::uint64_t intact() const;
    [[nodiscard]] std::uint64_t stripes() const { return stripes_; }  ///< that are intact

private:
    using Whole =
        std::tuple<Hash128, std::uint64_t /*arrival*/, DtnTime /*received*/, std::uint32_t>;
    std::uint64_t whole_ = 0;  ///< in one record
    std::uint64_t stripes_ = 0;
    std::set<Whole> striped_;
    std::set<Whole> damaged_;
};

using storage::name_of;
/// The inverse of name_of().
[[nodiscard]] std::optional<RecordNumber> parse_record(std::string_view text);

/// Locks `directory` and returns the number of the node that owns the store; an error when the
/// folder has no store, or a running node uses it.
[[nodiscard]] Result<NodeNumber, std::string> claim_store(const std::string &path,
                                                          storage::LogDirectory &directory);

class StoreFiles {
public:
    /// Reads nothing; open() does.
    explicit StoreFiles(const std::string &path) : directory_(path) {}
    [[nodiscard]] static Result<std::unique_ptr<StoreFiles>, std::string> open(
        const std::string &path);
    /// With the folders of other disks of the same store, for stripes.
    [[nodiscard]] static Result<std::unique_ptr<StoreFiles>, std::string> open(
        const std::string &path, const std::vector<std::string> &others);

    /// In the order of arrival at the node.
    [[nodiscard]] const std::vector<StoredBundle> &bundles() const { return bundles_; }
    [[nodiscard]] const StoredBundle *find(RecordNumber record) const;
    /// The octets of the bundle; an error when a checksum does not match. A striped bundle is
    /// joined from its stripes.
    [[nodiscard]] Result<Bytes, std::string> read(const StoredBundle &bundle);
    /// True when the opened folders have all stripes of the bundle.
    [[nodiscard]] bool complete(const StoredBundle &bundle);
    [[nodiscard]] NodeNumber node() const { return node_; }
    [[nodiscard]] const storage::Recovery &recovery() const { return recovery_; }

private:
    /// A record and the files that it lies in.
    struct Place {
        StoreFiles *files = nullptr;
        const StoredBundle *record = nullptr;
    };

    void take(const RestoredRecord &record);
    [[nodiscard]] Place find_stripe(const StoredBundle &of, std::uint8_t number);
    [[nodiscard]] Result<Bytes, std::string> read_record(const StoredBundle &bundle);

    storage::PosixDirectory directory_;
    std::vector<std::unique_ptr<StoreFiles>> others_;
    storage::LogFiles files_;
    storage::Recovery recovery_;
    NodeNumber node_;
    std::vector<StoredBundle> bundles_;
};

}  // namespace farlink::ctl
