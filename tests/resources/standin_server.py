"""A real process with a real port that stands where vLLM would: same arguments, no model.

What goes wrong is read from `fault` in the model folder's config.json. It leaves its process ids in its working
directory, among them a child that is deaf to signals and in a session of its own.
"""

import argparse
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

DEAF = "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (2, 15)]; time.sleep(600)"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("folder")
    parser.add_argument("--served-model-name")
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    args, _ = parser.parse_known_args()
    fault = json.loads(Path(args.folder, "config.json").read_text()).get("fault", "")
    child = subprocess.Popen([sys.executable, "-S", "-c", DEAF], start_new_session=True)
    with open("pids", "a") as file:
        file.write(f"{os.getpid()} {child.pid}\n")
    print("loading", flush=True)
    if fault == "memory":
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        bytearray(1 << 31)
    if fault == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "slow":
        time.sleep(600)
    if fault == "cause far up":
        print("ValueError: the root of it all", flush=True)
        print("\n".join(f"frame {i}" for i in range(60)), flush=True)
        sys.exit(1)
    if fault == "port race" and not os.path.exists("raced"):
        Path("raced").touch()
        squatter = socket.create_server((args.host, args.port))  # another process was quicker, for us alone
        assert squatter
    name = "someone-else" if fault == "other model" else args.served_model_name

    class Handler(BaseHTTPRequestHandler):
        def answer(self, status: int, value: object) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.answer(200, {"data": [{"id": name, "root": args.folder}]})

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if fault == "no template":
                self.answer(400, {"error": {"message": "the tokenizer has no chat template"}})
            elif asked["messages"][0]["content"] == "die":
                os._exit(3)
            else:
                self.answer(200, {"choices": [{"message": {"role": "assistant", "content": "1"}}]})

        def log_message(self, format: str, *args: object) -> None:
            pass

    ThreadingHTTPServer.allow_reuse_address = True
    ThreadingHTTPServer((args.host, args.port), Handler).serve_forever()


if __name__ == "__main__":
    main()
