// Says of each function which adapters its bundle holds that send commands, and which calls on the account its code names:
// `node tools/reach.mjs` writes cdk/permissions/reach.json, which the functions' roles are made from; `--print` only says it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cloudPermissions } from '../adapters/aws/cloud/permissions.ts';
import { bundle } from './bundle.mjs';

const root = join(import.meta.dirname, '..');
const adapters = 'adapters/aws/';
const cloud = `${adapters}cloud/`;
/** What these name is called by others. */
const tellsOfAll = ['kinds/ports/cloud/index.ts', 'kinds/ports/cloud-limits.ts'];

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
    .filter((file) => !file.startsWith(adapters) && !tellsOfAll.includes(file))
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

/** As the formatter has it: what fits stands on one line. */
const line = (key, names) => {
  const short = `    ${JSON.stringify(key)}: [${names.map((name) => JSON.stringify(name)).join(', ')}]`;
  const long = `    ${JSON.stringify(key)}: [\n${names.map((name) => `      ${JSON.stringify(name)}`).join(',\n')}\n    ]`;
  return short.length < 120 ? short : long;
};
const printed = (all) => {
  const parts = Object.entries(all).map(
    ([name, { adapters, account }]) =>
      `  ${JSON.stringify(name)}: {\n${line('adapters', adapters)},\n${line('account', account)}\n  }`,
  );
  return `{\n${parts.join(',\n')}\n}\n`;
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const text = printed(await reach());
  if (process.argv[2] === '--print') process.stdout.write(text);
  else writeFileSync(join(root, 'cdk/permissions/reach.json'), text);
}
