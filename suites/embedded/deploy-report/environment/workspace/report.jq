# Deployments by service.
group_by(.service) | map({service: .[0].service, deploys: length})
