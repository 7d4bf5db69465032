let () =
  Scanf.scanf " %d %d" (fun n k ->
      let people = Array.init n (fun i -> i + 1) in
      let at = ref 0 and sum = ref 0 in
      for turn = 0 to n - 2 do
        let size = n - turn in
        let step = (k + turn - 1) mod size in
        at := (if turn mod 2 = 0 then !at + step else !at - 1 - step + (2 * size)) mod size;
        if size <= 4 then sum := !sum + people.(!at);
        Array.blit people (!at + 1) people !at (size - !at - 1)
      done;
      Printf.printf "%d %d\n" people.(0) !sum)
