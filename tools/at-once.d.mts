import type { Metafile } from 'esbuild';

/** The files of a bundle that are loaded with its entry, before anything is imported on demand; the entry is the first. */
export const loadedWith: (metafile: Metafile, entry: string) => string[];
