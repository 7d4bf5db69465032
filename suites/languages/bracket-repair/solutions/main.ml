let matches a b =
  match (a, b) with
  | '(', ')' | '[', ']' | '{', '}' -> true
  | _ -> false

let () =
  let text = Scanf.scanf " %s" (fun s -> s) in
  let n = String.length text in
  let cost = Array.make_matrix (n + 1) (n + 1) 0 in
  for i = n - 1 downto 0 do
    for j = i + 1 to n do
      cost.(i).(j) <- cost.(i + 1).(j) + 1;
      for k = i + 1 to j - 1 do
        if matches text.[i] text.[k] then cost.(i).(j) <- min cost.(i).(j) (cost.(i + 1).(k) + cost.(k + 1).(j))
      done
    done
  done;
  Printf.printf "%d\n" cost.(0).(n)
