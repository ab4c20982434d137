// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/completion.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "apps/farlinkctl/shared/file_options.hpp"

namespace farlink::ctl {
namespace {

/// The part that does not depend on the commands. `commands`, `options` and `operand` belong to the
/// command typed so far; `value` is the type of the value of the preceding option.
constexpr const char *kScript = R"(
# Bash takes `--config=node.json` for three words.
_NAME() {
    local command=NAME word at value= commands options operand
    local current=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    _NAME_command "$command"
    for ((at = 1; at < COMP_CWORD; at++)); do
        word=${COMP_WORDS[at]}
        if [[ -n $value ]]; then
            [[ $word == = ]] || value=
        elif [[ $word == -* ]]; then
            _NAME_value "$command $word"
        elif [[ " $commands " == *" $word "* ]]; then
            command+=" $word"
            _NAME_command "$command"
        fi
    done
    [[ -n $value && $current == = ]] && current=
    if [[ -z $value && $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        return
    fi
    [[ -n $value ]] || value=$operand
    case $value in
        FILE)
            compopt -o filenames 2> /dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            ;;
        FOLDER)
            compopt -o filenames 2> /dev/null
            mapfile -t COMPREPLY < <(compgen -d -- "$current")
            ;;
        *)
            mapfile -t COMPREPLY < <(compgen -W "${value#TEXT} $commands" -- "$current")
            ;;
    esac
}
complete -F _NAME NAME
)";

std::string with_name(std::string text, const std::string &name) {
    constexpr std::string_view kName = "NAME";
    for (std::size_t at = text.find(kName); at != std::string::npos;
         at = text.find(kName, at + name.size()))
        text.replace(at, kName.size(), name);
    return text;
}

/// "TEXT:{bulk,normal}" allows these two words.
std::string allowed_words(const std::string &type) {
    const std::size_t open = type.find('{');
    const std::size_t close = type.find('}', open);
    if (open == std::string::npos || close == std::string::npos) return {};
    std::string words = type.substr(open + 1, close - open - 1);
    std::ranges::replace(words, ',', ' ');
    return words;
}

/// Empty: the option takes no value.
std::string value_of(const CLI::Option &option) {
    if (option.get_type_size_max() == 0) return {};
    const std::string type = option.get_type_name();
    for (const std::string_view path : {kFile, kFolder})
        if (type.starts_with(path)) return std::string(path);
    const std::string words = allowed_words(type);
    return words.empty() ? "TEXT" : words;
}

std::vector<std::string> names_of(const CLI::Option &option) {
    std::vector<std::string> names;
    for (const std::string &name : option.get_lnames()) names.push_back("--" + name);
    for (const std::string &name : option.get_snames()) names.push_back("-" + name);
    return names;
}

/// Includes the options of its groups and, where they may follow it, of the parent command.
void add_options(const CLI::App &command, std::vector<const CLI::Option *> &options) {
    for (const CLI::Option *option : command.get_options())
        if (std::ranges::find(options, option) == options.end()) options.push_back(option);
    for (const CLI::App *group : command.get_subcommands([](const CLI::App *) { return true; }))
        if (group->get_name().empty()) add_options(*group, options);
    if (command.get_fallthrough() && command.get_parent() != nullptr)
        add_options(*command.get_parent(), options);
}

/// Excludes groups of options and old names.
bool is_shown(const CLI::App &command) {
    return !command.get_name().empty() && !command.get_group().empty();
}

struct Cases {
    std::string commands;
    std::string values;
};

void describe(const CLI::App &command, const std::string &path, Cases &cases) {
    std::vector<const CLI::Option *> options;
    add_options(command, options);
    std::string names;
    std::string operand;
    for (const CLI::Option *option : options) {
        const std::string value = value_of(*option);
        if (option->get_positional() && operand.empty()) operand = value;
        if (names_of(*option).empty()) continue;
        if (option->get_group().empty()) continue;
        for (const std::string &name : names_of(*option)) {
            names += (names.empty() ? "" : " ") + name;
            if (!value.empty())
                cases.values +=
                    "        \"" + path + ' ' + name + "\") value=\"" + value + "\" ;;\n";
        }
    }
    std::string words;
    for (const CLI::App *below : command.get_subcommands([](const CLI::App *) { return true; }))
        if (is_shown(*below)) words += (words.empty() ? "" : " ") + below->get_name();
    cases.commands += "        \"" + path + "\")\n            commands=\"" + words +
                      "\"\n            options=\"" + names + "\"\n            operand=\"" +
                      operand + "\" ;;\n";
    for (const CLI::App *below : command.get_subcommands([](const CLI::App *) { return true; }))
        if (is_shown(*below)) describe(*below, path + ' ' + below->get_name(), cases);
}

}  // namespace

std::string bash_completion(const CLI::App &app, const std::string &name) {
    Cases cases;
    describe(app, name, cases);
    return with_name(
        "# Completes the command line of NAME in bash; made by `NAME completion bash`.\n\n"
        "_NAME_command() {\n    commands= options= operand=\n    case $1 in\n" +
            cases.commands +
            "    esac\n}\n\n"
            "_NAME_value() {\n    case $1 in\n" +
            cases.values + "    esac\n}\n" + kScript,
        name);
}

}  // namespace farlink::ctl
