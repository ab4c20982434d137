// SPDX-License-Identifier: Apache-2.0
#include "clients/cpp/src/random_text.hpp"

#include <sys/random.h>

#include <cstdio>

namespace farlink::client {

std::uint64_t random_number() {
    std::uint64_t number = 0;
    while (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
    }
    return number;
}

std::string random_text() {
    char text[33];
    std::snprintf(text, sizeof text, "%016llx%016llx",
                  static_cast<unsigned long long>(random_number()),
                  static_cast<unsigned long long>(random_number()));
    return text;
}

std::string random_number_text() {
    constexpr std::uint64_t kFirst = 1ULL << 30;
    return std::to_string(kFirst + random_number() % kFirst);
}

}  // namespace farlink::client
