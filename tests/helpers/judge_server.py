"""A server of a language model on loopback, in which a few rules take the place of the model.

It speaks both formats, whole or as a stream, and can be told to misbehave.
"""

import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MADE_UP = re.compile(r"\b(?:liked|loved) \w+")


class Request:
    """One request as it came."""

    def __init__(self, path, headers, body):
        self.path, self.headers, self.body = path, headers, body

    @property
    def system(self):
        return self.body.get("system") or self.body["messages"][0]["content"]

    @property
    def user(self):
        return self.body["messages"][-1]["content"]


def section(prompt, head):
    """The numbered lines below a heading of the prompt, without their numbers."""
    lines = prompt.split(f"\n{head}\n", 1)[1].split("\n\n====")[0].split("\n====")[0].split("\n\n")[0]
    return [line.partition(". ")[2] for line in lines.split("\n") if re.match(r"\d+\. ", line)]


def judge_by_rules(request):
    """Facts are said if the text has their value; who liked something liked what was made up."""
    facts, sentences = section(request.user, "LISTED FACTS"), section(request.user, "TEXT")
    text = " ".join(sentences)
    of_facts = {}
    for number, fact in enumerate(facts, 1):
        value = fact.rpartition(" | ")[2]
        said = value.lower() in text.lower()
        of_facts[str(number)] = {"quote": value if said else "", "state": "said" if said else "left out"}
    of_sentences = {}
    for number, sentence in enumerate(sentences, 1):
        claims = [
            {"quote": found[0], "facts": [], "reason": "Nothing of it in the data.", "state": "made up"}
            for found in MADE_UP.finditer(sentence)
        ]
        claims.append({"quote": sentence.split()[0], "facts": [1], "reason": "", "state": "supported"})
        of_sentences[str(number)] = claims
    return json.dumps({"facts": of_facts, "sentences": of_sentences})


class JudgeServer:
    """The server: what it was asked, and what it does with the next request.

    `behave` is called with the handler and the request; it answers itself and returns True, or leaves the
    answer to `answer`, a function of the request.
    """

    def __init__(self, answer=judge_by_rules, behave=None):
        self.answer, self.behave = answer, behave or (lambda _handler, _request: False)
        self.requests = []
        self._lock = threading.Lock()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self):
        server = self

        class Handler(BaseHTTPRequestHandler):
            # A stream ends with the connection.
            protocol_version = "HTTP/1.0"

            def log_message(self, *_args):
                pass

            def do_POST(self):
                size = int(self.headers["Content-Length"])
                request = Request(self.path, dict(self.headers), json.loads(self.rfile.read(size)))
                with server._lock:
                    server.requests.append(request)
                try:
                    if not server.behave(self, request):
                        reply(self, request, server.answer(request))
                except OSError:
                    # Whoever asked has hung up.
                    self.close_connection = True

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, *_error):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def serving(**options):
    with JudgeServer(**options) as server:
        yield server


def send(handler, status, content, kind="application/json", **headers):
    """One reply."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)
    return True


def reply(handler, request, text, *, stream=True, finish=None):
    """The answer in the format and manner that were asked for."""
    anthropic = request.path.endswith("/messages")
    send(
        handler,
        200,
        (anthropic_events if anthropic else openai_events)(request, text, finish)
        if stream
        else json.dumps((anthropic_message if anthropic else openai_message)(request, text, finish)).encode(),
        kind="text/event-stream" if stream else "application/json",
    )
    return True


def tokens(request):
    return len(request.user) // 4


def openai_message(request, text, finish=None):
    usage = {"prompt_tokens": tokens(request), "completion_tokens": len(text) // 4}
    message = {"role": "assistant", "content": text}
    return {"choices": [{"message": message, "finish_reason": finish or "stop"}], "usage": usage}


def openai_events(request, text, finish=None):
    usage = {"prompt_tokens": tokens(request), "completion_tokens": len(text) // 4}
    pieces = [text[start : start + 20] for start in range(0, len(text), 20)]
    events = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    events += [
        {"choices": [{"delta": {}, "finish_reason": finish or "stop"}]},
        {"choices": [], "usage": usage},
    ]
    return b"".join(b"data: %s\n\n" % json.dumps(each).encode() for each in events) + b"data: [DONE]\n\n"


def anthropic_message(request, text, finish=None):
    usage = {"input_tokens": tokens(request), "output_tokens": len(text) // 4}
    block = (
        {"type": "tool_use", "name": "report", "input": json.loads(text)}
        if text[:1] == "{"
        else {"type": "text", "text": text}
    )
    return {"type": "message", "content": [block], "stop_reason": finish or "tool_use", "usage": usage}


def anthropic_events(request, text, finish=None):
    pieces = [text[start : start + 20] for start in range(0, len(text), 20)]
    events = [
        {
            "type": "message_start",
            "message": {"usage": {"input_tokens": tokens(request), "output_tokens": 1}},
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "input": {}}},
        {"type": "ping"},
        *(
            {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": piece}}
            for piece in pieces
        ),
        {
            "type": "message_delta",
            "delta": {"stop_reason": finish or "tool_use"},
            "usage": {"output_tokens": len(text) // 4},
        },
        {"type": "message_stop"},
    ]
    return b"".join(
        b"event: %s\ndata: %s\n\n" % (each["type"].encode(), json.dumps(each).encode()) for each in events
    )
