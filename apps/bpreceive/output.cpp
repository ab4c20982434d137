// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceive/output.hpp"

namespace farlink::bpreceive {

std::string StreamOutput::write(const client::Adu &adu) {
    std::string error = writer_.write(ByteView(adu.payload));
    if (error.empty() && lines_) error = writer_.write("\n");
    return error;
}

}  // namespace farlink::bpreceive
