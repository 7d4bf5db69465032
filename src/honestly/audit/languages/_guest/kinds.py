"""What the grammars call things.

Grammars agree on many names, and no name means two things, so the names of all grammars stand in one set each.
"""

FUNCTIONS = frozenset(
    {"function_declaration", "function_expression", "arrow_function", "method_definition", "function_definition",
     "generator_function_declaration", "method_declaration", "constructor_declaration", "function_item", "method",
     "singleton_method", "func_literal", "lambda_expression", "closure_expression"}
)  # fmt: skip
RETURNS = frozenset({"return_statement", "return_expression", "return"})
HANDLERS = frozenset({"catch_clause", "rescue", "if_statement", "if_expression", "match_arm"})
CALLS = frozenset({"call_expression", "method_invocation", "call"})
COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
STRINGS = frozenset(
    {"string", "template_string", "string_literal", "raw_string_literal", "interpreted_string_literal", "raw_string"}
)
NUMBERS = frozenset(
    {"number", "number_literal", "int_literal", "float_literal", "integer", "float", "integer_literal",
     "decimal_integer_literal", "decimal_floating_point_literal"}
)  # fmt: skip
ARRAYS = frozenset(
    {"array", "composite_literal", "initializer_list", "array_initializer", "array_expression", "token_tree",
     "slice_pattern", "array_creation_expression"}
)  # fmt: skip
CONDITIONS = frozenset(
    {"binary_expression", "binary", "switch_case", "expression_case", "switch_label", "case_statement", "when",
     "match_arm", "case_item", "pair", "keyed_element"}
)  # fmt: skip
"""Where a constant is something that a value is compared with."""
