/** The values for which the class beside this file is compared. */
import { join } from 'node:path';
import type { Cluster } from '../../kinds/core/cluster/index.ts';
import type { JsonValue } from '../../machinery/api/object.ts';
import { type Case, caseOf, objectsInFile } from './case.ts';

export const withValues =
  (values: Record<string, JsonValue | undefined>) =>
  (cluster: Cluster): Cluster => {
    const topology = cluster.spec!.topology!;
    const kept = (topology.variables ?? []).filter(({ name }) => !(name in values));
    const set = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
    return { ...cluster, spec: { ...cluster.spec, topology: { ...topology, variables: [...kept, ...set] } } };
  };

const list: Record<string, Record<string, JsonValue | undefined>> = {
  'as written': {},
  'with a proxy': { proxied: true },
  'small, without tags': { size: 'small', settings: { tags: [], zones: [{ name: 'c' }, { name: 'd' }] } },
  'an absent item of a list': { settings: { tags: ['x'], zones: [{ name: 'a' }] } },
  'no settings': { settings: undefined },
};

export const casesOfClass = (): [string, Promise<Case>][] => {
  const objects = objectsInFile(join(import.meta.dirname, 'class.yaml'));
  return Object.entries(list).map(([name, values]) => [name, caseOf(objects, withValues(values))]);
};

/** What upstream answers; `npm run test:topology -- -u` writes it. */
export const goldenFile = (name: string): string =>
  join(import.meta.dirname, 'golden', `${name.replaceAll(/\W+/g, '-')}.txt`);
