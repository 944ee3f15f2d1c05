import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { environmentFile, environmentOf } from './environment.ts';

const folder = mkdtempSync(join(tmpdir(), "it's env-"));
afterEach(() => rmSync(folder, { recursive: true }));

it('is a file that a shell can source, whatever the values contain', () => {
  const odd = `a 'quoted' $HOME "value"`;
  const given = { folder, variables: { ODD: odd }, url: 'https://127.0.0.1:1', caFile: 'ca.pem', proxy: 'http://p' };
  writeFileSync(environmentFile(folder), environmentOf(given));
  const shown = ['ODD', 'KUBECONFIG', 'CAPSTAN_EMULATOR_URL', 'CAPSTAN_EMULATOR_CA', 'CAPSTAN_EMULATOR_PROXY'];
  const script = `. "$1"; for name in ${shown.join(' ')}; do printenv $name; done`;
  const printed = execFileSync('/bin/sh', ['-c', script, 'sh', environmentFile(folder)], { encoding: 'utf8' });
  expect(printed.trim().split('\n')).toEqual([
    odd,
    join(folder, 'kubeconfig'),
    'https://127.0.0.1:1',
    'ca.pem',
    'http://p',
  ]);
});
