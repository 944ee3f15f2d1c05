/**
 * `npm run bench:loading`: what a function costs when it starts, against a module that holds nothing but the clients of AWS it loads at once: the floor.
 * Processor time, which other work on the machine moves less than the clock; the least of several runs, taken in turns.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { bundle, functions, options } from '../tools/bundle.mjs';

const runs = 7;
const root = join(import.meta.dirname, '..');
const node = join(root, 'node_modules/.bin/node');
const out = mkdtempSync(join(tmpdir(), 'capstan-loading-'));

/** The files whose code is loaded with the entry, before anything is imported on demand. */
const loadedAtOnce = ({ outputs }: Metafile): string[] => {
  const seen = new Set<string>();
  const visit = (path: string) => {
    const output = outputs[path];
    if (!output || seen.has(path)) return;
    seen.add(path);
    for (const { path: to, kind } of output.imports) if (kind === 'import-statement') visit(to);
  };
  for (const [path, { entryPoint }] of Object.entries(outputs))
    if (entryPoint && path.endsWith('index.mjs')) visit(path);
  return [...seen].flatMap((path) =>
    Object.entries(outputs[path]!.inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
  );
};

/** What our own files import of AWS's clients, where the client is loaded at once. */
const floorOf = (metafile: Metafile): string => {
  const inputs = loadedAtOnce(metafile);
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

/** Milliseconds of the processor that it takes to load a module, in a process of its own. */
const load = (file: string): number => {
  const script = `const before = process.cpuUsage(); await import(${JSON.stringify(file)});
    const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000);`;
  return Number(execFileSync(node, ['--input-type=module', '--eval', script]).toString());
};

try {
  const made = await bundle(out);
  for (const name of Object.keys(functions)) {
    const contents = floorOf(made[name]!);
    const floor = join(out, `${name}-floor.mjs`);
    await build({ ...options, splitting: false, stdin: { contents, resolveDir: root }, outfile: floor });
    let [least, leastFloor] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let run = 0; run < runs; run++) {
      least = Math.min(least, load(join(out, name, 'index.mjs')));
      leastFloor = Math.min(leastFloor, load(floor));
    }
    console.log(`${name.padEnd(20)} ${least.toFixed(0)} ms, ${(least / leastFloor).toFixed(2)} times its floor`);
  }
} finally {
  rmSync(out, { recursive: true, force: true });
}
