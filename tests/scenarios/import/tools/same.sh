# same.sh THEIRS OURS [POLICY]: imports the table of another tool, and the same table in our own labels, each into a ledger
# of its own, asks both, and publishes a table of the same people beside each. Prints what the import says of the columns,
# one answer, and whether all others are alike.
policy=${3:-tools/policy.toml}
answers() {
  pentimento import "$1" --policy "$policy" --ledger "$2" || return
  for query in "age in [25,35)" "age <= 20" "age >= 50 and disease = Flu" "zip = 2043*" "job = Care" "job = ''"; do
    echo "$query"
    pentimento query "$2/imported/old" "count where $query"
  done
  pentimento metrics --original tools/people.csv --release "$2/imported/old"
  pentimento release tools/new.toml --ledger "$2" --out "$2-out" --seed 1
  sort "$2-out/new/table.csv"
}
for side in theirs ours; do
  table=$1
  [ $side = theirs ] || table=$2
  answers "$table" $side 2>&1 | sed "s/$side/LEDGER/g; / s: reading /d" >$side.txt
done
sed -n 's/  */ /g; s/^ \(.* labels\?, \)/\1/p; /^age in/,/^estimate/p; s/^\(new: published\) .*/\1/p' theirs.txt
diff theirs.txt ours.txt && echo alike
