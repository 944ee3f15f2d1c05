// Says of each function which adapters its bundle holds that send commands, and which calls on the account its code names:
// `node tools/reach.mjs` writes cdk/permissions/reach.json, which the functions' roles are made from.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cloudPermissions } from '../adapters/aws/cloud/permissions.ts';
import { bundle } from './bundle.mjs';

const root = join(import.meta.dirname, '..');
const adapters = 'adapters/aws/';
const cloud = `${adapters}cloud/`;

/** Our files of which a bundle holds anything. */
const filesIn = ({ outputs }) => {
  const held = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  return [...new Set(held)].filter((file) => !file.includes('node_modules')).sort();
};

const textOf = (file) => readFileSync(join(root, file), 'utf8');
const sends = (file) => file.startsWith(adapters) && /\bnew [A-Z]\w*Command\(/.test(textOf(file));

const reachOf = (metafile) => {
  const files = filesIn(metafile);
  const senders = files.filter(sends);
  const acts = senders.some((file) => file.startsWith(cloud));
  const named = files
    .filter((file) => !file.startsWith(adapters) && file !== 'kinds/ports/cloud.ts')
    .flatMap((file) => [...textOf(file).matchAll(/'([A-Z]\w+)'/g)].map(([, name]) => name));
  return {
    adapters: [...new Set(senders.map((file) => (file.startsWith(cloud) ? 'cloud' : file.slice(adapters.length, -3))))],
    account: acts ? [...new Set(named)].filter((name) => Object.hasOwn(cloudPermissions, name)).sort() : [],
  };
};

export const reach = async () => {
  const out = mkdtempSync(join(tmpdir(), 'capstan-reach-'));
  try {
    const metafiles = await bundle(out);
    return Object.fromEntries(Object.entries(metafiles).map(([name, metafile]) => [name, reachOf(metafile)]));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  writeFileSync(join(root, 'cdk/permissions/reach.json'), `${JSON.stringify(await reach(), null, 2)}\n`);
