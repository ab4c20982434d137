// SPDX-License-Identifier: Apache-2.0
// linkemu: emulates a link with delay, loss and outages between two programs.
// Called once, by main() and in its thread.
// Nothing is kept when it returns.
#pragma once

namespace farlink::linkemu {

/// The exit code for these arguments of the command line.
int run_program(int argc, char **argv);

}  // namespace farlink::linkemu
