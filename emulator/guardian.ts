/** Ends the emulator's processes when this one ends, however that happens: a frozen one would notice nothing. */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

export interface Guardian {
  watch(pid: number): void;
  /** It has ended; its number may soon be another's. */
  release(pid: number): void;
  end(): void;
}

// Its standard input ends with the process that holds the other side. Asked to end, servers write down what they hold; what is
// frozen has to go on to hear of it.
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
for wait in 1 2 3 4 5 6 7 8 9 10; do
  living=''
  for pid in $pids; do kill -0 "$pid" 2>/dev/null && living=1; done
  [ -z "$living" ] && exit 0
  sleep 1
done
for pid in $pids; do kill -KILL "$pid" 2>/dev/null; done
exit 0
`;

export const createGuardian = (): Guardian => {
  // A session of its own: what is sent to the terminal's processes does not reach it.
  const shell = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const { stdin } = shell;
  stdin.on('error', () => undefined);
  shell.unref();
  (stdin as unknown as Socket).unref();
  return {
    watch: (pid) => void stdin.write(`+ ${pid}\n`),
    release: (pid) => void stdin.write(`- ${pid}\n`),
    end: () => void stdin.end(),
  };
};
