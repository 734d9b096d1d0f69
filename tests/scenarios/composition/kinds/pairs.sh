# pairs.sh FIRST: a release of this kind by sex and town is out. One of each kind by sex and floor is tried after it, about
# the same people. Prints what is tried, the exit code, and what is said of both together, but for the advice. Then the
# same without an id, and after a first one without an id. An import is made by our own program and said to be another's.
# What is counted is compared with the oracle's counts of the published files, and printed where it differs.
python3 kinds/policies.py first sex town && python3 kinds/policies.py second sex floor && python3 kinds/policies.py measured sex floor 'overlap="measure"'
publish() { # POLICY LEDGER [OPTION]
  case $1 in
    *-import*)
      name=${1%%-*}
      [ -e elsewhere/$name ] || pentimento release $name-k.toml --ledger ledger-elsewhere-$name --new-ledger --out elsewhere > said 2>&1 || cat said
      pentimento import elsewhere/$name/table.csv --policy $name-import.toml --ledger $2 > said 2>&1 ;;
    *) pentimento release $1.toml --ledger $2 --out out ${3:-} > said 2>&1 ;;
  esac
}
try() { # LEDGER POLICY WORDS
  publish $2 $1 --dry-run
  code=$?
  if [ $code = 0 ]; then
    told=$(sed -n 's/^  note: //p' said | grep -E 'Together with|cannot be told')
  else
    told=$(grep '^pentimento' said | grep -vE '^pentimento: (note|warning)' | sed -E 's/^pentimento: //; s/ (Nothing was published|Leave|Name the id|Publish one).*//')
  fi
  echo "$3: $code${told:+ $told}"
}
kinds="k incremental xy alpha-k two-tables global history"
publish first-$1 ledger || cat said
for kind in $kinds; do
  try ledger second-$kind $kind | tee line
  grep -q 'Together with' line || continue
  cp -r ledger counted
  pentimento release measured-$kind.toml --ledger counted --out counted-out > said 2>&1 || cat said
  python3 kinds/compare.py "$(cat line)" out/first counted-out/measured people.csv
  rm -r counted counted-out
done
cp -r ledger tried && try tried second-import import
for kind in k two-tables xy; do try ledger second-$kind-no-id "$kind without id"; done
[ $1 = import ] && exit
rm -rf out
publish first-$1-no-id without || { sed 's/^pentimento: [^ ]*: //' said; exit; }
for kind in $kinds; do try without second-$kind "after one without id, $kind"; done
