// SPDX-License-Identifier: Apache-2.0
// Reads the store of a node that is not running: its records, and the octets of a bundle.
// Owned by one command; one thread.
// It changes nothing but the file `lock`, which it holds as a node does.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "apps/farlinkctl/store_files/spool_pieces.hpp"
#include "common/base/result.hpp"
#include "module/storage/core/state/label_content.hpp"
#include "module/storage/store/directory/posix_directory.hpp"
#include "module/storage/store/log/log_recovery.hpp"

namespace farlink::ctl {

/// A bundle of the store, or a stripe or piece of one, as the log describes it.
struct StoredBundle {
    RecordHead head;
    RecordLocation at;
    std::string destination;
    std::uint16_t label_size = 0;
    bool damaged = false;           ///< a checksum of the log does not match, or no label is valid
    storage::LabelContent content;  ///< without its endpoint

    [[nodiscard]] const storage::StripeLabel *stripe() const {
        return std::get_if<storage::StripeLabel>(&content);
    }
    [[nodiscard]] const storage::PieceLabel *piece() const {
        return std::get_if<storage::PieceLabel>(&content);
    }
};

/// Counts bundles: one with several stripes or pieces in the folder counts once, and not at all
/// when one of these is damaged.
class BundleCount {
public:
    /// False when the label is not valid, or a piece contradicts its bundle.
    bool add(const RecordHead &head, const storage::LabelContent &content, bool damaged);
    /// Of a bundle in pieces all must be in the folder.
    [[nodiscard]] std::uint64_t intact() const;
    /// Bundles of which pieces are in the folder, intact ones, but not all.
    [[nodiscard]] std::uint64_t incomplete() const;
    [[nodiscard]] std::uint64_t stripes() const { return stripes_; }  ///< that are intact
    [[nodiscard]] std::uint64_t pieces() const { return pieces_; }    ///< likewise

private:
    using Whole =
        std::tuple<Hash128, std::uint64_t /*arrival*/, DtnTime /*received*/, std::uint32_t>;
    struct Spool {
        SpoolPieces pieces;
        bool damaged = false;
    };

    bool add_piece(const storage::PieceLabel &piece, std::uint64_t bytes, bool damaged);
    [[nodiscard]] std::uint64_t spools(bool complete) const;

    std::uint64_t whole_ = 0;  ///< in one record
    std::uint64_t stripes_ = 0;
    std::uint64_t pieces_ = 0;
    std::set<Whole> striped_;
    std::set<Whole> damaged_;
    std::map<Hash128, Spool> spools_;
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
    /// With the folders of other disks of the same store, for stripes and pieces.
    [[nodiscard]] static Result<std::unique_ptr<StoreFiles>, std::string> open(
        const std::string &path, const std::vector<std::string> &others);

    /// In the order of arrival at the node.
    [[nodiscard]] const std::vector<StoredBundle> &bundles() const { return bundles_; }
    [[nodiscard]] const StoredBundle *find(RecordNumber record) const;
    /// The records of the bundle in the first folder: the pieces in their order, or itself.
    [[nodiscard]] std::vector<const StoredBundle *> records_of(const StoredBundle &bundle) const;
    /// Takes octets; false ends the reading.
    using TakeOctets = std::function<bool(ByteView)>;
    /// The octets of the bundle, a record at a time. An error when a checksum does not match, or
    /// when the opened folders do not have all stripes or pieces: it names what is missing.
    [[nodiscard]] Result<void, std::string> read(const StoredBundle &bundle,
                                                 const TakeOctets &take);
    /// The octets that the bundle begins with: the first piece, or all where it is not in pieces.
    [[nodiscard]] Result<Bytes, std::string> read_head(const StoredBundle &bundle);
    /// The first kBeginning octets of the bundle, not verified; none of a stripe or piece that does
    /// not begin it.
    [[nodiscard]] Bytes read_beginning(const StoredBundle &bundle);
    static constexpr std::size_t kBeginning = 4096;
    /// True when the opened folders have all stripes or pieces of the bundle.
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
    void group_pieces();
    [[nodiscard]] Place find_stripe(const StoredBundle &of, std::uint8_t number);
    [[nodiscard]] Result<std::vector<Place>, std::string> stripes_of(const StoredBundle &bundle);
    [[nodiscard]] Result<std::vector<Place>, std::string> pieces_of(const StoredBundle &bundle);
    /// In the order of the bundle's octets.
    [[nodiscard]] Result<std::vector<Place>, std::string> parts_of(const StoredBundle &bundle);
    [[nodiscard]] Result<Bytes, std::string> read_record(const StoredBundle &bundle);

    storage::PosixDirectory directory_;
    std::vector<std::unique_ptr<StoreFiles>> others_;
    storage::LogFiles files_;
    storage::Recovery recovery_;
    NodeNumber node_;
    std::vector<StoredBundle> bundles_;
    std::map<Hash128, std::vector<const StoredBundle *>> spools_;
};

}  // namespace farlink::ctl
