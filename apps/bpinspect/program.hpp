// SPDX-License-Identifier: Apache-2.0
// bpinspect: prints bundles and administrative records field by field, and lists what deviates from
// the standards.
// Called once, by main() and in its thread.
#pragma once

namespace farlink::inspect {

/// The exit code for these arguments of the command line.
int run_program(int argc, char **argv);

}  // namespace farlink::inspect
