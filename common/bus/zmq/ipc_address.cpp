// SPDX-License-Identifier: Apache-2.0
#include "common/bus/zmq/ipc_address.hpp"

#include <string_view>

#include "common/bus/wire/wire_hello.hpp"
#include "common/runtime/socket_path.hpp"

namespace farlink::bus {
namespace {

constexpr std::string_view kIpcScheme = "ipc://";

}  // namespace

std::string ipc_path(const std::string &address) {
    return address.starts_with(kIpcScheme) ? address.substr(kIpcScheme.size()) : std::string();
}

std::string cannot_listen(const std::string &address, AgentId module, const std::string &why) {
    return "cannot listen on " + address + " for " + std::string(name_of(module)) + ": " + why;
}

std::string wrong_ipc_address(const std::string &address, AgentId module) {
    const std::string path = ipc_path(address);
    const std::string wrong = path.empty() ? path : wrong_socket_path(path);
    return wrong.empty() ? wrong : cannot_listen(address, module, wrong);
}

}  // namespace farlink::bus
