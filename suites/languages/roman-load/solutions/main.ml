let length = [| 0; 1; 2; 3; 2; 1; 2; 3; 4; 2 |]

let () =
  Scanf.scanf " %d %d" (fun a b ->
      let total = ref 0 and most = ref 0 and best = ref 0 in
      for n = a to b do
        let letters = (n / 1000) + length.(n / 100 mod 10) + length.(n / 10 mod 10) + length.(n mod 10) in
        total := !total + letters;
        if letters > !most then begin
          most := letters;
          best := n
        end
      done;
      Printf.printf "%d %d\n" !total !best)
