let rec ones i = if i = 0 then 0 else (i land 1) + ones (i lsr 1)

let () =
  let n = Scanf.scanf " %d" (fun x -> x) in
  let on = Array.make (n + 1) false in
  for i = 1 to n do
    if ones i mod 2 = 0 then
      for j = 1 to n / i do
        on.(i * j) <- not on.(i * j)
      done
  done;
  let count = ref 0 and last = ref 0 in
  Array.iteri (fun lamp lit -> if lit then begin incr count; last := lamp end) on;
  Printf.printf "%d %d\n" !count !last
