/** Starts an AWS emulator on this machine for the contract suites, unless the environment names an endpoint. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { createGuardian } from '../../emulator/guardian.ts';
import { createMiniStack } from '../../emulator/ministack.ts';
import { freePort } from '../../emulator/server.ts';
import { ensureVenv } from '../../emulator/venv.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The files of programs that a suite starts itself. */
    programs: { motoServer: string; cfnLint: string };
    /** The endpoint of the emulator started here; absent when the environment names one, or AWS itself is used. */
    endpoint: string | undefined;
  }
}

const region = 'us-east-1';

// Not in the environment, which other suites of this run share; they set their own.
export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  const python = await ensureVenv((line) => process.stderr.write(`${line}\n`));
  provide('programs', {
    motoServer: process.env.MOTO_SERVER ?? join(dirname(python), 'moto_server'),
    cfnLint: process.env.CFN_LINT ?? join(dirname(python), 'cfn-lint'),
  });
  if (process.env.AWS_ENDPOINT_URL !== undefined || process.env.TARGET === 'aws') return async () => {};
  const folder = mkdtempSync(join(tmpdir(), 'capstan-contract-'));
  const guardian = createGuardian();
  const ministack = createMiniStack({
    python,
    port: await freePort(),
    folder,
    region,
    account: '000000000000',
    guardian,
    // Its own workers run the functions that these suites deploy.
    functions: [],
    host: '',
  });
  await ministack.start();
  provide('endpoint', ministack.endpoint);
  return async () => {
    await ministack.stop();
    guardian.end();
    await rm(folder, { recursive: true, force: true });
  };
};
