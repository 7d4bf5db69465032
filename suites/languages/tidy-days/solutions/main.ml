let rec digits n = if n = 0 then 0 else (n mod 10) + digits (n / 10)
let leap y = y mod 4 = 0 && (y mod 100 <> 0 || y mod 400 = 0)

let days y = function
  | 2 -> if leap y then 29 else 28
  | 4 | 6 | 9 | 11 -> 30
  | _ -> 31

let () =
  Scanf.scanf " %d %d" (fun a b ->
      let weekday = ref 6 and count = ref 0 in
      for year = 1600 to b do
        for month = 1 to 12 do
          for day = 1 to days year month do
            let sum = digits day + digits month + digits year in
            if year >= a && sum mod !weekday = 0 then incr count;
            weekday := (!weekday mod 7) + 1
          done
        done
      done;
      Printf.printf "%d\n" !count)
