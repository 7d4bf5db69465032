let rec gcd a b = if b = 0 then a else gcd b (a mod b)

let () =
  let k = Scanf.scanf " %d" (fun x -> x) in
  let rec go k t step =
    if k = 0 then Printf.printf "%d\n" t
    else
      Scanf.scanf " %d %d" (fun m x ->
          let rec seek tries t =
            if t mod m = x then Some t else if tries = 0 then None else seek (tries - 1) (t + step)
          in
          match seek m t with
          | None -> print_endline "never"
          | Some t -> go (k - 1) t (step / gcd step m * m))
  in
  go k 0 1
