let () =
  Scanf.scanf " %d %d" (fun rows columns ->
      let cells = Array.init rows (fun _ -> Scanf.scanf " %s" (fun s -> s)) in
      let cost = Array.init rows (fun r -> Array.init columns (fun c -> Array.make 4 (if r + c = 0 then 0 else 1_000_000_000))) in
      let moves = [| (0, 1); (1, 0); (0, -1); (-1, 0) |] in
      let changed = ref true in
      while !changed do
        changed := false;
        for r = 0 to rows - 1 do
          for c = 0 to columns - 1 do
            Array.iteri
              (fun d (dy, dx) ->
                let v = r + dy and u = c + dx in
                if v >= 0 && v < rows && u >= 0 && u < columns then
                  for e = 0 to 3 do
                    let paid = cost.(r).(c).(e) + Char.code cells.(v).[u] - 48 + if e = d then 0 else 3 in
                    if paid < cost.(v).(u).(d) then begin
                      cost.(v).(u).(d) <- paid;
                      changed := true
                    end
                  done)
              moves
          done
        done
      done;
      Printf.printf "%d\n" (Array.fold_left min max_int cost.(rows - 1).(columns - 1)))
