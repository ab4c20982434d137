// SPDX-License-Identifier: Apache-2.0
// Where hosts look for the node ids of cla/api/node_id.hpp.
// Nothing of its own.
// Any thread.
#pragma once

#include "cla/api/node_id.hpp"
