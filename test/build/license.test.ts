/** What a user may do with Capstan, and what it is made of. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

interface Component {
  name: string;
  version: string;
  purl: string;
  hashes?: { alg: string; content: string }[];
  licenses?: { license?: { id?: string }; expression?: string }[];
}

/** Licenses of packages that a deployment contains. */
const accepted = ['Apache-2.0', 'MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0'];

interface Locked {
  version: string;
  dev?: boolean;
}

const isAccepted = ({ licenses = [] }: Component): boolean =>
  licenses.some(({ license, expression }) => accepted.includes(license?.id ?? expression ?? ''));

it('the license of the package is the one in LICENSE', () => {
  expect(JSON.parse(read('package.json'))).toMatchObject({ license: 'Apache-2.0' });
  expect(read('LICENSE')).toMatch(/^\s+Apache License\n\s+Version 2\.0, January 2004\n/);
});

describe('the bill of materials', () => {
  const { specVersion, components } = JSON.parse(
    execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
  ) as { specVersion: string; components: Component[] };
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
  const locked = Object.entries(packages).filter(([path]) => path !== '');
  const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const versionOf = ({ name, version }: { name: string; version: string }) => `${name}@${version}`;

  // With --omit=dev npm leaves out what development needs, too.
  it('lists exactly the packages that package-lock.json pins', () => {
    expect(specVersion).toBe('1.5');
    const pinned = locked.map(([path, { version }]) => versionOf({ name: nameOf(path), version }));
    expect([...new Set(components.map(versionOf))].sort()).toEqual([...new Set(pinned)].sort());
  });

  const deployed = new Set(
    locked.filter(([, { dev }]) => !dev).map(([path, { version }]) => versionOf({ name: nameOf(path), version })),
  );
  const inDeployment = components.filter((one) => deployed.has(versionOf(one)));

  it('names the hash of each deployed package, so that what is installed can be compared', () => {
    const without = inDeployment.filter(({ hashes = [] }) => !hashes.some(({ alg }) => alg === 'SHA-512'));
    expect(without.map(({ purl }) => purl)).toEqual([]);
  });

  it('deploys no package whose license asks for more than a notice', () => {
    const others = inDeployment.filter((one) => !isAccepted(one));
    expect(others.map(({ purl, licenses }) => `${purl} ${JSON.stringify(licenses)}`)).toEqual([]);
  });
});
