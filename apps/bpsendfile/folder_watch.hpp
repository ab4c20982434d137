// SPDX-License-Identifier: Apache-2.0
// What is closed after writing, or moved there, in the folders that are watched.
// Owned by Sending; one thread.
// Events may be lost; a scan finds everything, too.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apps/bpsendfile/parcel.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::bpsendfile {

class FolderWatch {
public:
    FolderWatch();
    /// `folder.name`: that of the folder for the receiver.
    void add(const Source &folder);
    [[nodiscard]] int descriptor() const { return inotify_.get(); }
    /// The files that are complete. `scan`: folders have come, or events are lost.
    [[nodiscard]] std::vector<Source> take(bool &scan);

private:
    FileDescriptor inotify_;
    std::map<int, Source> folders_;  ///< by their watch
};

}  // namespace farlink::bpsendfile
