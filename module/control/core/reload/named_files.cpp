// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/reload/named_files.hpp"

#include <filesystem>
#include <utility>

#include "common/config/fields/config_error.hpp"

namespace farlink::control {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kLtpKey = "ltpAuthenticationKeyFile";

class Collection {
public:
    explicit Collection(std::string folder) : folder_(std::move(folder)) {}

    void add(const Json &of, const char *key, const std::string &path, const std::string &link) {
        const auto file = of.find(key);
        if (file == of.end() || !file->is_string()) return;
        files.push_back({config::member_path(path, key),
                         (std::filesystem::path(folder_) / file->get<std::string>()).string(), link,
                         key == std::string_view(kLtpKey)});
    }

    void add_link(const Json &link, const std::string &path) {
        if (!link.is_object()) return;
        for (const char *key : {"ca", "crl", "cert", "key", kLtpKey}) add(link, key, path, path);
        const auto known = link.find("neighbours");
        if (known == link.end() || !known->is_array()) return;
        const std::string list = config::member_path(path, "neighbours");
        for (std::size_t i = 0; i < known->size(); ++i)
            if ((*known)[i].is_object())
                add((*known)[i], kLtpKey, config::item_path(list, i), path);
    }

    std::vector<NamedFile> files;

private:
    std::string folder_;
};

}  // namespace

std::vector<NamedFile> named_files(const Json &file, const std::string &folder) {
    Collection all(folder);
    for (const bool outducts : {false, true}) {
        const auto list = file.find(config::list_of(outducts));
        if (list == file.end() || !list->is_array()) continue;
        for (std::size_t i = 0; i < list->size(); ++i)
            all.add_link((*list)[i], config::item_path(config::list_of(outducts), i));
    }
    const auto security = file.find("security");
    if (security != file.end() && security->is_object())
        all.add(*security, "keyStore", "security", {});
    const auto api = file.find("api");
    if (api == file.end() || !api->is_object()) return std::move(all.files);
    all.add(*api, "tokensFile", "api", {});
    const auto tls = api->find("tls");
    if (tls != api->end() && tls->is_object())
        for (const char *key : {"certificate", "key"}) all.add(*tls, key, "api.tls", {});
    return std::move(all.files);
}

FileDigests digests_of(const std::vector<NamedFile> &files,
                       const std::function<std::uint64_t(const std::string &)> &read) {
    FileDigests digests;
    for (const NamedFile &named : files)
        if (!digests.contains(named.file)) digests[named.file] = read(named.file);
    return digests;
}

std::vector<NamedFile> changed_files(const std::vector<NamedFile> &files, const FileDigests &before,
                                     const FileDigests &after) {
    std::vector<NamedFile> changed;
    for (const NamedFile &named : files) {
        const auto old = before.find(named.file);
        const auto now = after.find(named.file);
        if (old != before.end() && now != after.end() && old->second != now->second)
            changed.push_back(named);
    }
    return changed;
}

}  // namespace farlink::control
