let contains text part from =
  let n = String.length text and m = String.length part in
  let rec at i = i + m <= n && (String.sub text i m = part || at (i + 1)) in
  at from

let () =
  let text = Scanf.scanf " %s" (fun s -> s) in
  let n = String.length text in
  let rec search length =
    if length = 0 then print_endline "0 -"
    else begin
      let best = ref "" in
      for i = 0 to n - (2 * length) do
        let part = String.sub text i length in
        if (!best = "" || part < !best) && contains text part (i + length) then best := part
      done;
      if !best = "" then search (length - 1) else Printf.printf "%d %s\n" length !best
    end
  in
  search (n / 2)
