/** Upstream's labels and annotations that are stored and have no effect here. Pure. */
import type { KubeObject } from '../../machinery/api/object.ts';

export interface KeyNotActedOn {
  in: 'labels' | 'annotations';
  /** A key, or the part before the slash of any key. */
  key: string;
  /** The feature that is not implemented, and what happens instead. */
  feature: string;
  /** If absent, any value counts. */
  when?: (value: string) => boolean;
}

/** Of all kinds. */
export const sharedKeys: readonly KeyNotActedOn[] = [
  {
    in: 'labels',
    key: 'cluster.x-k8s.io/watch-filter',
    feature: 'Objects left to other controllers (Capstan reconciles the object all the same)',
  },
];

const isNamed = (key: string, name: string): boolean => name === key || name.startsWith(`${key}/`);

/** The entries of a table that apply to an object, as warnings for the API client. */
export const warnKeysNotActedOn = (table: readonly KeyNotActedOn[], { metadata }: KubeObject): string[] =>
  table.flatMap(({ in: field, key, feature, when = () => true }) =>
    Object.entries(metadata[field] ?? {})
      .filter(([name, value]) => isNamed(key, name) && when(value))
      .map(([name]) => `metadata.${field}[${name}]: ${feature}: accepted and stored, but not acted on`),
  );
