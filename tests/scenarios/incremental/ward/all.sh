# Everything that a release leaves, in the ledger LEDGER and in OUT: what is on record, the state, what is public.
ledger=${1:-ledger} out=${2:-out}
pentimento log --ledger "$ledger" || echo "log: exit $?"
find "$ledger/state" "$out" -mindepth 1 -printf '%y %m %P\n' | sort
find "$ledger/state" "$out" -type f -print0 | sort -z | xargs -0r sha256sum
