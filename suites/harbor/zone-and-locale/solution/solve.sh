#!/bin/bash
set -e
apt-get update
apt-get install -y --no-install-recommends locales
ln -sf /usr/share/zoneinfo/Europe/Vienna /etc/localtime
echo Europe/Vienna > /etc/timezone
sed -i 's/^# *de_AT.UTF-8/de_AT.UTF-8/' /etc/locale.gen
locale-gen
echo LANG=de_AT.UTF-8 > /etc/default/locale
printf '30 6 * * 1-5 root /usr/local/bin/report\n' > /etc/cron.d/report 2>/dev/null \
  || { mkdir -p /etc/cron.d; printf '30 6 * * 1-5 root /usr/local/bin/report\n' > /etc/cron.d/report; }
cat > /usr/local/bin/report <<'EOF'
#!/bin/sh
LC_ALL=de_AT.UTF-8 exec date -d "${1:-now}" '+%A, %d. %B %Y'
EOF
chmod 755 /usr/local/bin/report
