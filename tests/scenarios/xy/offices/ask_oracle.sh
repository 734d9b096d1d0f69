# The guarantees of taxation.toml, asked of published files by xy_oracle.py, which stands beside the offices.
#
#     ask_oracle.sh anonymity|hiv|disease TABLE-OR-FOLDER [OUT]
#
# K is another k than 3. Nobody publishes who somebody is; of each person the tax office keeps one dossier, so dossiers are counted.
question=$1 earlier=immigration-2025
set -- --release taxation-2026="$2" --release $earlier="${3:-out}/$earlier" --join job --join sex \
  --x job --x sex --x $earlier:job --x $earlier:sex --x $earlier:origin
case $question in
  anonymity) set -- "$@" --x age --y dossier --k "${K:-3}" ;;
  hiv) set -- "$@" --y disease --value HIV --at-most 1/3 ;;
  disease) set -- "$@" --y disease --at-most 3/5 ;;
esac
exec python3 xy_oracle.py "$@"
