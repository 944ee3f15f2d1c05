import type { BuildOptions, Metafile } from 'esbuild';

/** Each function's name and the file that it begins in. */
export const functions: Readonly<Record<string, string>>;

/** How modules are bundled; what is made, and where, comes with each. */
export const options: BuildOptions;

/** The file that a bundle begins in. */
export const entryOf: (metafile: Metafile) => string;

/** Bundles what begins in a file, or in the text given, into a folder with `index.mjs`. Answers what was made of what. */
export const bundleOne: (outdir: string, begins: Pick<BuildOptions, 'entryPoints' | 'stdin'>) => Promise<Metafile>;

/** Bundles the named functions, all by default, each into a folder of its own with `index.mjs`. Answers what was written. */
export const bundle: (out: string, names?: string[]) => Promise<Record<string, Metafile>>;

/** Bundles each service into a folder of its own that holds `index.mjs` and nothing else. */
export const bundleServices: (out: string) => Promise<void>;
