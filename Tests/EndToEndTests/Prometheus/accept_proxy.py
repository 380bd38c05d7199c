"""Asks a collector on behalf of Prometheus 2.42, which cannot be told which form to ask for: /text and /openmetrics are the
target's /metrics with that Accept header, everything else as it came. Prints its port, and serves until it is killed."""
import sys
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ACCEPT = {"/text": "text/plain;version=0.0.4", "/openmetrics": "application/openmetrics-text;version=1.0.0"}


class Proxy(BaseHTTPRequestHandler):
    def do_GET(self):
        headers = {name: self.headers[name] for name in self.headers if name.lower() not in ("host", "accept")}
        headers["Accept"] = ACCEPT[self.path]
        request = urllib.request.Request(sys.argv[1] + "/metrics", headers=headers)
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            answer = error
        body = answer.read()
        self.send_response(answer.status)
        for name in ("Content-Type", "Content-Encoding"):
            if answer.headers[name]:
                self.send_header(name, answer.headers[name])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
print(server.server_port, flush=True)
server.serve_forever()
