// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/io/ltp_random.hpp"

#include <span>

#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::cla::ltp {

std::uint64_t LtpRandom::next() {
    if (left_ == 0) {
        fill_random({reinterpret_cast<std::uint8_t *>(drawn_.data()), sizeof drawn_});
        left_ = drawn_.size();
    }
    return drawn_[--left_] ^ processor_random() ^ (unix_nanoseconds() / 1000);
}

}  // namespace farlink::cla::ltp
