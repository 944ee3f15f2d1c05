"""Saves a server's account every few seconds, so that a kill of its process loses no more than that.

A forked child writes the state of one moment, while the server goes on.
"""

import logging
import os
import signal
import time
import traceback

# Seconds between two saves.
EVERY = float(os.environ.get("CAPSTAN_EMULATOR_SAVE_SECONDS", "20"))
# A child that inherited a lock which another thread held never ends.
PATIENCE = 120


class PeriodicSave:
    def __init__(self, save):
        self.save = save
        self.child = None
        self.began = 0.0

    def start(self):
        """Begins a save. Call it while no request is half done. False while the save before is still running."""
        if self.is_running():
            return False
        self.began = time.monotonic()
        child = os.fork()
        if child != 0:
            self.child = child
            return True
        try:
            # The port must become free when the server is killed.
            os.closerange(3, 65536)
            os.nice(10)
            logging.disable(logging.INFO)
            self.save()
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(0)

    def is_running(self):
        if self.child is None:
            return False
        if os.waitpid(self.child, os.WNOHANG)[0] != 0:
            self.child = None
        elif time.monotonic() - self.began > PATIENCE:
            self.end()
        return self.child is not None

    def end(self):
        """Before the last save: an older state must not overwrite it."""
        if self.child is None:
            return
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        self.child = None
