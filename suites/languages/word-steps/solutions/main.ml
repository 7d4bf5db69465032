let tail s = String.sub s 1 (String.length s - 1)

let near a b =
  if String.length a <> String.length b then tail a = b || tail b = a
  else begin
    let other = ref 0 in
    String.iteri (fun i c -> if c <> b.[i] then incr other) a;
    !other = 1
  end

let () =
  Scanf.scanf " %s %s %d" (fun first last n ->
      let words = List.init n (fun _ -> Scanf.scanf " %s" (fun w -> w)) in
      let rec search reached rest steps =
        if List.mem last reached then steps
        else if reached = [] then -1
        else
          let next, rest = List.partition (fun w -> List.exists (near w) reached) rest in
          search next rest (steps + 1)
      in
      Printf.printf "%d\n" (search [ first ] (List.filter (( <> ) first) words) 0))
