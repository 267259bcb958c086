#pragma once

#include <string_view>

namespace smartcli::cli {

// The scripts know nothing of smartcli's words: each asks the program that is being typed.

inline constexpr std::string_view kBashScript = R"SCRIPT(# smartcli's completion for bash: source it
_smartcli() {
  local program=$1 line current=${COMP_WORDS[COMP_CWORD]}
  type -P "$program" >/dev/null || program=smartcli
  [[ $current == '=' ]] && current=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
      :directories) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current") ;;
      :programs) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -c -- "$current") ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("$program" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _smartcli smartcli
)SCRIPT";

inline constexpr std::string_view kZshScript = R"SCRIPT(#compdef smartcli
# smartcli's completion for zsh: a file _smartcli in a folder of $fpath, or source it after compinit
_smartcli() {
  local program=${(Q)words[1]} line
  local -a found rest
  whence -p -- $program >/dev/null || program=smartcli
  for line in ${(f)"$($program __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
    case $line in
      :files) rest=(_files) ;;
      :directories) rest=(_files -/) ;;
      :programs) rest=(_command_names -e) ;;
      *$'\t'*) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      *) found+=("${line//:/\\:}") ;;
    esac
  done
  (( $#found )) && _describe -t words smartcli found && return
  (( $#rest )) && $rest
}
if [[ $funcstack[1] == _smartcli ]]; then
  _smartcli "$@"
else
  compdef _smartcli smartcli
fi
)SCRIPT";

inline constexpr std::string_view kFishScript =
    R"SCRIPT(# smartcli's completion for fish: source it, or a file smartcli.fish in ~/.config/fish/completions
function __smartcli_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    command -q $program; or set program smartcli
    set -e words[1]
    for line in ($program __complete -- $words "$current" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path "$current"
            case ':directories'
                __fish_complete_directories "$current"
            case ':programs'
                complete -C "$current"
            case '*'
                echo $line
        end
    end
end
complete -c smartcli -f -a '(__smartcli_complete)'
)SCRIPT";

}  // namespace smartcli::cli
