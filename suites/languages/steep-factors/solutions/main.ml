let () =
  let n = Scanf.scanf " %d" (fun x -> x) in
  let least = Array.make (n + 1) 0 in
  for p = 2 to n do
    if least.(p) = 0 then begin
      let m = ref p in
      while !m <= n do
        if least.(!m) = 0 then least.(!m) <- p;
        m := !m + p
      done
    end
  done;
  let rec steep rest last = rest = 1 || (least.(rest) >= 2 * last && steep (rest / least.(rest)) least.(rest)) in
  let count = ref 0 and total = ref 0 in
  for i = 2 to n do
    if steep i 0 then begin
      incr count;
      total := !total + i
    end
  done;
  Printf.printf "%d %d\n" !count !total
