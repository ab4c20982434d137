// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_files/store_command.hpp"

#include "apps/farlinkctl/shared/exit_code.hpp"
#include "apps/farlinkctl/store_files/store_change.hpp"
#include "apps/farlinkctl/store_files/store_holds.hpp"
#include "apps/farlinkctl/store_files/store_look.hpp"

namespace farlink::ctl {

int run_on_files(const StorageOptions &options) {
    switch (options.verb) {
        case StorageVerb::kList:
            return list_store(options);
        case StorageVerb::kShow:
            return show_stored(options);
        case StorageVerb::kExport:
            return export_stored(options);
        case StorageVerb::kVerify:
            return verify_store(options);
        case StorageVerb::kDelete:
            return delete_stored(options);
        case StorageVerb::kCompact:
            return compact_store(options);
        case StorageVerb::kHold:
        case StorageVerb::kRelease:
        case StorageVerb::kHolds:
            return change_holds(options);
        case StorageVerb::kSets:
        case StorageVerb::kNone:
            break;
    }
    return kExitBadUsage;
}

}  // namespace farlink::ctl
