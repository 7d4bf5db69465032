let () =
  let n = Scanf.scanf " %d" (fun x -> x) in
  let best = Array.make n (0, 0) and v = Array.make n 0 in
  for i = 0 to n - 1 do
    v.(i) <- Scanf.scanf " %d" (fun x -> x);
    let before = ref (0, 0) in
    for j = 0 to i - 1 do
      if v.(j) < v.(i) && (v.(i) - v.(j)) mod 2 = 1 then before := max !before best.(j)
    done;
    best.(i) <- (fst !before + 1, snd !before + v.(i))
  done;
  let length, sum = Array.fold_left max (0, 0) best in
  Printf.printf "%d %d\n" length sum
