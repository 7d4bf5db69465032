(* Says of each event whether a rule holds.

   The rule is turned into a program in postfix order (by the shunting-yard method), and each event is run through that
   program on a stack of truths. *)

exception Bad_rule

(* What an operand can be for an event. *)
type datum = Nothing | Whole of int | Bytes of string

(* Truth is a number, so that AND is the least, OR the greatest, and NOT the sign turned round. *)
let no, unknown, yes = (-1, 0, 1)

type lexeme = Datum of datum | Field of string | Key of string | Sign of string

module Event = Map.Make (String)

type step = Push of (datum Event.t -> int) | Negate | Both | Either

(* --- characters and words --- *)

let is_digit c = '0' <= c && c <= '9'
let is_letter c = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c = '_'

(* The first place from [start] on whose character is not of the class. *)
let rec past belongs text start =
  if start < String.length text && belongs text.[start] then past belongs text (start + 1) else start

let all_digits text start =
  let length = String.length text in
  start < length && past is_digit text start = length

let datum_of_value value =
  let start = if value <> "" && value.[0] = '-' then 1 else 0 in
  if all_digits value start then Whole (int_of_string value) else Bytes value

let event_of_line line =
  let note event word =
    match String.index_opt word '=' with
    | None -> event
    | Some at ->
        let value = String.sub word (at + 1) (String.length word - at - 1) in
        Event.add (String.sub word 0 at) (datum_of_value value) event
  in
  List.fold_left note Event.empty (String.split_on_char ' ' line)

let keywords = [ "AND"; "OR"; "NOT"; "IN"; "BETWEEN"; "IS"; "NULL" ]

(* Longer signs stand before those with which they begin. *)
let signs = [ "<="; "<>"; ">="; "<"; ">"; "="; "("; ")"; "," ]

let lexemes rule =
  let length = String.length rule in
  let starts_with sign at =
    at + String.length sign <= length && String.sub rule at (String.length sign) = sign
  in
  (* The text from [at] on, behind its opening quote, and the place behind it. *)
  let quoted at =
    let content = Buffer.create 16 in
    let rec go at =
      match String.index_from_opt rule at '\'' with
      | None -> raise Bad_rule
      | Some close ->
          Buffer.add_string content (String.sub rule at (close - at));
          if close + 1 < length && rule.[close + 1] = '\'' then (
            Buffer.add_char content '\'';
            go (close + 2))
          else (Buffer.contents content, close + 1)
    in
    go at
  in
  let rec scan at found =
    if at = length then List.rev found
    else
      match rule.[at] with
      | ' ' | '\t' -> scan (at + 1) found
      | '\'' ->
          let content, after = quoted (at + 1) in
          scan after (Datum (Bytes content) :: found)
      | c when is_letter c ->
          let after = past (fun c -> is_letter c || is_digit c) rule at in
          let word = String.sub rule at (after - at) in
          let capitals = String.uppercase_ascii word in
          scan after ((if List.mem capitals keywords then Key capitals else Field word) :: found)
      | c when is_digit c || c = '-' ->
          let first = if c = '-' then at + 1 else at in
          let after = past is_digit rule first in
          if after = first || (after < length && is_letter rule.[after]) then raise Bad_rule;
          scan after (Datum (Whole (int_of_string (String.sub rule at (after - at)))) :: found)
      | _ -> (
          match List.find_opt (fun sign -> starts_with sign at) signs with
          | Some sign -> scan (at + String.length sign) (Sign sign :: found)
          | None -> raise Bad_rule)
  in
  scan 0 []

(* --- predicates --- *)

let operand = function
  | Datum datum -> fun _ -> datum
  | Key "NULL" -> fun _ -> Nothing
  | Field name -> fun event -> Option.value (Event.find_opt name event) ~default:Nothing
  | Key _ | Sign _ -> raise Bad_rule

let truth holds = if holds then yes else no

let comparisons : (string * (int -> bool)) list =
  [
    ("=", fun order -> order = 0);
    ("<>", fun order -> order <> 0);
    ("<", fun order -> order < 0);
    ("<=", fun order -> order <= 0);
    (">", fun order -> order > 0);
    (">=", fun order -> order >= 0);
  ]

let compared sign one other =
  match List.assoc_opt sign comparisons with
  | None -> raise Bad_rule
  | Some fits ->
      let one = operand one and other = operand other in
      Push
        (fun event ->
          match (one event, other event) with
          | Whole a, Whole b -> truth (fits (Int.compare a b))
          | Bytes a, Bytes b -> truth (fits (String.compare a b))
          | _ -> unknown)

let is_null subject =
  let subject = operand subject in
  Push (fun event -> truth (subject event = Nothing))

(* --- the program --- *)

(* Steps are gathered in reverse. *)
let step_of = function
  | "NOT" -> Negate
  | "AND" -> Both
  | "OR" -> Either
  | _ -> raise Bad_rule

let rank = function "NOT" -> 3 | "AND" -> 2 | "OR" -> 1 | _ -> 0

(* Moves the waiting operators of at least this rank to the steps. *)
let rec settle least waiting steps =
  match waiting with
  | top :: below when rank top >= least -> settle least below (step_of top :: steps)
  | _ -> (waiting, steps)

(* A predicate, or what may stand before one, has to come. *)
let rec before waiting steps = function
  | Key "NOT" :: rest -> before ("NOT" :: waiting) steps rest
  | Sign "(" :: rest -> before ("(" :: waiting) steps rest
  | subject :: Key "IS" :: Key "NULL" :: rest -> behind waiting (is_null subject :: steps) rest
  | subject :: Key "IS" :: Key "NOT" :: Key "NULL" :: rest ->
      behind waiting (Negate :: is_null subject :: steps) rest
  | subject :: Key "NOT" :: (Key ("IN" | "BETWEEN") :: _ as rest) ->
      (* The operator is settled before all others, as it stands inside. *)
      before ("NOT" :: waiting) steps (subject :: rest)
  | subject :: Key "BETWEEN" :: low :: Key "AND" :: high :: rest ->
      behind waiting (Both :: compared "<=" subject high :: compared ">=" subject low :: steps) rest
  | subject :: Key "IN" :: Sign "(" :: first :: rest ->
      members waiting subject (compared "=" subject first :: steps) rest
  | one :: Sign sign :: other :: rest -> behind waiting (compared sign one other :: steps) rest
  | _ -> raise Bad_rule

(* The rest of a list after IN. *)
and members waiting subject steps = function
  | Sign "," :: item :: rest -> members waiting subject (Either :: compared "=" subject item :: steps) rest
  | Sign ")" :: rest -> behind waiting steps rest
  | _ -> raise Bad_rule

(* A rule is complete here; more may follow. *)
and behind waiting steps = function
  | Key (("AND" | "OR") as word) :: rest ->
      let waiting, steps = settle (rank word) waiting steps in
      before (word :: waiting) steps rest
  | Sign ")" :: rest -> (
      match settle 1 waiting steps with
      | "(" :: waiting, steps -> behind waiting steps rest
      | _ -> raise Bad_rule)
  | [] -> (
      match settle 1 waiting steps with
      | [], steps -> List.rev steps
      | _ -> raise Bad_rule)
  | _ -> raise Bad_rule

let run program event =
  let take stack step =
    match (step, stack) with
    | Push test, _ -> test event :: stack
    | Negate, top :: below -> -top :: below
    | Both, second :: first :: below -> min first second :: below
    | Either, second :: first :: below -> max first second :: below
    | _ -> assert false
  in
  List.hd (List.fold_left take [] program)

let () =
  match before [] [] (lexemes (input_line stdin)) with
  | exception (Bad_rule | End_of_file) ->
      print_endline "error";
      exit 1
  | program -> (
      let said truth = if truth = yes then "yes" else if truth = no then "no" else "unknown" in
      try
        while true do
          print_string (said (run program (event_of_line (input_line stdin))));
          print_char '\n'
        done
      with End_of_file -> ())
