import type { BuildOptions, Metafile } from 'esbuild';

/** Each function's name and the file that it begins in. */
export const functions: Readonly<Record<string, string>>;

/** How modules are bundled; what is made, and where, comes with each. */
export const options: BuildOptions & { metafile: true };

/** Bundles the named functions, all by default, each into a folder of its own with `index.mjs`. Answers what was written. */
export const bundle: (out: string, names?: string[]) => Promise<Record<string, Metafile>>;
