#!/bin/bash
set -e
usermod -aG team bob
chown -R :team /srv/shared
chmod 2770 /srv/shared
chmod 660 /srv/shared/plan.txt
chown -R ada:ada /home/ada/.ssh
chmod 700 /home/ada/.ssh
chmod 600 /home/ada/.ssh/id
chown root:root /usr/local/bin/audit
chmod 755 /usr/local/bin/audit
