// SPDX-License-Identifier: Apache-2.0
// `farlinkctl`: the operator's program to control and inspect a node.
// Called once, by main() and in its thread.
// Nothing is kept when it returns.
#pragma once

namespace farlink::ctl {

/// The exit code for these arguments of the command line.
int run_program(int argc, char **argv);

}  // namespace farlink::ctl
