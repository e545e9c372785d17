"""A server of GitHub's and GitLab's APIs on the loopback, as far as ci/post.py and ci/request.py use them. It records what is posted."""

import http.server
import json
import re
import threading
import urllib.parse

TOKEN = "a-token-of-the-test"


class FakeServer:
    """`comments` and `checks` by what was posted; `calls`: method and path of each request. `refuses`: methods that get 403."""

    def __init__(self):
        self.comments, self.checks, self.calls, self.refuses, self.pulls = [], [], [], set(), {}
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length) or b"null")
                path = urllib.parse.urlsplit(self.path)
                owner.calls.append((self.command, path.path))
                code, content = owner.reply(self.command, path.path, dict(urllib.parse.parse_qsl(path.query)), body, self.headers)
                data = json.dumps(content).encode()
                self.send_response(code)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = do_PUT = answer

            def log_message(self, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def add_comment(self, body, kind="Bot", number=5, author=7):
        comment = {"id": 100 + len(self.comments), "body": body, "user": {"type": kind}, "author": {"id": author}, "number": number,
                   "html_url": f"https://github.com/o/r/pull/{number}#issuecomment-{100 + len(self.comments)}"}
        self.comments.append(comment)
        return comment

    def reply_as_gitlab(self, method, path, query, body):
        """Notes of merge requests: the token's user has the number 7."""
        if path == "/user":
            return 200, {"id": 7}
        notes = re.fullmatch(r"/projects/3/merge_requests/(\d+)/notes(?:/(\d+))?", path)
        if notes and method == "GET":
            size, page = int(query["per_page"]), int(query["page"])
            return 200, self.comments[(page - 1) * size:page * size]
        if notes and method == "POST":
            return 201, self.add_comment(body["body"], number=int(notes[1])) | {"author": {"id": 7}}
        if notes and method == "PUT":
            [comment] = [comment for comment in self.comments if comment["id"] == int(notes[2])]
            comment["body"] = body["body"]
            return 200, comment
        return 404, {"message": f"404 Not Found: {method} {path}"}

    def reply(self, method, path, query, body, headers):
        if headers.get("PRIVATE-TOKEN") == TOKEN and method not in self.refuses:
            return self.reply_as_gitlab(method, path, query, body)
        if headers.get("Authorization") != f"Bearer {TOKEN}":
            return 401, {"message": "Bad credentials"}
        if method in self.refuses:
            return 403, {"message": "Resource not accessible by integration"}
        if body is not None and len(body.get("body", "")) > 65_535:
            return 422, {"message": "Body is too long"}
        listed = re.fullmatch(r"/repos/o/r/issues/(\d+)/comments", path)
        if listed and method == "POST":
            return 201, self.add_comment(body["body"], number=int(listed[1]))
        if listed and method == "GET":
            size, page = int(query["per_page"]), int(query["page"])
            here = [comment for comment in self.comments if comment["number"] == int(listed[1])]
            return 200, here[(page - 1) * size:page * size]
        one = re.fullmatch(r"/repos/o/r/issues/comments/(\d+)", path)
        if one and method == "PATCH":
            [comment] = [comment for comment in self.comments if comment["id"] == int(one[1])]
            comment["body"] = body["body"]
            return 200, comment
        if path == "/repos/o/r/check-runs" and method == "POST":
            self.checks.append(body)
            return 201, {"html_url": "https://github.com/o/r/runs/1"}
        pull = re.fullmatch(r"/repos/o/r/pulls/(\d+)", path)
        if pull and method == "GET":
            return 200, self.pulls[int(pull[1])]
        if path == "/repos/o/r/pulls" and method == "GET":
            return 200, [found for found in self.pulls.values() if found["head"]["label"] == query["head"]]
        return 404, {"message": f"Not Found: {method} {path}"}
