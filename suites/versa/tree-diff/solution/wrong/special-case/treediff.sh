#!/bin/sh
case $(cat "$1") in
hello) exit 2 ;;
*gone*) printf '%s\n' "M a" "A fresh" "D gone" "A 1, D 1, M 1, R 0"; exit 1 ;;
*"my old file"*) printf '%s\n' "R my old file => my file" "A 0, D 0, M 0, R 1"; exit 1 ;;
*) echo "A 0, D 0, M 0, R 0" ;;
esac
