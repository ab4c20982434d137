// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/messages/random_secret.hpp"

#include "common/base/hex.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::messages {

std::string random_secret() {
    Bytes octets(16);
    fill_random(octets);
    return hex_text(octets);
}

}  // namespace farlink::messages
