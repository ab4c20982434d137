// SPDX-License-Identifier: Apache-2.0
#include "common/bus/messages.hpp"

namespace farlink::bus {

Message::Message() noexcept = default;
Message::Message(Message &&) noexcept = default;
Message &Message::operator=(Message &&) noexcept = default;
Message::~Message() = default;

}  // namespace farlink::bus
