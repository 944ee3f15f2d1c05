import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const capstan = (words: string[]) =>
  new Promise<{ code: unknown; stderr: string }>((resolve) => {
    const env = { ...process.env, KUBECONFIG: '/not/there' };
    execFile(process.execPath, [main, ...words], { env }, (error, _, stderr) => resolve({ code: error?.code, stderr }));
  });

it.concurrent.each([
  { rule: 'a usage error', words: ['dev', '--port', '99999'], code: 2, says: /It must be a port from 1 to 65535/ },
  {
    rule: 'an error in one line',
    words: ['cancel', 'operation', 'c-create-1'],
    code: 1,
    says: /^error: no kubeconfig at \/not\/there: .*\n$/,
  },
])('$rule exits with $code', { timeout: 30_000 }, async ({ words, code, says }) => {
  expect(await capstan(words)).toEqual({ code, stderr: expect.stringMatching(says) });
});
