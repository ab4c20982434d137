// SPDX-License-Identifier: Apache-2.0
// What a transaction needs of files. A core has no file system: drivers and tests implement these.
// Owned by the entity; one thread.
// Nothing has its final name before finish() has succeeded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cfdp/core/pdu/options.hpp"
#include "cfdp/core/pdu/types.hpp"
#include "common/base/bytes.hpp"
#include "common/base/result.hpp"

namespace farlink::cfdp {

/// Why a file cannot be read or written.
enum class FileFault : std::uint8_t {
    kName,     ///< the name leads elsewhere, or is taken
    kNoSpace,  ///< full
    kChanged,  ///< it is not the file that it was
    kOther,
};

/// A file that is sent.
class SourceFile {
public:
    virtual ~SourceFile() = default;
    [[nodiscard]] virtual std::uint64_t size() const = 0;
    /// Exactly so many octets, which are there.
    [[nodiscard]] virtual Result<Bytes, FileFault> read(std::uint64_t offset, std::size_t size) = 0;
};

/// A file that arrives, under a temporary name.
class ArrivingCopy {
public:
    virtual ~ArrivingCopy() = default;
    [[nodiscard]] virtual Result<void, FileFault> write(std::uint64_t offset, ByteView data) = 0;
    /// `state` describes what was written before the last sync() of all.
    [[nodiscard]] virtual Result<void, FileFault> save(ByteView state) = 0;
    /// It is whole and gets this name; what was written is on disk since the last sync() of all.
    /// The result: the name that it has got.
    [[nodiscard]] virtual Result<std::string, FileFault> finish(const std::string &name) = 0;
    virtual void discard() = 0;
};

/// What is made durable.
enum class SyncScope : std::uint8_t {
    kAll,     ///< octets, states and names
    kStates,  ///< what was saved
    kNames,   ///< what finish() has given
};

class Filestore {
public:
    virtual ~Filestore() = default;
    [[nodiscard]] virtual Result<std::unique_ptr<SourceFile>, FileFault> open(
        const std::string &name) = 0;
    [[nodiscard]] virtual Result<std::unique_ptr<ArrivingCopy>, FileFault> create(
        const TransactionId &id) = 0;
    /// What there is of this so far is on disk.
    [[nodiscard]] virtual Result<void, FileFault> sync(SyncScope scope) = 0;
    /// The same meanwhile: the result goes to Entity::handle_synced(). False: only sync() can.
    [[nodiscard]] virtual bool start_sync(SyncScope) { return false; }
    /// A state of a transaction that has no copy, or has one no more.
    [[nodiscard]] virtual Result<void, FileFault> save(const TransactionId &id, ByteView state) = 0;
    /// Whether a file from this entity may get this name; nothing is made.
    [[nodiscard]] virtual bool is_allowed(EntityId from, const std::string &name) const = 0;

    /// Carries out a request in the folder of this entity; it is on disk since the next sync().
    [[nodiscard]] virtual FilestoreResult execute(EntityId from,
                                                  const FilestoreRequest &request) = 0;
    /// What is in a folder of this entity, as text.
    [[nodiscard]] virtual Result<std::string, FileFault> list(EntityId from,
                                                              const std::string &folder) = 0;
    /// The name for open() of a file in the folder of this entity.
    [[nodiscard]] virtual std::string name_for_open(EntityId from,
                                                    const std::string &name) const = 0;
};

}  // namespace farlink::cfdp
