# Tests of a release library.
source "$1"
declare -F release_is_version release_bump release_latest >/dev/null
