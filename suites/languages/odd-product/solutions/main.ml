(* Digits are lists, the last digit first. *)
let rec times factor carry = function
  | [] -> if carry = 0 then [] else (carry mod 10) :: times factor (carry / 10) []
  | digit :: rest ->
      let value = (digit * factor) + carry in
      (value mod 10) :: times factor (value / 10) rest

let () =
  let n = Scanf.scanf " %d" (fun x -> x) in
  let digits = ref [ 1 ] in
  for i = 1 to n do
    digits := times ((i * i) + 1) 0 !digits
  done;
  Printf.printf "%d %d\n" (List.length !digits) (List.fold_left ( + ) 0 !digits)
