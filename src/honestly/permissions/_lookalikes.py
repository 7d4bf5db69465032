"""Names that look like those of popular packages, and are not theirs: one edit away, with an addition, two joined.

The popular names are a short list of this file; another may be given. A name that is popular itself is no lookalike.
"""

import re
from collections import defaultdict
from functools import lru_cache

_LONGEST = 100
_POPULAR = {
    "PyPI": """aiohttp alembic ansible anthropic anyio attrs authlib autopep8 bcrypt beautifulsoup4 black bokeh
boto3 botocore celery certifi cffi charset-normalizer click colorama coverage cryptography cython
dask datasets diffusers django djangorestframework docutils fastapi flake8 flask flask-cors
flask-sqlalchemy gevent google-auth gradio greenlet grpcio gunicorn h11 httpcore httpcore2 httpx
httpx2 huggingface-hub hypothesis idna ijson ipykernel ipython isort itsdangerous jinja2 joblib
jsonschema jupyter jupyterlab keras kubernetes langchain lightgbm lxml mako markdown markupsafe
matplotlib mkdocs msgpack mypy mysqlclient networkx nltk notebook numba numpy oauthlib openai
opencv-python openpyxl orjson packaging pandas paramiko passlib pillow pip platformdirs plotly
pluggy poetry polars pre-commit prometheus-client protobuf psutil psycopg psycopg2 pyarrow
pycryptodome pydantic pygments pyjwt pylint pymongo pymysql pyopenssl pyparsing pytest pytest-cov
python-dateutil python-dotenv pytz pyyaml redis regex requests rich ruff s3transfer scikit-learn
scipy seaborn selenium sentry-sdk setuptools simplejson six sphinx sqlalchemy starlette streamlit
sympy tabulate tensorflow tokenizers toml torch torchvision tornado tox tqdm transformers twine
typer typing-extensions tzdata ujson urllib3 uvicorn uvloop virtualenv watchdog websockets werkzeug
wheel wrapt xgboost xlrd yarl zipp""",
    "npm": """@types/node angular async autoprefixer axios babel-core bcrypt bluebird body-parser bootstrap chai
chalk cheerio classnames commander concurrently cookie-parser core-js cors cross-env cross-spawn
css-loader d3 dargs date-fns dayjs debug discord.js dotenv ejs electron emotion enquirer enzyme esbuild
eslint express fs-extra gaxios glob graphql gulp handlebars husky immutable inquirer ioredis jest
jquery js-yaml jsonwebtoken koa less lint-staged lodash lru-cache material-ui mime minimatch
minimist mkdirp mocha moment mongodb mongoose motion multer mysql mysql2 nanoid next node-fetch
node-sass nodemailer nodemon nuxt passport postcss preact prettier prisma prop-types puppeteer ramda react
react-dom react-redux react-router react-router-dom redis redux request rimraf rollup rxjs sass
semiver semver sequelize sharp socket.io styled-components supertest svelte tailwindcss three
ts-loader ts-node tslib typescript underscore uuid validator vite vitest vue vue-router vuex webpack
webpack-cli webpack-dev-server winston ws yargs yup zod zustand""",
    "crates.io": """anyhow async-trait axum base64 bitflags bytes cc cfg-if chrono clap crossbeam env_logger futures
hashbrown hyper indexmap itertools lazy_static libc log num-traits once_cell parking_lot proc-macro2
quote rand rayon regex reqwest rustls serde serde_json serde_yaml syn tempfile thiserror tokio toml
tracing url uuid""",
}
_POPULAR["PyPI"] += """ requests-oauthlib requests-toolbelt pydantic-settings pydantic-core hatchling prompt-toolkit
python-multipart websocket-client dnspython opentelemetry-api opentelemetry-sdk google-cloud-storage importlib-metadata
google-api-python-client pytest-asyncio pytest-xdist langchain-core marshmallow rapidfuzz azure-identity"""
_POPULAR["npm"] += """ fsevents picocolors browserslist chokidar micromatch path-to-regexp iconv-lite http-errors
convert-source-map strip-ansi supports-color escape-string-regexp follow-redirects source-map-support fast-glob
https-proxy-agent graceful-fs universalify readable-stream"""
_POPULAR["crates.io"] += " rust_decimal"
_POPULAR["npm"] += " @babel/core babel-cli event-stream ffmpeg grunt-cli http-proxy sqlite3"
_POPULAR["Go"] = """github.com/gin-gonic/gin github.com/google/uuid github.com/gorilla/mux github.com/pkg/errors
github.com/sirupsen/logrus github.com/spf13/cobra github.com/spf13/viper github.com/stretchr/testify go.uber.org/zap"""
_KNOWN_TEXT = """args bcryptjs bcrypto boto bpython cattrs cramda crick crypt csv-loader ctransformers dargs dataset
djongo dydantic eclint emoticon fastai graphiql grequests gsutil hjson http-proxy-agent httpr hyper ipytest is-node
jslint lrucache markdown2 mquery msgpack-python mssql myjwt ngboost pargs postcss-js preact preact-router prettierx
ps-node pyaml pycryptodomex pylink pymantic pymssql pytest-csv rambda reds remotion reqwest retworkx rsync scapy scipp
scrypt simpy spython tensorflowjs torchx ts-node-dev tslint ttypescript unicorn usort vargs vasync vyper willow xoto3"""
_KNOWN = frozenset(_KNOWN_TEXT.split())
"""Names near a popular one: of PyPI's 15,000 most downloaded, and of npm's above 100,000 downloads a month."""
_ADDED_TEXT = (
    """python- py- node- js- js -python -py -py3 -js .js -node -lib -sdk -official -dev -latest -secure -fixed 2 3"""
)
_ADDED = tuple(_ADDED_TEXT.split())


def popular_names(ecosystem: str) -> frozenset[str]:
    """The popular names that are known of an ecosystem."""
    return frozenset(_POPULAR.get(ecosystem, "").split())


def looks_like(name: str, popular: frozenset[str]) -> str:
    """The popular name that a name resembles; empty if it is popular itself or resembles none."""
    plain = name.lower()
    if plain in popular or plain in _KNOWN or not 4 <= len(plain) <= _LONGEST:
        return ""
    made = _made_of(popular)
    found = [*made.get(_squeezed(plain), ()), *made.get(f"+{plain}", ())]
    near = {each for part in (plain, *_shorter(plain)) for each in made.get(f"-{part}", ())}
    found += [each for each in near if _one_edit(plain, each)]
    parts = re.split("[-_.]", plain)
    for part in parts if len(parts) > 1 and not found else ():  # two letters of one word are swapped
        near = {each for short in _shorter(part) for each in made.get(f"-{short}", ()) if len(part) > 6}
        found += [each for each in near if each != part and sorted(each) == sorted(part)]
    return min(found, default="")


@lru_cache(16)
def _made_of(popular: frozenset[str]) -> dict[str, list[str]]:
    """Popular names by what they are without marks, after `+` with an addition, after `-` with a letter left out."""
    found: dict[str, list[str]] = defaultdict(list)
    for each in popular:
        if len(each) > 3:
            found[_squeezed(each)].append(each)
        if len(each) < 5:  # of short names one letter typed twice, and a suffix that says the language
            for made in (f"{each}.js", f"{each}-js", *(each[:at] + each[at - 1 :] for at in range(1, len(each) + 1))):
                found[f"+{made}"].append(each)
        if len(each) > 4:
            for added in _ADDED:
                found[f"+{each}{added}"].append(each)
                found[f"+{added}{each}"].append(each)
            for part in (each, *_shorter(each)):
                found[f"-{part}"].append(each)
    return dict(found)


def _squeezed(name: str) -> str:
    return name.replace("-", "").replace("_", "").replace(".", "")


def _shorter(name: str) -> list[str]:
    return [name[:at] + name[at + 1 :] for at in range(len(name))]


def joined_of(name: str, popular: frozenset[str]) -> str:
    """The two popular names that a name combines, as text; empty if none. Many real packages do."""
    plain = name.lower()[:_LONGEST]
    for at in range(3, len(plain) - 2):
        first, second = plain[:at].rstrip("-_."), plain[at:].lstrip("-_.")
        if first in popular and second in popular and plain not in popular:
            return f"{first} and {second}"
    return ""


def _one_edit(one: str, other: str) -> bool:
    """Whether one letter put in, left out, changed, or two neighbours swapped make one name the other."""
    if len(one) > len(other):
        one, other = other, one
    at = next((n for n in range(len(one)) if one[n] != other[n]), len(one))
    if len(one) != len(other):
        return one[at:] == other[at + 1 :]
    swapped = one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
    return one != other and (one[at + 1 :] == other[at + 1 :] or swapped)
