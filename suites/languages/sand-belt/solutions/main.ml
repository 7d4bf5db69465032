let () =
  Scanf.scanf " %d %d %d %d %d" (fun rows columns y x k ->
      let sand = Array.make_matrix rows columns 0 in
      sand.(y).(x) <- k;
      let again = ref true in
      let give r c times = if r >= 0 && r < rows then sand.(r).(c) <- sand.(r).(c) + times in
      while !again do
        again := false;
        for r = 0 to rows - 1 do
          for c = 0 to columns - 1 do
            let times = sand.(r).(c) / 4 in
            if times > 0 then begin
              again := true;
              sand.(r).(c) <- sand.(r).(c) mod 4;
              give (r - 1) c times;
              give (r + 1) c times;
              give r ((c + 1) mod columns) times;
              give r ((c + columns - 1) mod columns) times
            end
          done
        done
      done;
      let all = Array.to_list (Array.concat (Array.to_list sand)) in
      Printf.printf "%d %d\n" (List.fold_left ( + ) 0 all) (List.length (List.filter (( = ) 3) all)))
