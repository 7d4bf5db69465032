"""What looks like a secret never comes out of the filter, however it is cut into pieces."""

import pytest

from honestly.recording import StreamRedactor, plain_text, secrets_of_environment

SECRETS = {
    "export GH=ghp_abcdefghijklmnopqrstuvwxyz0123456789 next\r\n": "abcdefghij",
    "curl -H 'Authorization: Bearer abcdef123456' x\r\n": "abcdef",
    "git clone https://u:pw123@host/x\r\n": "pw123",
    "mysql -uroot -pSecr3t db\r\n": "Secr3t",
    "\x1b[32mghp_abcdefgh\x1b[0mijklmnopqrstuv \rwxyz0123456789\x1b[0m end\r\n": "abcdefgh",
    "aws configure set aws_secret_access_key wJalrXUtnFEMI/K7MDENG\r\n": "wJalr",
    "API_KEY='abc def'\r\n": "abc",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----\nafter\n": "MIIE",
    "docker login -p hunter22 reg\r\n": "hunter22",
    '{"password": "s3cr3t"}\r\n': "s3cr3t",
    "tool --api-key zzz999 run\r\n": "zzz999",
    "sk_live_51HabcDEFghiJKLmnoPQR\r\n": "51Habc",
    "AccountKey=Zm9vYmFy0000==;Endpoint\r\n": "Zm9v",
    "export VAULT=hvs.CAESIabcdefghijklmnopqrst\r\n": "CAESI",
    "Cookie: session=abcdef0123456789abcdef\r\n": "abcdef0123",
    "machine h login u password p4ss\r\n": "p4ss",
    "https://hooks.slack.com/services/T000/B000/XXXXabcd1234\r\n": "XXXXabcd",
    "\x1b[1mknown-s\x1b[0mecret-1\r\n": "ecret-1",
    "known-se\x1b[31mcret-1 \x1b[0m\r\n": "cret-1",
    "Secret: \x1b[8mPw-conceal-616\x1b[28m ok\r\nPw-conceal-616\r\n": "conceal",
    "known-secret-1 and a25vd24tc2VjcmV0LTE= \r\n": "a25vd24tc2VjcmV0",  # as base64
}


@pytest.mark.parametrize("text", SECRETS)
def test_no_piece_of_a_secret_is_let_through(text: str) -> None:
    for step in (1, 2, 5, 1000):
        redactor = StreamRedactor(["known-secret-1"])
        out = "".join([redactor.feed(text[i : i + step]) for i in range(0, len(text), step)] + [redactor.rest()])
        assert SECRETS[text] not in out
        assert "[secret]" in out


def test_other_text_comes_through_as_it_is() -> None:
    text = "\x1b[38;5;8mgrey\x1b[0m \x1b[48;2;8;8;8mdark\x1b[m the token is valid; password reset, secretary. skating \x1b[1mgo\x1b[0m 日本\r\n$ ls -p\r\nhttp://host:80/x\r\n"
    for step in (1, 3, 1000):
        redactor = StreamRedactor(["known-secret-1"])
        assert (
            "".join([*(redactor.feed(text[i : i + step]) for i in range(0, len(text), step)), redactor.rest()]) == text
        )


def test_what_becomes_known_later_is_taken_out_of_what_was_written_in_pieces() -> None:
    redactor = StreamRedactor()
    redactor.add_secret("hunter2")
    assert "".join(redactor.clean_whole(["say hu", "nt", "er2 twice: hunter2", "!"])) == "say [secret] twice: [secret]!"


def test_files_keep_their_variables_and_lose_their_keys() -> None:
    redactor = StreamRedactor(["known-secret-1"])
    code = b"token = next(tokens)\npassword: str\nDB_PASSWORD=abc\nx = 'known-secret-1'\xff\n"
    assert (
        redactor.clean_file(code) == b"token = next(tokens)\npassword: str\nDB_PASSWORD=[secret]\nx = '[secret]'\xff\n"
    )
    assert secrets_of_environment({"MY_TOKEN": "abcdefgh1", "PATH_KEY": "/usr/bin/x", "LANG": "en_US.UTF-8"}) == [
        "abcdefgh1"
    ]


def test_a_variable_whose_name_only_begins_like_a_secret_is_none():
    kept = {"TOX_TESTENV_PASSENV": "one two three", "TOKENIZERS_PARALLELISM": "probably not"}
    secret = {"DB_PASSWORD_2": "abcdefgh1", "APIKEYS": "abcdefgh2", "secretkey": "abcdefgh3", "PASSKEY": "abcdefgh4"}
    assert secrets_of_environment(kept | secret) == list(secret.values())


def test_text_is_what_was_left_on_the_screen() -> None:
    assert plain_text("10%\r50%\r100%\r\n\x1b[31mred\x1b[0m 日本\r\nabX\bc\x1b[K\r\n") == "100%\nred 日本\nabc"
