/** Checks of this machine. */
import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pinnedNode } from '../version.ts';
import { type Check, type Finding, ok, skipped, warning } from './check.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/** The supported skew of kubectl in minor versions. */
const mostSkew = 1;

const node: Check = {
  name: 'node',
  run: async () => {
    const [wanted, has] = [pinnedNode(), process.version.slice(1)];
    if (has === wanted) return ok(`${has}, as this checkout pins`);
    return warning(`${has}; this checkout pins ${wanted}: run bin/capstan of the checkout, or npm run capstan`);
  },
};

const dependencies: Check = {
  name: 'dependencies',
  run: async () => {
    const [installed, wanted] = [join(root, 'node_modules', '.package-lock.json'), join(root, 'package-lock.json')];
    const isCurrent = existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs;
    return isCurrent ? ok('installed') : warning(`older than package-lock.json: run npm ci in ${root}`);
  },
};

/** A pure function: whether a client's minor version is compatible with the API's. */
export const skewOf = (client: string, server: string): Finding => {
  const minor = (version: string) => Number(/^v?1\.(\d+)/.exec(version)?.[1] ?? Number.NaN);
  const [own, served] = [minor(client), minor(server)];
  if (Number.isNaN(own) || Number.isNaN(served)) return skipped(`kubectl ${client}, API ${server}`);
  if (Math.abs(own - served) <= mostSkew) return ok(`kubectl ${client} with API ${server}`);
  return warning(
    `kubectl ${client} with API ${server}: Kubernetes supports one minor version of difference; most commands work all the same`,
  );
};

const kubectl = (serverVersion: () => Promise<string>): Check => ({
  name: 'kubectl',
  run: async () => {
    let printed: string;
    try {
      ({ stdout: printed } = await run('kubectl', ['version', '--client', '-o', 'json'], { timeout: 10_000 }));
    } catch {
      return warning('not found on the PATH; no command of Capstan needs it');
    }
    const { clientVersion } = JSON.parse(printed) as { clientVersion?: { gitVersion?: string } };
    return skewOf(clientVersion?.gitVersion ?? '', await serverVersion());
  },
});

export const checksHere = (serverVersion: () => Promise<string>): Check[] => [
  node,
  dependencies,
  kubectl(serverVersion),
];
