"""moto's server, which remembers: it reads its account from a file as it begins, and writes it when it is asked to end.

python moto_kept.py FILE [arguments of moto_server …]
"""

import atexit
import os
import pickle
import sys

from moto.backends import get_backend
from moto.server import main

SERVICES = ("ec2", "elbv2", "iam", "resourcegroupstaggingapi")
file = sys.argv[1]


def load():
    with open(file, "rb") as stored:
        kept = pickle.load(stored)
    for (service, account, region), backend in kept.items():
        dict.__setitem__(get_backend(service)[account], region, backend)


def save():
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


if os.path.exists(file):
    load()
atexit.register(save)
main(sys.argv[2:])
