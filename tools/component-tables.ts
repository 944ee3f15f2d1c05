/** Writes kinds/components/tables.json again, from the releases that it names: `npm run tables`. Needs Go. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const file = join(root, 'kinds/components/tables.json');

export interface Tables {
  versions: { kubernetes: string[]; etcd: string[] };
  [about: string]: Record<string, string[]>;
}

export const readTables = (): Tables => JSON.parse(readFileSync(file, 'utf8')) as Tables;

/** Reads the sources of these releases, which are downloaded the first time. */
export const generateTables = ({ kubernetes, etcd }: Tables['versions']): Tables => {
  const versions = [...kubernetes, ...etcd.map((version) => `etcd-${version}`)];
  const output = execFileSync('go', ['run', '.', ...versions], {
    cwd: join(import.meta.dirname, 'component-tables'),
    encoding: 'utf8',
    env: { ...process.env, GOFLAGS: '-mod=mod', GOWORK: 'off' },
    maxBuffer: 16 * 1024 * 1024,
  });
  return JSON.parse(output) as Tables;
};

if (import.meta.main) {
  writeFileSync(file, JSON.stringify(generateTables(readTables().versions)));
  execFileSync('npx', ['biome', 'format', '--write', file], { cwd: root, stdio: 'inherit' });
}
