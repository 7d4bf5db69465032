# Tests of a release library.
source "$1"
release_is_version 1.2.3 || exit 1
! release_is_version 1.2 || exit 1
[[ $(release_bump major 1.2.3) == 2.0.0 ]] || exit 1
[[ $(release_bump minor 1.2.3) == 1.3.0 ]] || exit 1
[[ $(release_bump patch 1.2.3) == 1.2.4 ]] || exit 1
[[ $(printf '1.2.0\n1.10.0\n' | release_latest) == 1.10.0 ]] || exit 1
! release_latest </dev/null || exit 1
