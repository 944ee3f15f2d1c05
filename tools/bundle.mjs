// Makes of each function in lambdas/ a folder that Lambda can run: `node tools/bundle.mjs [folder]`, .build/lambdas by default.
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { lambdas } from '../cdk/lambdas/index.ts';
import { intoEntry } from './at-once.mjs';

const root = join(import.meta.dirname, '..');

/** Each function's name and the file that it begins in. */
export const functions = Object.fromEntries(
  Object.entries(lambdas).map(([name, { entry }]) => [name, `lambdas/${entry}`]),
);

/** What runs as a process of its own: one file each. */
export const services = { front: 'front/main.ts' };

// Packages that are CommonJS ask for built-in modules with a function that ES modules do not have, and try whether others
// are there. Node's own createRequire costs more, and each file has one.
const banner = `const require = (name) => {
  const found = process.getBuiltinModule(name);
  if (!found) throw Object.assign(new Error('Cannot find module ' + name), { code: 'MODULE_NOT_FOUND' });
  return found;
};`;

/** How modules are bundled; what is made, and where, comes with each. */
export const options = {
  absWorkingDir: root,
  bundle: true,
  // What is imported when it is needed is a file of its own, and costs nothing until then.
  splitting: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  conditions: ['module'],
  minify: true,
  keepNames: true,
  legalComments: 'none',
  banner: { js: banner },
  metafile: true,
  logLevel: 'warning',
};

/** The file that a bundle begins in. */
export const entryOf = ({ outputs }) => Object.keys(outputs).find((path) => path.endsWith('/index.mjs'));

/** Bundles what begins in a file, or in the text given, into a folder with `index.mjs`. Answers what was made of what. */
export const bundleOne = async (outdir, begins) => {
  const { metafile } = await build({
    ...options,
    ...begins,
    outdir,
    outExtension: { '.js': '.mjs' },
    entryNames: 'index',
  });
  await intoEntry(outdir, metafile, entryOf(metafile), options);
  return metafile;
};

/** Bundles the named functions, all by default, each into a folder of its own with `index.mjs`. Answers what was written. */
export const bundle = async (out, names = Object.keys(functions)) => {
  const results = {};
  for (const name of names) {
    const made = join(out, name);
    // Beside it, and moved when it is whole: others may be reading what was made before.
    const outdir = `${made}.${process.pid}`;
    results[name] = await bundleOne(outdir, { entryPoints: [functions[name]] });
    rmSync(made, { recursive: true, force: true });
    renameSync(outdir, made);
  }
  return results;
};

/** Bundles each service into a folder of its own that holds `index.mjs` and nothing else. */
export const bundleServices = async (out) => {
  for (const [name, entry] of Object.entries(services))
    await build({
      ...options,
      entryPoints: [entry],
      outfile: join(out, name, 'index.mjs'),
      splitting: false,
      metafile: false,
    });
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const out = process.argv[2] ?? join(root, '.build/lambdas');
  await bundle(out);
  for (const name of Object.keys(functions)) {
    const sizes = readdirSync(join(out, name)).map((file) => statSync(join(out, name, file)).size);
    const first = statSync(join(out, name, 'index.mjs')).size;
    const total = sizes.reduce((sum, size) => sum + size, 0);
    console.log(
      `${name.padEnd(20)} ${String(Math.round(first / 1024)).padStart(6)} KB, ${Math.round(total / 1024)} KB in all`,
    );
  }
}
