// SPDX-License-Identifier: Apache-2.0
// A secret for an endpoint that a program registers several times.
// A plain function; the caller owns the text.
// Any thread.
#pragma once

#include <string>

namespace farlink::messages {

/// 128 random bits in hexadecimal digits.
[[nodiscard]] std::string random_secret();

}  // namespace farlink::messages
