let rec digits n = if n = 0 then [] else (n mod 10) :: digits (n / 10)

let rec added carry x y =
  match (x, y) with
  | [], [] -> digits carry
  | a :: x, [] | [], a :: x -> ((a + carry) mod 10) :: added ((a + carry) / 10) x []
  | a :: x, b :: y -> ((a + b + carry) mod 10) :: added ((a + b + carry) / 10) x y

let () =
  Scanf.scanf " %d %d %d" (fun a b n ->
      let rec go i x y = if i > n then y else go (i + 1) y (added i x y) in
      let found = go 3 (digits a) (digits b) in
      Printf.printf "%d %d\n" (List.length found) (List.length (List.filter (fun d -> d = 7) found)))
