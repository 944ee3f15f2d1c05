// Makes one file of all that a bundle loads at once: opening a file costs more than reading most of them.
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/** The files of a bundle that are loaded with its entry, before anything is imported on demand; the entry is the first. */
export const loadedWith = ({ outputs }, entry) => {
  const seen = new Set();
  const visit = (path) => {
    if (!outputs[path] || seen.has(path)) return;
    seen.add(path);
    for (const { path: to, kind } of outputs[path].imports) if (kind === 'import-statement') visit(to);
  };
  visit(entry);
  return [...seen];
};

const exported = (names, from) => `export { ${names.join(', ')} } from './${from}';`;

/**
 * Moves what the entry of a bundle loads at once into the entry itself. What is loaded later shares some of it, and goes on
 * to find it under the name of its former file, which leads to the entry.
 */
export const intoEntry = async (outdir, { outputs }, entry, options) => {
  const shared = loadedWith({ outputs }, entry)
    .slice(1)
    .map((path) => {
      const file = basename(path);
      const names = outputs[path].exports.map((name) => [
        name,
        `${basename(path, '.mjs').replaceAll('-', '_')}_${name}`,
      ]);
      return { file, names };
    });
  const contents = shared.map(({ file, names }) =>
    exported(
      names.map(([name, unique]) => `${name} as ${unique}`),
      file,
    ),
  );
  const onDemand = {
    name: 'on demand',
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\.\// }, ({ path, kind }) =>
        kind === 'dynamic-import' ? { path, external: true } : undefined,
      ),
  };
  const file = basename(entry);
  const { outputFiles } = await build({
    ...options,
    stdin: { contents: [`export * from './${file}';`, ...contents].join('\n'), resolveDir: outdir },
    // Done already, of each file.
    keepNames: false,
    banner: {},
    splitting: false,
    metafile: false,
    plugins: [onDemand],
    write: false,
  });
  for (const one of shared) {
    const names = one.names.map(([name, unique]) => `${unique} as ${name}`);
    writeFileSync(join(outdir, one.file), exported(names, file));
  }
  writeFileSync(join(outdir, file), outputFiles[0].text);
};
