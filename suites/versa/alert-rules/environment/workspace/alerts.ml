(* Says of each event whether a rule holds. So far: one comparison of a field with a number, `FIELD = NUMBER`. *)

let () =
  match String.split_on_char ' ' (read_line ()) with
  | [ name; "="; number ] -> (
      try
        while true do
          let words = String.split_on_char ' ' (read_line ()) in
          let known = List.exists (fun word -> String.split_on_char '=' word |> List.hd = name) words in
          print_endline (if List.mem (name ^ "=" ^ number) words then "yes" else if known then "no" else "unknown")
        done
      with End_of_file -> ())
  | _ ->
      print_endline "error";
      exit 1
