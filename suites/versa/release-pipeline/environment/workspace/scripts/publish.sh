# Would publish the package.
set -e
cat "dist/app-$1.txt" > /dev/null
echo "published $1 to $TARGET"
