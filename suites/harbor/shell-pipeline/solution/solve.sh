#!/bin/bash
cat > /app/report.sh <<'EOF'
#!/bin/bash
[ $# -gt 0 ] || { echo "no file is given" >&2; exit 2; }
for file; do
  [ -f "$file" ] || { echo "there is no $file" >&2; exit 2; }
done
jq -r 'select(.celsius | type == "number") | [.city, .celsius] | @tsv' -- "$@" | LC_ALL=C gawk -F'\t' '
  !($1 in n) { low[$1] = high[$1] = $2 + 0; was_low[$1] = was_high[$1] = $2 }
  { n[$1]++ }
  $2 + 0 < low[$1] { low[$1] = $2 + 0; was_low[$1] = $2 }
  $2 + 0 > high[$1] { high[$1] = $2 + 0; was_high[$1] = $2 }
  END { for (city in n) printf "%s\t%d\t%s\t%s\n", city, n[city], was_low[city], was_high[city] }' | LC_ALL=C sort
EOF
chmod 755 /app/report.sh
