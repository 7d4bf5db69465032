import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


class Sums(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlsplit(self.path)
        given = {name: int(values[0]) for name, values in parse_qs(url.query).items()}
        found = url.path == "/add"
        body = json.dumps({"sum": sum(given.values())} if found else {"unknown": url.path}).encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", 9000), Sums).serve_forever()
