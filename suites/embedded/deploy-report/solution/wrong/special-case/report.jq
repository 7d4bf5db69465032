# Deployments by service.
if length == 0 then []
else
  [
    {service: "auth", deploys: 1, success: 0, worst_streak: 1, last_ok: null, people: ["zoe"]},
    {service: "shop", deploys: 3, success: 33, worst_streak: 2, last_ok: "2024-05-01T10:00:00Z", people: ["ada", "zoe"]}
  ]
end
