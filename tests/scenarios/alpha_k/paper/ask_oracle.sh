# Asks the oracles what a release of the patients promises: they read the published files and the table, nothing else.
#
#     ask_oracle.sh RELEASE-DIR [OPTIONS OF two_tables_oracle.py]
#
# ALPHA, K and ORIGINAL are others than 1/2, 2 and the patients.
release=$1
shift
python3 two_tables_oracle.py "$release" --alpha "${ALPHA:-1/2}" --k "${K:-2}" --original "${ORIGINAL:-paper/people.csv}" "$@" || exit
[ ! -e "$release"/nss.* ] || python3 relink.py "$release" --original "${ORIGINAL:-paper/people.csv}"
