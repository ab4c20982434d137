// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/options/complain.hpp"

#include <cerrno>
#include <iostream>

namespace farlink {

int complain(const std::string &what, int code) {
    std::cerr << program_invocation_short_name << ": " << what << '\n';
    return code;
}

}  // namespace farlink
