/** What a function loads at start, and its cost relative to the AWS clients in it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { loadedWith } from '../tools/at-once.mjs';
import { bundleOne, entryOf, options } from '../tools/bundle.mjs';

const root = join(import.meta.dirname, '..');
const node = join(root, 'node_modules/.bin/node');

/** Files that are loaded with the entry, without dynamic imports, and their bytes in the bundle. */
export const loadedAtOnce = (metafile: Metafile): Map<string, number> => {
  const files = loadedWith(metafile, entryOf(metafile));
  const inputs = files.flatMap((file) => Object.entries(metafile.outputs[file]!.inputs));
  return new Map(inputs.flatMap(([input, { bytesInOutput: bytes }]) => (bytes > 0 ? [[input, bytes] as const] : [])));
};

/** AWS clients that our own files import statically. */
const clientsIn = (metafile: Metafile): string => {
  const inputs = [...loadedAtOnce(metafile).keys()];
  const wanted = new Map<string, Set<string>>();
  for (const file of inputs.filter((input) => !input.includes('node_modules') && input.endsWith('.ts')))
    for (const [, names, client] of readFileSync(join(root, file), 'utf8').matchAll(
      /import \{([^}]*)\} from '(@aws-sdk\/[^']*)'/g,
    )) {
      if (!inputs.some((input) => input.includes(`node_modules/${client}/`))) continue;
      const values = names!.split(',').map((name) => name.trim());
      const all = wanted.get(client!) ?? new Set();
      for (const name of values) if (name && !name.startsWith('type ')) all.add(name);
      wanted.set(client!, all);
    }
  return [...wanted].map(([client, names]) => `export { ${[...names].join(', ')} } from '${client}';`).join('\n');
};

/** How the floor is bundled: as one file, or `split` like the functions. */
export type Build = 'whole' | 'split';

/** Writes the floor of a function: a module with only its clients. Returns the file. */
export const floorOf = async (metafile: Metafile, outdir: string, how: Build): Promise<string> => {
  const stdin = { contents: clientsIn(metafile), resolveDir: root };
  const outfile = join(outdir, 'index.mjs');
  if (how === 'split') await bundleOne(outdir, { stdin });
  else await build({ ...options, splitting: false, stdin, outfile });
  return outfile;
};

/** CPU milliseconds for loading a module in its own process. */
const load = (file: string): number => {
  const script = `const before = process.cpuUsage(); await import(${JSON.stringify(file)});
    const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000);`;
  return Number(execFileSync(node, ['--input-type=module', '--eval', script]).toString());
};

export interface Comparison {
  /** CPU milliseconds; the minimum of all runs. */
  least: number;
  floor: number;
}

/**
 * Loads both in turns, at least `runs` times each, and until `isEnough`. Other work only adds to a run, so
 * the minimum of many is close to the truth even on a loaded machine.
 */
export const compare = (
  file: string,
  floor: string,
  runs: number,
  isEnough: (seen: Comparison, run: number) => boolean = () => true,
): Comparison => {
  const seen = { least: Number.POSITIVE_INFINITY, floor: Number.POSITIVE_INFINITY };
  for (let run = 1; run <= runs || !isEnough(seen, run); run++) {
    seen.least = Math.min(seen.least, load(file));
    seen.floor = Math.min(seen.floor, load(floor));
  }
  return seen;
};
