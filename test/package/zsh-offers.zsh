# Prints what zsh offers for the line $1, a word a line: a second zsh completes it on a terminal of its own, and writes
# down every word that it would offer.
zmodload zsh/zpty
offers=$(mktemp)
setup=$(mktemp)
cat >$setup <<'END'
fpath=($PWD/.functions $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
  if [[ " ${@[1,(i)(-|--)]} " == *" -"[OAD]" "* ]]; then
    builtin compadd "$@"
    return
  fi
  local -a offered
  builtin compadd -O offered "$@"
  (( $#offered )) && print -lr -- $offered >>$offers
  builtin compadd "$@"
}
tell() { print -r -- 'that is all' >>$offers }
zle -N tell
bindkey '^I' complete-word
bindkey '^X' tell
LISTMAX=1000
print set up >>$offers
END

# The other zsh writes when it is so far; a terminal that nobody reads would hold it up.
wait_for() {
  repeat 600; do
    grep -q "$1" $offers && return
    zpty -r -t shell said
    sleep 0.05
  done
  print -u2 "zsh did not get to: $1"
}

zpty -b shell zsh -f -i
zpty -w shell "offers=$offers; source $setup"
wait_for 'set up'
zpty -n -w shell "$1"$'\t\x18'
wait_for 'that is all'
zpty -d shell
grep -v -e 'set up' -e 'that is all' $offers | sort -u
rm -f $offers $setup
