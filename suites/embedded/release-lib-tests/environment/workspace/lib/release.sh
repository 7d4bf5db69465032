# Functions for release scripts. To be sourced by bash 4 or newer.
#
# A version is MAJOR.MINOR.PATCH: three decimal numbers without leading zeros, each at most 9 digits.
# All functions print on standard output only what they return, followed by a line feed, and change no
# variable of the caller. When they return a status other than 0, they print nothing on standard output.

# release_is_version TEXT: status 0 if TEXT is a version, 1 if it is not. Prints nothing.
release_is_version() {
    [[ $1 =~ ^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})$ ]]
}

# release_bump PART VERSION: prints the version after VERSION. PART is major, minor or patch; the
# numbers after it become 0. Status 2, with a message on standard error, if PART is none of these
# or VERSION is no version.
release_bump() {
    local major minor patch
    if ! release_is_version "$2"; then
        echo "not a version: $2" >&2
        return 2
    fi
    IFS=. read -r major minor patch <<<"$2"
    case $1 in
        major) echo "$((major + 1)).0.0" ;;
        minor) echo "$major.$((minor + 1)).0" ;;
        patch) echo "$major.$minor.$((patch + 1))" ;;
        *)
            echo "not a part: $1" >&2
            return 2
            ;;
    esac
}

# release_latest: reads lines, and prints the greatest version among them, compared by numbers. Lines
# that are no versions are ignored; a leading "v" is not part of the version and is not printed ("v1.2.0"
# counts as 1.2.0). The last line may lack its line feed. Status 1 if there is no version.
release_latest() {
    local line best='' a b c x=-1 y=-1 z=-1
    while IFS= read -r line || [[ -n $line ]]; do
        line=${line#v}
        release_is_version "$line" || continue
        IFS=. read -r a b c <<<"$line"
        if ((a > x || (a == x && (b > y || (b == y && c > z))))); then
            best=$line x=$a y=$b z=$c
        fi
    done
    [[ -n $best ]] || return 1
    echo "$best"
}
