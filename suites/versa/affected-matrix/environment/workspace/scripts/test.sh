# Tests a package with a Python.
echo "tested $1 with $2 in $(basename "$PWD")"
