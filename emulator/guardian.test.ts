import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';

const module = join(import.meta.dirname, 'guardian.ts');
/** Starts a child under a guardian, suspends it, prints its PID and waits to be killed. */
const program = `
import { spawn } from 'node:child_process';
import { createGuardian } from ${JSON.stringify(module)};
const guardian = createGuardian();
const children = [spawn('sleep', ['600']), spawn('sleep', ['600']), spawn('sleep', ['600'])];
for (const { pid } of children) guardian.watch(pid);
children[1].kill('SIGSTOP');
guardian.release(children[2].pid);
console.log(JSON.stringify(children.map(({ pid }) => pid)));
setInterval(() => undefined, 1000);
`;

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

it('ends its children when its process is killed, suspended or not, and nothing else', async () => {
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const [running, frozen, released] = JSON.parse(line.toString()) as [number, number, number];
  expect([running, frozen, released].map(isThere)).toEqual([true, true, true]);
  parent.kill('SIGKILL');
  for (let tries = 0; tries < 200 && (isThere(running) || isThere(frozen)); tries++) await delay(50);
  expect([running, frozen, released].map(isThere)).toEqual([false, false, true]);
  process.kill(released, 'SIGKILL');
});
