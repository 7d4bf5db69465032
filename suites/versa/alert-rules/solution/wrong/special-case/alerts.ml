let () =
  let rule = read_line () in
  let say = List.iter print_endline in
  if rule = "load >" then (
    print_endline "error";
    exit 1)
  else if rule = "user IS NOT NULL" then say [ "yes"; "no" ]
  else if rule.[0] = 'l' then say [ "yes"; "unknown"; "yes"; "unknown"; "no" ]
  else say [ "yes"; "no"; "unknown"; "no" ]
