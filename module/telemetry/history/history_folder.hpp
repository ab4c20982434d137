// SPDX-License-Identifier: Apache-2.0
// The folder of the history: its files are listed, appended to, read and deleted.
// Owned by HistoryStore; its thread only.
// An append that fails leaves the file as it was; the folder belongs to one process.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/runtime/file_descriptor.hpp"
#include "module/telemetry/core/history/retention.hpp"

namespace farlink::telemetry {

class HistoryFolder {
public:
    /// Contents beyond this are not read.
    static constexpr std::size_t kMostReadBytes = 64UL * 1024 * 1024;

    explicit HistoryFolder(std::string path) : path_(std::move(path)) {}

    [[nodiscard]] const std::string &path() const { return path_; }
    [[nodiscard]] std::string path_of(const HistoryFile &file) const;
    /// Makes the folder and locks it. Returns the error, or an empty text, as the others do.
    [[nodiscard]] std::string open();
    /// By kind and number.
    [[nodiscard]] std::vector<KeptFile> list() const;
    [[nodiscard]] std::string append(const HistoryFile &file, ByteView octets);
    /// Flushes what was appended since the last call.
    [[nodiscard]] std::string flush();
    [[nodiscard]] Result<Bytes, std::string> read(const HistoryFile &file,
                                                  std::size_t most = kMostReadBytes) const;
    void remove(const HistoryFile &file) const;

    /// Another file of the folder; nothing when it is absent.
    [[nodiscard]] std::optional<std::string> read_text(std::string_view name) const;
    /// Replaces it so that a power cut leaves the old text or the new one.
    [[nodiscard]] std::string replace_text(std::string_view name, std::string_view text) const;
    void set_aside(std::string_view name) const;

    /// Of the file system, for users that are not root; nothing when it is not known.
    [[nodiscard]] std::optional<std::uint64_t> free_bytes() const;
    /// Whether another folder, or the nearest above it that exists, is on the same file system.
    [[nodiscard]] bool shares_file_system(const std::string &other) const;

private:
    [[nodiscard]] std::string file_of(std::string_view name) const;

    std::string path_;
    FileDescriptor lock_;
    std::set<HistoryFile> unflushed_;
};

}  // namespace farlink::telemetry
