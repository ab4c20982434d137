// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceivefile/file_group.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <utility>

#include "apps/shared/messages/octet_writer.hpp"

namespace farlink::bpreceivefile {

bool is_of_the_name(int error) {
    constexpr int kErrors[] = {EISDIR, ENOTDIR, ELOOP,  EXDEV, ENAMETOOLONG, EEXIST,
                               EACCES, EPERM,   EINVAL, EFBIG, EOVERFLOW,    EILSEQ};
    return std::ranges::find(kErrors, error) != std::ranges::end(kErrors);
}

int place_files(Placement &placement, std::vector<WholeFile> &files, std::vector<Event> &events,
                std::vector<std::string> &ended) {
    int error = 0;
    std::size_t at = 0;
    for (; at < files.size(); ++at) {
        const WholeFile &file = files[at];
        auto placed = placement.place(file);
        if (!placed && !is_of_the_name(placed.error())) {
            error = placed.error();
            break;
        }
        if (placed) {
            events.push_back({.kind = Event::Kind::kFile,
                              .name = file.name,
                              .placed = std::move(*placed),
                              .size = file.size,
                              .digest = file.digest});
        } else {
            placement.drop(file);
            events.push_back({.kind = Event::Kind::kRefused,
                              .name = file.name,
                              .wrong = messages::reason_of(placed.error())});
        }
        if (!file.transfer.empty()) ended.push_back(file.transfer);
    }
    files.erase(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(at));
    return error;
}

}  // namespace farlink::bpreceivefile
