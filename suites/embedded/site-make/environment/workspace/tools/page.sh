# Prints a page: page.sh PAGE
[ -z "$LOG" ] || echo "page $1" >>"$LOG"
cat parts/header.html
while IFS= read -r line; do
    [ "$line" != FAIL ] || exit 3
    echo "<p>$line</p>"
done <"$1"
cat parts/footer.html
