let md = 1_000_000_007

let () =
  Scanf.scanf " %d %d" (fun n m ->
      let ways = Array.init 3 (fun _ -> Array.init m (fun run -> if run = 0 then 1 else 0)) in
      for _ = 2 to n do
        let ends = Array.map (fun row -> Array.fold_left ( + ) 0 row mod md) ways in
        Array.iter (fun row -> Array.blit row 0 row 1 (m - 1)) ways;
        ways.(0).(0) <- (ends.(1) + ends.(2)) mod md;
        ways.(1).(0) <- (ends.(0) + ends.(2)) mod md;
        ways.(2).(0) <- ends.(1)
      done;
      Printf.printf "%d\n" (Array.fold_left (Array.fold_left ( + )) 0 ways mod md))
