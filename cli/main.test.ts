import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const capstan = (args: string[]) =>
  new Promise<{ code: unknown; stderr: string }>((resolve) => {
    const env = { ...process.env, KUBECONFIG: '/not/there' };
    execFile(process.execPath, [main, ...args], { env }, (error, _, stderr) => resolve({ code: error?.code, stderr }));
  });

it.concurrent.each([
  { rule: 'a usage error', args: ['dev', '--port', '99999'], code: 2, says: /It must be a port from 1 to 65535/ },
  {
    rule: 'an error in one line',
    args: ['cancel', 'operation', 'c-create-1'],
    code: 1,
    says: /^error: no kubeconfig at \/not\/there: .*\n$/,
  },
])('$rule exits with $code', { timeout: 30_000 }, async ({ args, code, says }) => {
  expect(await capstan(args)).toEqual({ code, stderr: expect.stringMatching(says) });
});

const shell = (script: string) =>
  new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile('bash', ['-o', 'pipefail', '-c', script, process.execPath, main], (error, _, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });

it('ends without a word when its reader has left', { timeout: 30_000 }, async () => {
  // A pipe without a reader fails every write. The sleep keeps the shell from closing it earlier.
  const { code, stderr } = await shell('"$0" "$1" --help > >(exec 0<&- 1>&- 2>&-; exec sleep 5)');
  expect([0, 141]).toContain(code);
  expect(stderr).toBe('');
});

it('ends without a word at Ctrl-C', { timeout: 30_000 }, async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const directory = mkdtempSync(join(tmpdir(), 'capstan-main-'));
  try {
    const { port } = silent.address() as AddressInfo;
    const kubeconfig = join(directory, 'kubeconfig');
    writeFileSync(
      kubeconfig,
      `clusters: [{name: c, cluster: {server: 'https://127.0.0.1:${port}'}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`,
    );
    const connected = once(silent, 'connection');
    const child = spawn(process.execPath, [main, '--kubeconfig', kubeconfig, 'describe', 'cluster', 'c', '-w']);
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    await connected;
    child.kill('SIGINT');
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    expect(stderr).toBe('');
    expect(signal ?? code).not.toBe(1);
  } finally {
    silent.close();
    rmSync(directory, { recursive: true });
  }
});
