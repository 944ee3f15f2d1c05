/** Ends the emulator's processes when this process ends in any way. A frozen process would not notice. */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

export interface Guardian {
  watch(pid: number): void;
  /** The process ended, and its id may be reused. */
  release(pid: number): void;
  end(): void;
}

// Its standard input closes with the parent. Servers save their state on SIGTERM, and a frozen process must
// be continued to receive it.
const script = `
trap '' INT TERM HUP
pids=' '
while read -r what pid; do
  case $what in
    +) pids="$pids$pid " ;;
    -) pids=$(printf '%s' "$pids" | sed "s/ $pid / /") ;;
  esac
done
for pid in $pids; do kill -TERM "$pid" 2>/dev/null; kill -CONT "$pid" 2>/dev/null; done
# As long as a start waits for the ports.
for wait in $(seq 30); do
  living=''
  for pid in $pids; do kill -0 "$pid" 2>/dev/null && living=1; done
  [ -z "$living" ] && exit 0
  sleep 1
done
for pid in $pids; do kill -KILL "$pid" 2>/dev/null; done
exit 0
`;

export const createGuardian = (): Guardian => {
  // A session of its own, so that signals to the terminal's process group do not reach it.
  const shell = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const { stdin } = shell;
  stdin.on('error', () => undefined);
  shell.unref();
  (stdin as Socket).unref();
  return {
    watch: (pid) => void stdin.write(`+ ${pid}\n`),
    release: (pid) => void stdin.write(`- ${pid}\n`),
    end: () => void stdin.end(),
  };
};
