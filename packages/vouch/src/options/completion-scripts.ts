import { COMPLETE } from "../process/short-commands.js";
import type { Shell } from "./flags.js";

/** The line that stands for file names, which the shell completes itself. */
export const FILES_LINE = ":files";

/**
 * Bash splits words at "=", so the words are taken from the line. The bash of macOS lacks `compopt` and adds an extra
 * space.
 */
const BASH = `_vouch() {
  local line=\${COMP_LINE:0:COMP_POINT} words current candidate found=() files=
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  current=\${words[\${#words[@]} - 1]}
  COMPREPLY=()
  while IFS=$'\\t' read -r candidate _; do
    if [[ $candidate == ${FILES_LINE} ]]; then files=1; else found+=("$candidate"); fi
  done < <("\${words[0]}" ${COMPLETE} -- "\${words[@]:1}" 2> /dev/null)
  for candidate in "\${found[@]}"; do
    [[ $candidate == *= ]] && type compopt &> /dev/null && compopt -o nospace
    if [[ $current == *=* ]]; then candidate=\${candidate#"\${current%"\${current##*=}"}"}; fi
    COMPREPLY+=("$candidate")
  done
  if [[ $files ]]; then
    type compopt &> /dev/null && compopt -o filenames
    while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "\${current##*=}")
  fi
}
complete -F _vouch vouch
`;

const ZSH = `#compdef vouch
_vouch() {
  local -a finished open
  local word text files=
  while IFS=$'\\t' read -r word text; do
    case $word in
      ${FILES_LINE}) files=1 ;;
      *=) open+=("\${word//:/\\\\:}:$text") ;;
      *) finished+=("\${word//:/\\\\:}:$text") ;;
    esac
  done < <("\${(Q)words[1]}" ${COMPLETE} -- "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2> /dev/null)
  (( $#finished )) && _describe -t values value finished
  (( $#open )) && _describe -t values value open -S ''
  if [[ -n $files ]]; then
    compset -P '--*='
    _files
  fi
}
if [[ $funcstack[1] == _vouch ]]; then _vouch "$@"; else compdef _vouch vouch; fi
`;

const FISH = `function __vouch_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] ${COMPLETE} -- $words[2..-1] "$current" 2> /dev/null)
        if test "$line" = ${FILES_LINE}
            set -l flag (string match -r -- '^--[^=]*=' "$current")
            for path in (__fish_complete_path (string replace -- "$flag" '' "$current"))
                echo "$flag$path"
            end
        else
            echo $line
        end
    end
end
complete -c vouch -f -a '(__vouch_complete)'
`;

/** The completion script of each shell. */
export const scripts: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
