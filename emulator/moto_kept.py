"""moto's server with a memory: it loads its account from a file at the start and writes the file when it is asked to end.

python moto_kept.py FILE [arguments of moto_server …]

FILE.unsaved exists while the file is older than the account; after a clean end it is gone.
"""

import atexit
import os
import pickle
import sys
import traceback

from moto.backends import get_backend
from moto.server import main

# The tagging API has no state of its own but pages of lists, which are generators: they cannot be pickled.
SERVICES = ("ec2", "elbv2", "iam")
file = sys.argv[1]
unsaved = file + ".unsaved"


def load():
    with open(file, "rb") as stored:
        kept = pickle.load(stored)
    for (service, account, region), backend in kept.items():
        if service in SERVICES:
            dict.__setitem__(get_backend(service)[account], region, backend)


def save():
    kept = {
        (service, account, region): backend
        for service in SERVICES
        for account, regions in list(get_backend(service).items())
        for region, backend in list(regions.items())
    }
    partial = file + ".partial"
    try:
        with open(partial, "wb") as stored:
            # One pickle: the services hold on to each other's resources.
            pickle.dump(kept, stored)
        os.replace(partial, file)
    except Exception as failure:
        traceback.print_exc()
        with open(unsaved, "w") as reason:
            reason.write(str(failure))
        return
    os.remove(unsaved)


if os.path.exists(file):
    load()
with open(unsaved, "w") as reason:
    reason.write("it was killed")
atexit.register(save)
main(sys.argv[2:])
