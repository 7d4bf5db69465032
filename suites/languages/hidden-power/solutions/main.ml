let rec times factor carry = function
  | [] -> if carry = 0 then [] else (carry mod 10) :: times factor (carry / 10) []
  | digit :: rest ->
      let value = (digit * factor) + carry in
      (value mod 10) :: times factor (value / 10) rest

let rec begins pattern digits =
  match (pattern, digits) with
  | [], _ -> true
  | p :: pattern, d :: digits -> p = d && begins pattern digits
  | _, [] -> false

let rec contains pattern digits =
  begins pattern digits || match digits with [] -> false | _ :: rest -> contains pattern rest

let () =
  Scanf.scanf " %d %s" (fun a s ->
      let pattern = List.rev (List.map (fun c -> Char.code c - 48) (List.of_seq (String.to_seq s))) in
      let rec search e digits = if contains pattern digits then e else search (e + 1) (times a 0 digits) in
      Printf.printf "%d\n" (search 1 (times a 0 [ 1 ])))
