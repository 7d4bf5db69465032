# Demands that every link of the index is there: check.sh DIRECTORY
[ -z "$LOG" ] || echo "check $1" >>"$LOG"
sed -n 's/.*href="\([^"]*\)".*/\1/p' "$1/index.html" | while read -r link; do
    [ -f "$1/$link" ] || exit 1
done
