// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceive/command_output.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "apps/shared/messages/bundle_name.hpp"
#include "common/base/result.hpp"
#include "common/runtime/file_descriptor.hpp"
#include "common/runtime/process/child_settings.hpp"

namespace farlink::bpreceive {
namespace {

constexpr const char *kShell = "/bin/sh";

/// A file that has the payload; its error is a text for people.
Result<FileDescriptor, std::string> file_of(ByteView payload) {
    FileDescriptor file(::memfd_create("payload", MFD_CLOEXEC));
    if (!file) return fail("not enough memory for a payload: " + messages::reason_of(errno));
    messages::OctetWriter writer(file.get(), "memory");
    std::string error = writer.write(payload);
    if (error.empty()) error = writer.flush();
    if (!error.empty()) return fail(std::move(error));
    ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

/// This program's environment without the variables of an earlier bundle, and those of this one.
std::vector<std::string> environment_of(const client::Adu &adu) {
    std::vector<std::string> variables{
        "FARLINK_SOURCE=" + adu.source,
        "FARLINK_DESTINATION=" + adu.destination,
        "FARLINK_ID=" + messages::id_text(adu.id()),
        "FARLINK_REPORT_TO=" + adu.report_to,
        std::string("FARLINK_REPEATED=") + (adu.repeated ? "1" : "0"),
        std::string("FARLINK_STATUS_REPORT=") + (adu.is_status_report ? "1" : "0")};
    const std::size_t own = variables.size();
    for (char **each = environ; *each != nullptr; ++each) {
        const std::string variable = *each;
        bool replaced = false;
        for (std::size_t at = 0; at < own && !replaced; ++at)
            replaced = variable.starts_with(variables[at].substr(0, variables[at].find('=') + 1));
        if (!replaced) variables.push_back(variable);
    }
    return variables;
}

std::string outcome_of(int status) {
    if (WIFSIGNALED(status)) return "was terminated by signal " + std::to_string(WTERMSIG(status));
    if (WEXITSTATUS(status) == 0) return {};
    return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

std::string CommandOutput::write(const client::Adu &adu) {
    const auto input = file_of(adu.payload);
    if (!input) return input.error();
    std::vector<std::string> words{"sh", "-c", command_};
    std::vector<std::string> variables = environment_of(adu);
    const ChildSettings settings(input->get());
    pid_t child = -1;
    const int error = ::posix_spawn(&child, kShell, &settings.files, &settings.attributes,
                                    pointers_to(words).data(), pointers_to(variables).data());
    if (error != 0) return "cannot run the command: " + messages::reason_of(error);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return "cannot wait for the command: " + messages::reason_of(errno);
    const std::string wrong = outcome_of(status);
    return wrong.empty() ? wrong : "the command " + wrong + " for " + messages::id_text(adu.id());
}

}  // namespace farlink::bpreceive
