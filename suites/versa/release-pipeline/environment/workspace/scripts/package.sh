# Packs the application.
set -e
mkdir -p dist
cat app/main.txt > "dist/app-$1.txt"
