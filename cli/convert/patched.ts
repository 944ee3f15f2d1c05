/** Fields of templates that the patches of ClusterClasses write: what stands in them is replaced for each Cluster. */
import type { Manifest } from './manifest.ts';
import { at, contentOf } from './nodes.ts';

interface Patch {
  definitions?: { selector?: { kind?: string }; jsonPatches?: { op?: string; path?: string }[] }[];
}

const writes = new Set(['add', 'replace']);

/** `/spec/files/0/content` as `spec.files[0].content`. */
const dotted = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '');

/** Whether a patch of a class writes that field of the manifest, or what it is a part of. */
export type IsPatched = (manifest: Manifest, path: string) => boolean;

export const patchedBy = (manifests: readonly Manifest[]): IsPatched => {
  const patches = manifests
    .filter(({ kind }) => kind === 'ClusterClass')
    .flatMap(({ node }) => (contentOf(at(node, 'spec', 'patches')) ?? []) as Patch[]);
  const written = patches
    .flatMap(({ definitions = [] }) => definitions)
    .flatMap(({ selector, jsonPatches = [] }) =>
      jsonPatches
        .filter(({ op }) => writes.has(op ?? ''))
        .map(({ path }) => ({ kind: selector?.kind, path: dotted(path ?? '') })),
    );
  return ({ kind }, path) =>
    written.some(
      (one) =>
        one.kind === kind && (path === one.path || path.startsWith(`${one.path}.`) || path.startsWith(`${one.path}[`)),
    );
};
