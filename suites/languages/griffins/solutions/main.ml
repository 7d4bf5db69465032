let () =
  Scanf.scanf " %d %d" (fun n m ->
      let rec place row before last =
        if row = n then 1
        else begin
          let ways = ref 0 in
          for c = 0 to m - 1 do
            if abs (c - last) > 2 && abs (c - before) <> 1 then ways := !ways + place (row + 1) last c
          done;
          !ways
        end
      in
      Printf.printf "%d\n" (place 0 99 99))
