// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/hdtn_words.hpp"

#include <algorithm>
#include <array>

namespace farlink::config {
namespace {

struct Word {
    std::string_view key;
    std::string_view advice;
};

constexpr std::string_view kUrlAdvice =
    R"(write "url": "tcpclv4://host:port" instead of HDTN's convergenceLayer, host and port)";
constexpr std::string_view kListAdvice = "the list is directly in inductsConfig or outductsConfig";
constexpr std::string_view kCustodyAdvice =
    "custodians have the administrative endpoint as name; leave it out";
constexpr std::string_view kTlsAdvice = R"(write "tls": "none", "optional" or "required")";
constexpr std::string_view kVerifyAdvice =
    "the peer's certificate is checked by ca, unless tlsInsecure is true";
constexpr std::string_view kNameAdvice = "sections need no names; leave it out";

constexpr std::array kWords{
    Word{"convergenceLayer", kUrlAdvice},
    Word{"boundPort", kUrlAdvice},
    Word{"remoteHostname", kUrlAdvice},
    Word{"remotePort", kUrlAdvice},
    Word{"inductVector", kListAdvice},
    Word{"outductVector", kListAdvice},
    Word{"inductConfigName", kNameAdvice},
    Word{"outductConfigName", kNameAdvice},
    Word{"hdtnConfigName", kNameAdvice},
    Word{"userInterfaceOn", "the dashboard is a part of `api`, leave it out"},
    Word{"mySchemeName", "nodes are always ipn, leave it out"},
    Word{"userConfigUrl", "leave it out"},
    Word{"myCustodialServiceId", kCustodyAdvice},
    Word{"myCustodialSsp", kCustodyAdvice},
    Word{"storageImplementation", "there is one store, leave it out"},
    Word{"tryToRestoreFromDisk", "stored bundles are always restored, leave it out"},
    Word{"autoDeleteFilesOnExit", "files are deleted after their bundles, leave it out"},
    Word{"maxIngressBundleWaitOnEgressMilliseconds", "write maxPauseMilliseconds"},
    Word{"bufferRxToStorageOnLinkUpSaturation", "write maxPauseMilliseconds"},
    Word{"numRxCircularBufferBytesPerElement", "write bufferBytes"},
    Word{"rate", "HDTN's rate counts Mbit/s: write rateBitsPerSec, 1000000 times the number"},
    Word{"rateBps", "write rateLimitBitsPerSec"},
    Word{"tryUseTls", kTlsAdvice},
    Word{"tlsIsRequired", kTlsAdvice},
    Word{"useTlsVersion1_3", "the newest version that both sides have is used, leave it out"},
    Word{"doX509CertificateVerification", kVerifyAdvice},
    Word{"verifySubjectAltNameInX509Certificate", kVerifyAdvice},
    Word{"certificationAuthorityPemFileForVerification", "write ca"},
    Word{"certificatePemFile", "write cert"},
    Word{"privateKeyPemFile", "write key"},
    Word{"diffieHellmanParametersPemFile", "key exchange needs no file, leave it out"},
    Word{"tcpclV4MyMaxTxSegmentSizeBytes", "write maxSegmentBytes"},
    Word{"tcpclV3MyMaxTxSegmentSizeBytes", "write maxSegmentBytes"},
    Word{"tcpclV4MyMaxRxSegmentSizeBytes", "write segmentMruBytes"},
    Word{"tcpclAllowOpportunisticReceiveBundles",
         "sessions always carry both directions, leave it out"},
    Word{"finalDestinationEidUris", "routes come from the contact plan, leave it out"},
};

}  // namespace

std::string_view hdtn_advice(std::string_view key) {
    const auto found = std::ranges::find(kWords, key, &Word::key);
    return found == kWords.end() ? std::string_view{} : found->advice;
}

}  // namespace farlink::config
