let () =
  Scanf.scanf " %d %d %d" (fun rows columns m ->
      let value = ref 0 and total = ref 0 in
      let visit r c =
        incr value;
        if (r + c) mod m = 0 then total := !total + !value
      in
      let rec ring top bottom left right =
        if top <= bottom && left <= right then begin
          for c = left to right do visit top c done;
          for r = top + 1 to bottom do visit r right done;
          if top < bottom then for c = right - 1 downto left do visit bottom c done;
          if left < right then for r = bottom - 1 downto top + 1 do visit r left done;
          ring (top + 1) (bottom - 1) (left + 1) (right - 1)
        end
      in
      ring 0 (rows - 1) 0 (columns - 1);
      Printf.printf "%d\n" !total)
