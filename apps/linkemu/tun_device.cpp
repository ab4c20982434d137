// SPDX-License-Identifier: Apache-2.0
#include "apps/linkemu/tun_device.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>

#include "common/runtime/file_descriptor.hpp"

namespace farlink::linkemu {
namespace {

std::unexpected<std::string> failed(const std::string &what) {
    return fail(what + ": " + std::generic_category().message(errno));
}

struct Network {
    in_addr address;
    in_addr mask;
};

std::optional<Network> parse_network(const std::string &text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) return std::nullopt;
    unsigned bits = 0;
    const char *const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + slash + 1, end, bits);
    if (error != std::errc{} || stop != end || bits > 32) return std::nullopt;
    Network network{};
    if (::inet_pton(AF_INET, text.substr(0, slash).c_str(), &network.address) != 1)
        return std::nullopt;
    network.mask.s_addr = bits == 0 ? 0 : htonl(~std::uint32_t{0} << (32 - bits));
    return network;
}

void set_address(sockaddr &space, in_addr address) {
    sockaddr_in value{};
    value.sin_family = AF_INET;
    value.sin_addr = address;
    std::memcpy(&space, &value, sizeof value);
}

Result<void, std::string> configure(ifreq request, const TunDevice &device) {
    const FileDescriptor control(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (control.get() < 0) return failed("socket");
    if (!device.address.empty()) {
        const auto network = parse_network(device.address);
        if (!network) return fail(device.address + ": expected an address such as 10.0.0.1/24");
        set_address(request.ifr_addr, network->address);
        if (::ioctl(control.get(), SIOCSIFADDR, &request) < 0) return failed(device.address);
        set_address(request.ifr_netmask, network->mask);
        if (::ioctl(control.get(), SIOCSIFNETMASK, &request) < 0) return failed(device.address);
    }
    request.ifr_mtu = static_cast<int>(device.mtu_bytes);
    if (::ioctl(control.get(), SIOCSIFMTU, &request) < 0)
        return failed("cannot set the MTU of the interface");
    if (::ioctl(control.get(), SIOCGIFFLAGS, &request) < 0)
        return failed("cannot read the flags of the interface");
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP | IFF_RUNNING);
    if (::ioctl(control.get(), SIOCSIFFLAGS, &request) < 0)
        return failed("cannot bring the interface up");
    return {};
}

Result<int, std::string> open_here(const TunDevice &device) {
    FileDescriptor tun(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (tun.get() < 0) return failed("/dev/net/tun");
    ifreq request{};
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    if (device.name.size() >= sizeof request.ifr_name)
        return fail(device.name + ": too long for the name of an interface");
    std::memcpy(request.ifr_name, device.name.data(), device.name.size());
    if (::ioctl(tun.get(), TUNSETIFF, &request) < 0) return failed("cannot create a tun device");
    const auto configured = configure(request, device);
    if (!configured) return fail(configured.error());
    return tun.release();
}

std::string path_of(const std::string &network_namespace) {
    const bool path = network_namespace.find('/') != std::string::npos;
    return path ? network_namespace : "/run/netns/" + network_namespace;
}

}  // namespace

Result<int, std::string> open_tun(const TunDevice &device) {
    if (device.network_namespace.empty()) return open_here(device);
    const std::string path = path_of(device.network_namespace);
    const FileDescriptor other(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (other.get() < 0) return failed(path);
    // Only this thread enters the namespace.
    Result<int, std::string> opened = 0;
    std::thread([&] {
        if (::setns(other.get(), CLONE_NEWNET) < 0)
            opened = failed(path);
        else
            opened = open_here(device);
    }).join();
    return opened;
}

}  // namespace farlink::linkemu
