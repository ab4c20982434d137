// SPDX-License-Identifier: Apache-2.0
// Orders of the operator about links that the scheduler has: rates and light times of `link set`,
// and links that `link down` has taken down.
// A plain function on values; any thread.
#pragma once

#include "common/bus/messages.hpp"
#include "module/control/core/reload/link_changes.hpp"
#include "module/control/core/reload/reload_replies.hpp"

namespace farlink::control {

/// Adds a change for each, with the path of the link in the file.
void note_orders(SettingChanges &changes, const bus::LinkSnapshot &links, const FileLinks &numbers);

}  // namespace farlink::control
