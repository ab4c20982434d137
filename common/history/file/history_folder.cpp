// SPDX-License-Identifier: Apache-2.0
#include "common/history/file/history_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "common/history/file/history_header.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::history {
namespace {

namespace fs = std::filesystem;

std::optional<MappedMemory> map_history(const std::string &path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status{};
    if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    const auto bytes = static_cast<std::size_t>(status.st_size);
    if (bytes < kHeaderBytes + kBlockBytes) return std::nullopt;
    MappedMemory memory(file.get(), bytes, false);
    if (!memory) return std::nullopt;
    const ByteView header{reinterpret_cast<const std::uint8_t *>(memory.data()), kHeaderUsedBytes};
    if (!wrong_with_header(header).empty()) return std::nullopt;
    return memory;
}

}  // namespace

HistoryReader ReadableHistory::reader() const {
    const std::size_t blocks = (memory_.size() - kHeaderBytes) / kBlockBytes;
    return HistoryReader(
        {reinterpret_cast<const Word *>(memory_.data() + kHeaderBytes), blocks * kBlockWords});
}

std::vector<ReadableHistory> read_histories(const std::string &folder) {
    std::vector<ReadableHistory> histories;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        if (at->path().extension() != kFileEnding) continue;
        if (auto memory = map_history(at->path().string()))
            histories.emplace_back(at->path().stem().string(), std::move(*memory));
    }
    std::ranges::sort(histories, {}, &ReadableHistory::module);
    return histories;
}

FoundBundles find_bundles(const std::string &folder, const BundleQuery &query, std::size_t limit) {
    FoundBundles all;
    for (const ReadableHistory &history : read_histories(folder)) {
        ++all.histories;
        std::vector<PastBundle> found;
        if (!history.reader().search(query, limit, found, all.counts)) all.more = true;
        for (PastBundle &bundle : found)
            all.bundles.push_back({std::move(bundle), history.module()});
    }
    std::ranges::stable_sort(all.bundles, std::greater<>(),
                             [](const FoundBundle &found) { return found.bundle.passage.time; });
    if (all.bundles.size() > limit) {
        all.more = true;
        all.bundles.erase(all.bundles.begin() + static_cast<std::ptrdiff_t>(limit),
                          all.bundles.end());
    }
    return all;
}

}  // namespace farlink::history
