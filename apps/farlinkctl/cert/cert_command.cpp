// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/cert/cert_command.hpp"

#include "apps/farlinkctl/cert/cert_make.hpp"
#include "apps/farlinkctl/cert/cert_revoke.hpp"
#include "apps/farlinkctl/cert/cert_show.hpp"
#include "apps/farlinkctl/cert/keys_make.hpp"
#include "apps/farlinkctl/cert/tokens_make.hpp"
#include "apps/farlinkctl/shared/exit_code.hpp"

namespace farlink::ctl {

int run_cert(const CertOptions &options) {
    switch (options.verb) {
        case CertVerb::kCertMake:
            return make_certificates(options.make);
        case CertVerb::kCertRevoke:
            return revoke_certificates(options.revoke);
        case CertVerb::kCertShow:
            return show_certificates(options.show);
        case CertVerb::kKeysMake:
            return make_keys(options.keys_folder);
        case CertVerb::kTokensMake:
            return make_token(options.token);
        case CertVerb::kNone:
            break;
    }
    return kExitBadUsage;
}

}  // namespace farlink::ctl
