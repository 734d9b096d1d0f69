# Publishes the series that make.py wrote, and asks the oracle after each release.
#
#     publish.sh FOLDER NAME [OPTIONS OF global_oracle.py]
#
# into ledger-NAME and out-NAME. Says what the oracle says of the whole series.
folder=$1 name=$2
shift 2
pairs=()
for ((number = 1; ; ++number)); do
  [ -e $folder/q$number.toml ] || break
  pentimento release $folder/q$number.toml --ledger ledger-$name --out out-$name $OPTIONS > said || { echo "$name q$number: exit $?"; exit 1; }
  pairs+=(out-$name/q$number=$(echo $folder/q$number.[cp]*))
  python3 global_oracle.py "${pairs[@]}" --id person --tag tag --ledger ledger-$name --series register "$@" > verified || { echo "$name q$number"; cat verified; exit 1; }
done
echo "$name: $(cat verified)"
