import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

const script = `
  const { interruptible } = await import('./cli/interruptible.ts');
  await interruptible('Nothing was changed.', (advise) => {
    advise('AWS goes on.');
    console.log('working');
    return new Promise((resolve) => setTimeout(resolve, 60_000));
  });
`;

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('says at %s what goes on', async (signal) => {
  const run = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  run.stderr.on('data', (text: Buffer) => {
    output += text;
  });
  await once(run.stdout, 'data');
  run.kill(signal);
  const [code] = await once(run, 'close');
  expect(output).toBe('\nInterrupted. AWS goes on.\n');
  expect(code).toBe(130);
});
