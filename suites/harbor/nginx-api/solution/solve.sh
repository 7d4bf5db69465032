#!/bin/bash
sed -i 's|location /api {|location /api/ {|; s|:9001;|:9000/;|' /etc/nginx/conf.d/site.conf
nginx -t && nginx -s reload
