let () =
  let n = Scanf.scanf " %d" (fun x -> x) in
  let top = ref 0 and bottom = ref 1 in
  for _ = 1 to n do
    Scanf.scanf " %d %d" (fun a b ->
        top := (!top * b) + (a * !bottom);
        bottom := !bottom * b)
  done;
  let rec terms top bottom = if bottom = 0 then [] else string_of_int (top / bottom) :: terms bottom (top mod bottom) in
  print_endline (String.concat " " (terms !top !bottom))
