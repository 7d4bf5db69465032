let () =
  Scanf.scanf " %d %d" (fun rows columns ->
      let cells = Array.init rows (fun _ -> Scanf.scanf " %s" Bytes.of_string) in
      let rec sink r c =
        let r = (r + rows) mod rows and c = (c + columns) mod columns in
        if Bytes.get cells.(r) c <> '#' then 0
        else begin
          Bytes.set cells.(r) c '.';
          1 + sink (r - 1) c + sink (r + 1) c + sink r (c - 1) + sink r (c + 1)
        end
      in
      let islands = ref 0 and largest = ref 0 in
      for r = 0 to rows - 1 do
        for c = 0 to columns - 1 do
          let size = sink r c in
          if size > 0 then incr islands;
          largest := max !largest size
        done
      done;
      Printf.printf "%d %d\n" !islands !largest)
