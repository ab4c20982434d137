// SPDX-License-Identifier: Apache-2.0
// Payloads as files of a folder, named by the bundles' ids.
// Owned by Receiving; one thread at a time.
// A file has its name once it is whole and on disk; names that begin with a dot are of others.
#pragma once

#include <string>

#include "apps/bpreceive/output.hpp"
#include "common/base/result.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::bpreceive {

class FolderOutput final : public Output {
public:
    /// Creates the folder if there is none.
    [[nodiscard]] static Result<FolderOutput, std::string> open(const std::string &folder);

    /// A file with this name is replaced: it is of the same bundle.
    [[nodiscard]] std::string write(const client::Adu &adu) override;
    [[nodiscard]] std::string flush() override;

    /// Path of the file of a bundle.
    [[nodiscard]] std::string path_of(const client::Adu &adu) const;

private:
    FolderOutput(std::string path, FileDescriptor folder);

    [[nodiscard]] std::string failed(const std::string &name) const;
    [[nodiscard]] std::string write_file(const char *name, ByteView octets) const;

    std::string path_;
    FileDescriptor folder_;
    std::string beside_;  ///< name of the file that is not whole yet
};

}  // namespace farlink::bpreceive
