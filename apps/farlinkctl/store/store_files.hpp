// SPDX-License-Identifier: Apache-2.0
// The store of a node that is not running, for whoever wants to look at it: what lives in it, and
// the octets of a bundle.
// Owned by one command; one thread. Nothing in the store is changed but the file `lock`, which is
// held as a node holds it.
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

/// A bundle of the store, or a stripe of one, as the log knows it.
struct StoredBundle {
    RecordHead head;
    RecordLocation at;
    std::string destination;
    std::uint16_t label_size = 0;
    bool damaged = false;  ///< the log says that its octets are not what was written
    std::optional<storage::StripeLabel> stripe;  ///< without its endpoint

    [[nodiscard]] std::uint64_t record_size() const { return record_bytes(label_size, head.size); }
};

/// Counts bundles, of which several stripes may lie in one folder: each bundle once, and not at all
/// when one of them is damaged.
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
/// What name_of() says, read back.
[[nodiscard]] std::optional<RecordNumber> parse_record(std::string_view text);

/// The number of the node that owns the store in this folder, with which it can be opened; says
/// what is wrong when there is none, or when a node runs on it. Claims `directory`.
[[nodiscard]] Result<NodeNumber, std::string> claim_store(const std::string &path,
                                                          storage::LogDirectory &directory);

class StoreFiles {
public:
    /// Nothing is read yet: open() does that.
    explicit StoreFiles(const std::string &path) : directory_(path) {}
    [[nodiscard]] static Result<std::unique_ptr<StoreFiles>, std::string> open(
        const std::string &path);
    /// With the folders of other disks of the same store, where stripes are looked for.
    [[nodiscard]] static Result<std::unique_ptr<StoreFiles>, std::string> open(
        const std::string &path, const std::vector<std::string> &others);

    /// In the order of their arrival at the node.
    [[nodiscard]] const std::vector<StoredBundle> &bundles() const { return bundles_; }
    [[nodiscard]] const StoredBundle *find(RecordNumber record) const;
    /// The bundle, checked against its checksums; what is wrong otherwise. That of a stripe is put
    /// together from all of its stripes.
    [[nodiscard]] Result<Bytes, std::string> read(const StoredBundle &bundle);
    /// All its stripes are in the folders that were opened, if it has any.
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
