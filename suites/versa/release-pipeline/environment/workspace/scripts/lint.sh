# Looks at the sources.
set -e
grep -q . app/main.txt
echo "lint: good"
