"""Read a server by Foxglove's own client library: `python -m tests.plugs.foxglove [SECONDS]`.

It needs node and npm. npm installs what package-lock.json names, with its hashes, below `out`.
"""

import shutil
import subprocess
import sys
import threading
from pathlib import Path

from grouser.plugs.foxglove.server import FoxgloveServer
from grouser.scenario import Part, Scenario
from tests.plugs.foxglove.conftest import robot_text

HERE = Path(__file__).parent
FOLDER = Path("out/foxglove-client")


def main(seconds: float) -> int:
    """Serve while the client reads; return its exit code."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(HERE / name, FOLDER / name)
    subprocess.run(["npm", "ci", "--silent", "--prefix", FOLDER], check=True)
    scenario = Scenario(
        robot=Part(name="mine", text=robot_text()), course="flat", model="icr", driver="foxglove"
    )
    with FoxgloveServer(scenario, port=0) as server:
        line = ["node", HERE / "client.mjs", FOLDER, f"ws://127.0.0.1:{server.port}", str(seconds)]
        client = subprocess.Popen(line)
        ended = threading.Event()
        threading.Thread(target=lambda: (client.wait(), ended.set()), daemon=True).start()
        while not ended.is_set():
            server.serve_once()
    return client.returncode


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 3.0))
