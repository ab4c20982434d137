// SPDX-License-Identifier: Apache-2.0
// A BPv7 bundle as its blocks, for security: its security blocks are read and their rules checked
// (RFC 9172 section 3), and blocks can be changed, added and removed. The payload stays where it
// is. Borrows the bundle's octets; kept and read again for the next bundle, it keeps its memory.
// One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "common/bp/bpsec/block/fault.hpp"
#include "common/bp/bpsec/block/security_block.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v7/block.hpp"

namespace farlink::bp::bpsec {

enum class Service : std::uint8_t { kIntegrity, kConfidentiality };

/// OP(service, target) (RFC 9172 section 3.1) and the block that represents it.
struct Operation {
    Service service = Service::kIntegrity;
    std::uint64_t block = 0;   ///< number of the BIB or BCB
    std::uint64_t target = 0;  ///< number of its target; 0: the primary block
    friend bool operator==(const Operation &, const Operation &) = default;
};

/// A canonical block.
struct Part {
    std::uint64_t type = 0;
    std::uint64_t number = 0;
    std::uint64_t flags = 0;
    v7::CrcType crc_type = v7::CrcType::kNone;
    ByteView data;               ///< of the payload block: none, see payload()
    ByteView octets;             ///< as received; empty: it has changed, and is written anew
    bool is_signed = false;      ///< a readable BIB has it as a target
    bool encrypted = false;      ///< a BCB has it as a target
    bool was_encrypted = false;  ///< likewise, when the bundle was read

    [[nodiscard]] bool is_integrity() const { return type == v7::kIntegrityBlock; }
    [[nodiscard]] bool is_confidentiality() const { return type == v7::kConfidentialityBlock; }
    [[nodiscard]] bool is_payload() const { return type == v7::kPayloadBlock; }
};

/// A security block that can be read: a BIB that a BCB encrypts cannot.
struct SecurityPart {
    std::uint64_t number = 0;
    Service service = Service::kIntegrity;
    SecurityBlock block;
};

/// Where a new block goes.
enum class Place : std::uint8_t { kFirst, kBeforePayload };

class SecuredBundle {
public:
    SecuredBundle() = default;
    SecuredBundle(const SecuredBundle &) = delete;
    SecuredBundle &operator=(const SecuredBundle &) = delete;

    /// `view` is what bp::parse() made of `slices`; both stay while this is used. A fault names the
    /// first rule that is broken, and nothing else may be called then.
    [[nodiscard]] Verdict read(std::span<const ByteView> slices, const BundleView &view);

    [[nodiscard]] bool is_fragment() const { return is_fragment_; }
    [[nodiscard]] std::span<const Part> parts() const { return parts_; }
    [[nodiscard]] const Part *find(std::uint64_t number) const;
    [[nodiscard]] std::span<const SecurityPart> security() const {
        return {security_.data(), security_count_};
    }
    [[nodiscard]] const SecurityPart *find_security(std::uint64_t number) const;
    /// Null unless the bundle has that operation, readable.
    [[nodiscard]] const SecurityPart *find(const Operation &operation) const;
    /// Those that can be read, in the order of processing: confidentiality first (section 5.1).
    void list_operations(std::vector<Operation> &to) const;
    /// Whether a block protects the target so, as far as can be read.
    [[nodiscard]] bool has(Service service, std::uint64_t target) const;

    /// The primary block in deterministic encoding (section 4), with its CRC if it has one.
    [[nodiscard]] ByteView canonical_primary() const { return canonical_primary_; }
    [[nodiscard]] bool primary_has_crc() const { return primary_has_crc_; }
    /// Whether a BIB had the primary block as a target at any time since read().
    [[nodiscard]] bool primary_was_signed() const { return primary_was_signed_; }
    [[nodiscard]] std::span<const ByteView> payload() const { return payload_; }
    [[nodiscard]] std::uint64_t payload_size() const { return payload_size_; }
    [[nodiscard]] std::uint64_t lowest_free_number() const;

    // Changes. Each keeps what is read of the bundle true.

    /// Gives the bundle memory that lives as long as what was read.
    [[nodiscard]] Bytes &own(Bytes octets) { return memory_.emplace_back(std::move(octets)); }
    /// Removes or sets the CRC of a block; 0 is the primary block.
    void set_crc(std::uint64_t number, v7::CrcType type);
    void set_data(std::uint64_t number, ByteView data);
    void set_payload(std::vector<ByteView> &&pieces);
    void set_encrypted(std::uint64_t number, bool encrypted);
    void add(const Part &part, Place place);
    /// Reads a security block that was added or decrypted, and checks its rules; a fault leaves
    /// the bundle as it was.
    [[nodiscard]] Verdict add_security(std::uint64_t number, ByteView data);
    /// Ends an operation; the block leaves the bundle with its last one (section 5.1).
    void remove(const Operation &operation);
    /// Removes a block that is not the payload's, and every operation on it (section 5.1.1).
    void discard(std::uint64_t number);

    /// Writes the octets in front of the payload's and behind them; between them is payload().
    void render(Bytes &head, Bytes &tail) const;

private:
    [[nodiscard]] Verdict read_parts(ByteView head, const BundleView &view);
    [[nodiscard]] Verdict read_primary(ByteView primary);
    [[nodiscard]] Verdict read_payload(std::span<const ByteView> slices, const BundleView &view);
    [[nodiscard]] Verdict read_service(Service service);
    [[nodiscard]] Verdict note_targets(const SecurityPart &security, const Part &block);
    [[nodiscard]] SecurityPart &next_security();
    [[nodiscard]] Part *part_of(std::uint64_t number);
    void rewrite(const SecurityPart &security);
    void erase_part(std::uint64_t number);
    void erase_security(std::uint64_t number);
    void refresh_signed();
    void write_primary_crc(v7::CrcType type);

    bool is_fragment_ = false;
    bool primary_has_crc_ = false;
    bool primary_signed_ = false;
    bool primary_was_signed_ = false;
    bool payload_changed_ = false;
    ByteView primary_;  ///< as it is written
    ByteView canonical_primary_;
    std::vector<Part> parts_;  ///< the payload block is the last
    std::vector<SecurityPart> security_;
    std::size_t security_count_ = 0;
    std::vector<ByteView> payload_;
    std::uint64_t payload_size_ = 0;
    ByteView payload_head_;  ///< the payload block's octets in front of its data, as received
    Bytes payload_tail_;     ///< and all behind it
    std::deque<Bytes> memory_;
};

}  // namespace farlink::bp::bpsec
