"""Hidden checks of template-renderer: the language unchanged, no shared state, and code in small parts."""

import ast

from grader import raises

VALUES = {
    "a": "ale",
    "n": 7,
    "zero": 0,
    "none": None,
    "empty": [],
    "items": ["p", None, 3],
    "rows": [{"k": "one", "sub": [1, 2]}, {"k": "", "sub": []}, {"sub": ["z"], "k": {"x": "deep"}}],
    "map": {"u": 1, "v": {"w": "wow"}, "9": "nine"},
    "loop": "outer",
}
PATHS = (
    "a",
    "n",
    "zero",
    "none",
    "empty",
    "items",
    "items.2",
    "items.9",
    "rows.2.k.x",
    "rows.1.k",
    "map.v.w",
    "map.9",
    "map.u.x",
    "nowhere",
    "a.0",
    "loop",
    "it",
    "it.k",
    "it.sub",
)
LOOPS = ("items", "rows", "map", "empty", "none", "rows.0.sub", "nowhere.x", "it.list")


def look(values, path):
    """Oracle: the value of a path."""
    value = values
    for key in path.split("."):
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def said(value):
    """Oracle: a value as text."""
    return "" if value is None else str(value)


def inline(rng, depth):
    """A random piece of a template within a line, and the function from values to its output."""
    kind = rng.randrange(6 if depth else 3)
    if kind == 0:
        text = rng.choice(("w;", "} }", "x{y", "100 %", "a\nb", "'q'"))
        return text, lambda values: text
    if kind == 1:
        path, blank = rng.choice(PATHS), rng.choice(("", " ", "\n"))
        return f"{{{{{blank}{path} }}}}", lambda values: said(look(values, path))
    if kind == 2:
        note = rng.choice(("", " note ", " {{ a }} ", "\n"))
        return f"{{#{note}#}}", lambda values: ""
    body, other = sequence(rng, depth - 1), sequence(rng, depth - 1)
    return block(rng, body, other, ("", "", "", ""))


def sequence(rng, depth):
    """Some inline pieces between letters."""
    parts = [inline(rng, depth) for _ in range(rng.randrange(3))]
    text = "s" + "".join(text for text, _output in parts) + "e"
    return text, lambda values: "s" + "".join(output(values) for _text, output in parts) + "e"


def lines(rng, depth):
    """Some whole lines, among them blocks whose tags have lines of their own."""
    parts = []
    for _ in range(rng.randrange(1, 4)):
        if depth and rng.random() < 0.5:
            ends = [rng.choice(("\n", "  \n", "\t\n")) for _ in range(4)]
            parts.append(block(rng, lines(rng, depth - 1), lines(rng, depth - 1), ends))
        elif rng.random() < 0.2:
            parts.append((" \t{# a\n note #}\n", lambda values: ""))
        else:
            text, output = sequence(rng, 1)
            parts.append((f" {text}\n", lambda values, output=output: f" {output(values)}\n"))
    return "".join(text for text, _output in parts), lambda values: "".join(output(values) for _text, output in parts)


def block(rng, body, other, ends):
    """An `if` or `for` around parts; `ends` are what follows its tags."""
    if rng.random() < 0.5:
        path, wanted = rng.choice(PATHS), rng.random() < 0.6
        text = f"{{% if {'' if wanted else 'not '}{path} %}}{ends[0]}{body[0]}"
        otherwise = rng.random() < 0.5
        if otherwise:
            text += f"{{%else%}}{ends[1]}{other[0]}"
        return (
            text + f"{{% end %}}{ends[2]}",
            lambda values: (
                body[1](values) if bool(look(values, path)) == wanted else other[1](values) if otherwise else ""
            ),
        )
    name, path = rng.choice(("it", "it", "a", "self")), rng.choice(LOOPS)

    def repeat(values):
        found = list(look(values, path) or ())
        return "".join(body[1]({**values, name: item, "loop": count}) for count, item in enumerate(found, start=1))

    return f"{{% for {name} in  {path} %}}{ends[0]}{body[0]}{{% end %}}{ends[2]}", repeat


def each(ws, function, arguments):
    """What a function of the solution gives for each tuple of arguments, in one exchange."""
    return ws.load("builtins").list(ws.load("itertools").starmap(function, arguments))


def trees(ws):
    """Syntax trees of the package's modules by file name."""
    names = [name for name in ws.files() if name.startswith("stencil/") and name.endswith(".py")]
    return {name: ast.parse(ws.read(name)) for name in names}


def functions(tree):
    """All functions and methods of a module."""
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def length(function):
    """Lines of a function without its docstring."""
    size = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is not None:
        size -= function.body[0].end_lineno - function.body[0].lineno + 1
    return size


def branches(function):
    """Number of branches, as the instruction counts them."""
    count = 0
    for node in ast.walk(function):
        if isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
        count += isinstance(
            node, (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case, ast.IfExp)
        )
    return count


def depth(node):
    """How many blocks lie within each other below a node; an `elif` is as deep as its `if`."""
    deepest = 0
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        opens = isinstance(
            child, (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match)
        )
        chained = isinstance(node, ast.If) and isinstance(child, ast.If) and node.orelse == [child]
        deepest = max(deepest, depth(child) + (opens and not chained))
    return deepest


CHANGES = (
    *("append", "extend", "insert", "pop", "clear", "update", "setdefault", "remove", "add", "discard", "popitem"),
    *("appendleft", "popleft", "sort", "reverse"),
)


def changed_by(node):
    """What a node changes in place, if anything."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
        return node.func.value
    return node.value if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load) else None


def test_random_templates(ws):
    """Random templates of nested tags, within lines and on lines of their own, give what they describe."""
    made = [sequence(ws.rng, 3) if number % 2 else lines(ws.rng, 3) for number in range(120)]
    engine = ws.load("stencil.engine")
    for (text, output), given in zip(made, each(ws, engine.render, [(text, VALUES) for text, _ in made]), strict=True):
        assert given == output(VALUES), text


def test_compiled_templates(ws):
    """A compiled template gives, each time and whatever was rendered in between, what render gives."""
    stencil = ws.load("stencil")
    made = [lines(ws.rng, 2) for _ in range(6)]
    compiled = [stencil.compile_template(text) for text, _output in made]
    for _ in range(4):
        for (text, output), template in zip(made, compiled, strict=True):
            values = {**VALUES, "a": ws.rng.randrange(99), "items": ws.rng.sample(range(9), ws.rng.randrange(4))}
            assert template.render(values) == output(values), text
    assert ws.op("is_", stencil.compile_template, ws.load("stencil.engine").compile_template) is True


def test_lines_of_their_own(ws):
    """Which tags take their lines away, and which do not."""
    render = ws.load("stencil").render
    cases = {
        "a\n {% if t %} \nb\n{% end %}\nc": "a\nb\nc",
        "{# only #}": "",
        "  {# only #}\n": "",
        "a\n\n{# n #}\n\nb": "a\n\n\nb",
        "a {# n #}\nb": "a \nb",
        " {# n #} b": "  b",
        " {# n #}{# m #} \nb": "  \nb",
        "\t{# n\nm #}\t\nb\n": "b\n",
        "  {{ t }}  \nb": "  1  \nb",
        "{% if t %}\n  x\n  {% end %}  ": "  x\n",
        "x{% if t %}\n y\n{% end %}z": "x\n y\nz",
    }
    for text, expected in cases.items():
        assert render(text, {"t": 1}) == expected, text


def test_filters(ws):
    """Chains, arguments that hold bars and blanks, filters of the caller before the built-in ones."""
    render = ws.load("stencil").render
    values = {"t": [1, None, "b"], "s": " so ", "d": {"k": 1}}
    for text, expected in (
        ('{{t|join:" | "|upper}}', "1 |  | B"),
        ("{{ t | join }}{{ s | trim | upper }}{{ d | count }}", "1bSO1"),
        ('{{ none | default:"{% if %}" }}{{ s|trim|default:"x" }}', "{% if %}so"),
        ('{{ none | default }}{{ t | join:"" }}', "1b"),
    ):
        assert render(text, values) == expected, text
    own = {
        "upper": lambda value: f"<{value}>",
        "pair": lambda value, other="?": [value, other],
        "nil": lambda value: None,
    }
    assert (
        render('{{ s | trim | upper }}{{ d.k | pair:"a|b" | join:"+" }}{{ d.k|pair|count }}{{ s|nil }}', values, own)
        == "<so>1+a|b2"
    )
    assert ws.load("stencil").compile_template("{{ s | upper }}").render(values, filters=own) == "< so >"
    assert ws.load("stencil").compile_template("{{ s | upper }}").render(values) == " SO "


def test_what_filters_raise_is_passed_on(ws):
    """Errors of filters arrive as they are, and later renderings are not disturbed."""
    render = ws.load("stencil").render

    def fail(value):
        raise KeyError(value)

    for _ in range(2):
        with raises(KeyError):
            render("{% for x in t %}{{ x | bad }}{% end %}", {"t": [1]}, {"bad": fail})
        assert render("{% for x in t %}{{ x }}{% end %}{{ x }}", {"t": [1, 2]}) == "12"


def test_syntax_errors(ws):
    """Mistakes of syntax name the line of their tag and come before anything is rendered."""
    stencil, called = ws.load("stencil"), []
    cases = {
        "a\n{{ b": "line 2: '{{' is not closed",
        "{# a\n": "line 1: '{#' is not closed",
        "{{ a }}\n\n{% if a": "line 3: '{%' is not closed",
        "{{ }}": "line 1: not a path: ''",
        "\n{{ 1a }}": "line 2: not a path: '1a'",
        "{{ a..b }}": "line 1: not a path: 'a..b'",
        "{{ a | upper trim }}": "line 1: not a filter: '| upper trim'",
        "{{ a | join:'x' }}": "line 1: not a filter: \"| join:'x'\"",
        "{{ a | }}": "line 1: not a filter: '|'",
        "{% if a b %}{% end %}": "line 1: unknown tag 'if a b'",
        "{% iff a %}{% end %}": "line 1: unknown tag 'iff a'",
        "{%  %}": "line 1: unknown tag ''",
        "\n{% for a.b in c %}{% end %}": "line 2: unknown tag 'for a.b in c'",
        "{% for 1 in c %}{% end %}": "line 1: not a path: '1'",
        "{% if none %}\n{{ a- }}{% end %}": "line 2: not a path: 'a-'",
        "\n{% else %}": "line 2: else does not belong to an if",
        "{% for a in b %}\n{% else %}{% end %}": "line 2: else does not belong to an if",
        "{% if a %}{% else %}\n{% else %}{% end %}": "line 2: else does not belong to an if",
        "a\n{% end %}": "line 2: end does not belong to a block",
        "{% if a %}{% end %}\n\n{% end %}": "line 3: end does not belong to a block",
        "\n{% if a %}\n{% else %}\n": "line 2: the block is not ended",
    }
    for text, message in cases.items():
        for action in (
            stencil.compile_template,
            lambda text: stencil.render("{{ a | f }}" + text, {}, {"f": called.append}),
        ):
            with raises("TemplateError") as caught:
                action(text)
            assert str(caught.value) == message, text
    assert called == []
    with raises(ValueError):
        stencil.compile_template("{{")
    assert ws.op("is_", stencil.TemplateError, ws.load("stencil.engine").TemplateError) is True


def test_errors_of_rendering_wait_until_they_are_reached(ws):
    """Unknown filters and impossible loops matter only where they are reached."""
    stencil = ws.load("stencil")
    text = (
        "{% if go %}\n{{ a | shout }}{% else %}\n{% for x in n %}{% end %}{% end %}"
        "{% for x in none %}{{ x | oh }}{% end %}"
    )
    template = stencil.compile_template(text)
    assert template.render({"go": 0, "n": []}) == "\n"
    assert template.render({"go": 1, "n": 5, "a": 2}, {"shout": lambda value: "hey"}) == "hey"
    for values, message in (
        ({"go": 1}, "line 2: unknown filter 'shout'"),
        ({"go": 0, "n": 5}, "line 3: cannot loop over 'n'"),
        ({"go": 0, "n": "text"}, "line 3: cannot loop over 'n'"),
        ({"go": 0, "none": [1]}, "line 3: unknown filter 'oh'"),
    ):
        with raises("TemplateError") as caught:
            template.render(values)
        assert str(caught.value) == message


def test_names_of_loops(ws):
    """Loop names hide others within the loop only, at every level, also where the loop ends early or is empty."""
    render = ws.load("stencil").render
    text = (
        "{{ x }}{{ loop }}{% for x in r %}[{{ x.n }}{{ loop }}{% for x in x.r %}({{ x }}{{ loop }}{{ y }}){% end %}"
        "{{ x.n }}{{ loop }}]{% end %}{{ x }}{{ loop }}{% for y in none %}{% end %}{{ y }}"
    )
    values = {"x": "X", "loop": "L", "r": [{"n": "a", "r": [7, None]}, {"n": "b", "r": []}], "y": "Y"}
    assert render(text, values) == "XL[a1(71Y)(2Y)a1][b2b2]XLY"
    assert (
        render(
            "{% for self in r %}{{ self.n }}{% for scope in self.r %}{{ scope }}{% end %}{% end %}{{ self }}", values
        )
        == "a7b"
    )


def test_rendering_within_rendering(ws):
    """Filters may render, also the very template that calls them."""
    stencil = ws.load("stencil")
    tree = stencil.compile_template(
        "{{ name | upper }}({% for c in children %}{{ c | tree }}{% if c %}"
        "{{ loop }}{% end %};{% end %}){{ name }}{{ c }}"
    )

    def branch(child):
        return tree.render(child, {"tree": branch, "upper": lambda value: render("{{ v }}{{ name }}", {"v": value})})

    render = stencil.render
    values = {"name": "r", "children": [{"name": "s", "children": [{"name": "t"}]}, {"name": "u"}]}
    assert branch(values) == "r(s(t()t1;)s1;u()u2;)r"
    assert (
        render(
            "{% for x in v %}{{ x | again }}{{ x }}{{ loop }} {% end %}",
            {"v": [1, 2]},
            {"again": lambda x: render("{% for y in v %}{{ y }}{{ x }}{% end %}", {"v": [x] * x})},
        )
        == "111 2222 "
    )


def test_values_are_left_alone(ws):
    """Neither the values nor what they hold is changed."""
    values = ws.hold({"x": 1, "loop": "L", "r": [{"x": [3]}, {"x": [4]}]})
    text = "{% for x in r %}{% for loop in x.x %}{{ loop }}{% end %}{% end %}{{ x }}"
    for function in (
        ws.load("stencil").render,
        lambda text, given: ws.load("stencil").compile_template(text).render(given),
    ):
        function(text, values)
        assert ws.value(values) == {"x": 1, "loop": "L", "r": [{"x": [3]}, {"x": [4]}]}


def test_mails_and_signatures(ws):
    """Mails are filled as before, and the parameters have their names."""
    stencil = ws.load("stencil")
    assert stencil.fill({"to": "{{ n }}\n x", "body": "{# n #}\n{{ n }}\n"}, {"n": "ana"}) == {
        "to": "ana  x",
        "body": "ana\n",
    }
    assert stencil.render(template="{{ a | f }}", values={"a": 1}, filters={"f": lambda value: 2}) == "2"
    assert stencil.compile_template(template="{{ a }}").render(values={"a": 1}, filters=None) == "1"
    assert "A `{%` or `{#` tag that has its lines for itself" in (
        ast.get_docstring(trees(ws)["stencil/engine.py"]) or ""
    )


def test_no_state_in_modules(ws):
    """No `global`, and no list, dict or set of a module that the code changes."""
    modules = trees(ws)
    shared = set()
    for tree in modules.values():
        for node in tree.body:
            if isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                shared |= {target.id for target in targets if isinstance(target, ast.Name)}
    for name, tree in modules.items():
        assert not any(isinstance(node, ast.Global) for node in ast.walk(tree)), f"{name} has a global statement"
        for function in functions(tree):
            own = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
            own |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            changed = {node.id for node in map(changed_by, ast.walk(function)) if isinstance(node, ast.Name)}
            assert not changed & shared - own, f"{name}: {function.name} changes {changed & shared - own}"


def test_functions_are_small(ws):
    """At most 25 lines without docstring, six branches and three levels of blocks a function."""
    for name, tree in trees(ws).items():
        for function in functions(tree):
            assert length(function) <= 25, f"{name}: {function.name} has {length(function)} lines"
            assert branches(function) <= 6, f"{name}: {function.name} has {branches(function)} branches"
            assert depth(function) <= 3, f"{name}: {function.name} is {depth(function)} blocks deep"


def test_text_that_looks_like_tags(ws):
    """Words of tags are text outside of tags, a comment lasts to its end, and the first line may be a tag's own."""
    render = ws.load("stencil.engine").render
    cases = {
        "end": "end",
        "else": "else",
        "{{ a }}end{{ a }}": "aleendale",
        "{% if a %}x{{ a }}{% end %}else": "xaleelse",
        "{#}x#}y": "y",
        "\n{% if a %}\nx\n{% end %}\ny": "\nx\ny",
        "\n  {# note #}\nx": "\nx",
    }
    assert {template: render(template, VALUES) for template in cases} == cases


def test_what_is_not_ended_or_not_there(ws):
    """A block that is never ended is a mistake, at its own line, and a list has no values under names."""
    stencil = ws.load("stencil.engine")
    for template, line in (("a\n{% if a %}b\nc", 2), ("{% if a %}b{% else %}c", 1), ("\n\n{% for x in items %}", 3)):
        with raises("TemplateError", match=f"\\b{line}\\b"):
            stencil.render(template, VALUES)
    assert stencil.render("[{{ items.first }}{{ rows.0.sub.x }}]", VALUES) == "[]"
