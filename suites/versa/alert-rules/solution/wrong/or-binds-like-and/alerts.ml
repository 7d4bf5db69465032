(* Says of each event whether a rule holds, with a third answer where a field is missing. *)

type value = Int of int | Text of string | Null
type truth = True | False | Unknown

type operand = Constant of value | Field of string

type rule =
  | Or of rule * rule
  | And of rule * rule
  | Not of rule
  | Compare of string * operand * operand
  | In of operand * operand list
  | Missing of operand

type token = Word of string | Number of int | Quoted of string | Sign of string | End

exception Wrong

let digit c = c >= '0' && c <= '9'
let letter c = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c = '_'

(* The place of the first sign from a place on that is not of a kind. *)
let rec skip kind text at = if at < String.length text && kind text.[at] then skip kind text (at + 1) else at

let quoted text start =
  let out = Buffer.create 16 in
  let rec go at =
    if at >= String.length text then raise Wrong
    else if text.[at] <> '\'' then (Buffer.add_char out text.[at]; go (at + 1))
    else if at + 1 < String.length text && text.[at + 1] = '\'' then (Buffer.add_char out '\''; go (at + 2))
    else at + 1
  in
  let stop = go start in
  (Buffer.contents out, stop)

let rec tokens text at =
  let length = String.length text in
  let piece stop = String.sub text at (stop - at) in
  if at >= length then [ End ]
  else
    let c = text.[at] in
    let next = if at + 1 < length then text.[at + 1] else ' ' in
    if c = ' ' || c = '\t' then tokens text (at + 1)
    else if letter c then
      let stop = skip (fun c -> letter c || digit c) text at in
      Word (piece stop) :: tokens text stop
    else if digit c || (c = '-' && digit next) then (
      let stop = skip digit text (at + 1) in
      if stop < length && letter text.[stop] then raise Wrong;
      Number (int_of_string (piece stop)) :: tokens text stop)
    else if c = '\'' then
      let inner, stop = quoted text (at + 1) in
      Quoted inner :: tokens text stop
    else if List.mem (piece (min length (at + 2))) [ "<="; ">="; "<>" ] then
      Sign (piece (at + 2)) :: tokens text (at + 2)
    else if String.contains "=<>()," c then Sign (String.make 1 c) :: tokens text (at + 1)
    else raise Wrong

let keywords = [ "AND"; "OR"; "NOT"; "IN"; "BETWEEN"; "IS"; "NULL" ]

let keyword token =
  match token with
  | Word word when List.mem (String.uppercase_ascii word) keywords -> String.uppercase_ascii word
  | _ -> ""

(* Takes a keyword off the tokens, if it is the first of them. *)
let next_is word tokens = keyword (List.hd tokens) = word

let expect token tokens = if List.hd tokens = token then List.tl tokens else raise Wrong

let operand tokens =
  match tokens with
  | Number number :: rest -> (Constant (Int number), rest)
  | Quoted text :: rest -> (Constant (Text text), rest)
  | (Word name as token) :: rest ->
      if keyword token = "" then (Field name, rest)
      else if keyword token = "NULL" then (Constant Null, rest)
      else raise Wrong
  | _ -> raise Wrong

let rec operands tokens =
  let first, rest = operand tokens in
  match rest with
  | Sign "," :: rest ->
      let others, rest = operands rest in
      (first :: others, rest)
  | _ -> ([ first ], expect (Sign ")") rest)

let rec any tokens =
  let left, rest = all tokens in
  if next_is "OR" rest then
    let right, rest = any (List.tl rest) in
    (Or (left, right), rest)
  else (left, rest)

and all tokens =
  let left, rest = one tokens in
  if next_is "AND" rest then
    let right, rest = any (List.tl rest) in
    (And (left, right), rest)
  else (left, rest)

and one tokens =
  if next_is "NOT" tokens then
    let rule, rest = one (List.tl tokens) in
    (Not rule, rest)
  else if List.hd tokens = Sign "(" then
    let rule, rest = any (List.tl tokens) in
    (rule, expect (Sign ")") rest)
  else
    let left, rest = operand tokens in
    predicate left rest

and predicate left rest =
  if next_is "IS" rest then
    let negated = next_is "NOT" (List.tl rest) in
    let rest = if negated then List.tl (List.tl rest) else List.tl rest in
    if not (next_is "NULL" rest) then raise Wrong;
    ((if negated then Not (Missing left) else Missing left), List.tl rest)
  else if next_is "NOT" rest then (
    if not (next_is "IN" (List.tl rest) || next_is "BETWEEN" (List.tl rest)) then raise Wrong;
    let rule, rest = predicate left (List.tl rest) in
    (Not rule, rest))
  else if next_is "IN" rest then
    let members, rest = operands (expect (Sign "(") (List.tl rest)) in
    (In (left, members), rest)
  else if next_is "BETWEEN" rest then (
    let low, rest = operand (List.tl rest) in
    if not (next_is "AND" rest) then raise Wrong;
    let high, rest = operand (List.tl rest) in
    (And (Compare (">=", left, low), Compare ("<=", left, high)), rest))
  else
    match rest with
    | Sign sign :: rest when List.mem sign [ "="; "<>"; "<"; "<="; ">"; ">=" ] ->
        let right, rest = operand rest in
        (Compare (sign, left, right), rest)
    | _ -> raise Wrong

let parse text =
  match any (tokens text 0) with
  | rule, [ End ] -> rule
  | _ -> raise Wrong

let negated truth = match truth with True -> False | False -> True | Unknown -> Unknown

let both a b =
  match (a, b) with
  | False, _ | _, False -> False
  | True, True -> True
  | _ -> Unknown

let either a b = negated (both (negated a) (negated b))
let truth holds = if holds then True else False

let compared sign order =
  truth
    (match sign with
    | "=" -> order = 0
    | "<>" -> order <> 0
    | "<" -> order < 0
    | "<=" -> order <= 0
    | ">" -> order > 0
    | _ -> order >= 0)

let rec holds fields rule =
  let value operand =
    match operand with
    | Constant value -> value
    | Field name -> ( match List.assoc_opt name fields with Some value -> value | None -> Null)
  in
  let compare_values sign a b =
    match (value a, value b) with
    | Int a, Int b -> compared sign (compare a b)
    | Text a, Text b -> compared sign (compare a b)
    | _ -> Unknown
  in
  match rule with
  | Or (a, b) -> either (holds fields a) (holds fields b)
  | And (a, b) -> both (holds fields a) (holds fields b)
  | Not rule -> negated (holds fields rule)
  | Compare (sign, a, b) -> compare_values sign a b
  | In (a, members) -> List.fold_left (fun known member -> either known (compare_values "=" a member)) False members
  | Missing a -> truth (value a = Null)

let is_number text =
  let start = if text <> "" && text.[0] = '-' then 1 else 0 in
  start < String.length text && skip digit text start = String.length text

(* The last of several fields with one name comes first. *)
let fields line =
  List.fold_left
    (fun found word ->
      match String.index_opt word '=' with
      | None -> found
      | Some at ->
          let text = String.sub word (at + 1) (String.length word - at - 1) in
          (String.sub word 0 at, if is_number text then Int (int_of_string text) else Text text) :: found)
    [] (String.split_on_char ' ' line)

let () =
  match parse (read_line ()) with
  | exception (Wrong | End_of_file) ->
      print_endline "error";
      exit 1
  | rule -> (
      try
        while true do
          let line = read_line () in
          print_endline (match holds (fields line) rule with True -> "yes" | False -> "no" | Unknown -> "unknown")
        done
      with End_of_file -> ())
