"""moto's server with a memory: it loads its account from a file at the start, and writes the file when it is asked to end
and every few seconds after a change. It asks the emulator for the console output of instances.

python moto_kept.py FILE [arguments of moto_server …]

FILE.unsaved exists while the file may be older than the account; after a clean end it is gone.
"""

import atexit
import io
import os
import pickle
import re
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request

from moto import server
from moto.backends import get_backend
from moto.core.responses import ActionResult
from moto.ec2.responses.general import General
from moto.ec2.utils import Base64EncodedString

from periodic_save import EVERY, PeriodicSave

# The tagging API has no state of its own but pages of lists, which are generators: they cannot be pickled.
SERVICES = ("ec2", "elb", "elbv2", "iam")
file = sys.argv[1]
unsaved = file + ".unsaved"


def load():
    with open(file, "rb") as stored:
        kept = pickle.load(stored)
    for (service, account, region), backend in kept.items():
        if service in SERVICES:
            dict.__setitem__(get_backend(service)[account], region, backend)


def write():
    kept = {
        (service, account, region): backend
        for service in SERVICES
        for account, regions in list(get_backend(service).items())
        for region, backend in list(regions.items())
    }
    partial = file + ".partial"
    with open(partial, "wb") as stored:
        # One pickle: the services hold on to each other's resources.
        pickle.dump(kept, stored)
    os.replace(partial, file)


def save():
    periodic.end()
    try:
        write()
    except Exception as failure:
        traceback.print_exc()
        with open(unsaved, "w") as reason:
            reason.write(str(failure))
        return
    os.remove(unsaved)


periodic = PeriodicSave(write)
requests = threading.Lock()
changed = threading.Event()
READS = re.compile(rb"(^|&)Action=(Describe|Get|List)")


def one_at_a_time(application):
    """A save must not see a request half done. Python runs one thread at a time anyway."""

    def answer(environ, start_response):
        body = b""
        if environ.get("CONTENT_LENGTH"):
            body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
            environ["wsgi.input"] = io.BytesIO(body)
        with requests:
            if not READS.search(body):
                changed.set()
            response = application(environ, start_response)
            try:
                return [b"".join(response)]
            finally:
                if hasattr(response, "close"):
                    response.close()

    return answer


def save_periodically():
    while True:
        time.sleep(EVERY)
        changed.wait()
        with requests:
            if periodic.start():
                changed.clear()


consoles = os.environ.get("CAPSTAN_EMULATOR_CONSOLES")
console_output = General.get_console_output


def get_console_output(self):
    if consoles is None:
        return console_output(self)
    instance = self.ec2_backend.get_instance(self._get_param("InstanceId"))
    try:
        with urllib.request.urlopen(consoles + instance.id, timeout=5) as answer:
            text = answer.read().decode()
    except urllib.error.HTTPError:
        return ActionResult({"InstanceId": instance.id})
    return ActionResult({"InstanceId": instance.id, "Output": Base64EncodedString.from_raw_string(text)})


General.get_console_output = get_console_output

run_simple = server.run_simple
server.run_simple = lambda host, port, application, **options: run_simple(
    host, port, one_at_a_time(application), **options
)

if os.path.exists(file):
    load()
with open(unsaved, "w") as reason:
    reason.write("it was killed")
atexit.register(save)
threading.Thread(target=save_periodically, daemon=True).start()
server.main(sys.argv[2:])
