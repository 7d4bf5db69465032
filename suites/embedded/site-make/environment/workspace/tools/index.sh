# Prints the list of pages: index.sh PAGE...
[ -z "$LOG" ] || echo "index $*" >>"$LOG"
for page in "$@"; do
    name=${page#pages/}
    echo "<li><a href=\"${name%.txt}.html\">$(head -n 1 "$page")</a></li>"
done
