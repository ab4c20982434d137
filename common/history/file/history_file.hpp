// SPDX-License-Identifier: Apache-2.0
// The ring of a bundle history in a file that is mapped into memory.
// Owned by the BundleHistory of one module; one thread.
// What is written is safe from the end of the process, and reaches the disk when the kernel writes
// it.
#pragma once

#include <memory>
#include <string>

#include "common/history/file/mapped_memory.hpp"
#include "common/history/history_writer.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::history {

struct HistoryFileOptions {
    std::string folder;
    std::string module;  ///< names the file
    NodeNumber node;
    std::uint64_t records = 0;     ///< at least one block
    std::uint64_t free_bytes = 0;  ///< of the file system, that are left to others
};

class HistoryFile final : public HistoryBlocks {
public:
    struct Opened {
        std::unique_ptr<HistoryFile> file;  ///< null: `notice` is the reason
        std::string notice;                 ///< for the log; empty: nothing to report
    };
    /// Continues the file, or starts a new one in place of a damaged one or of something else. The
    /// file of another node stays as it is.
    [[nodiscard]] static Opened open(const HistoryFileOptions &options);
    /// The address space of a file of so many records, whatever its size.
    [[nodiscard]] static std::uint64_t mapped_bytes(std::uint64_t records);

    /// For open().
    HistoryFile(FileDescriptor file, MappedMemory memory, std::size_t count, std::size_t most,
                std::uint64_t free_bytes)
        : file_(std::move(file)),
          memory_(std::move(memory)),
          count_(count),
          most_(most),
          free_bytes_(free_bytes) {}

    [[nodiscard]] std::size_t count() const override { return count_; }
    [[nodiscard]] std::span<Word, kBlockWords> block(std::size_t index) override;
    [[nodiscard]] bool grow() override;

private:
    FileDescriptor file_;  ///< locked
    MappedMemory memory_;  ///< of the full size, also while the file is smaller
    std::size_t count_;    ///< blocks in the file
    std::size_t most_;
    std::uint64_t free_bytes_;
};

}  // namespace farlink::history
