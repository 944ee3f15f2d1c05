/** Snapshots whose files were deleted and are kept. */
import type { DeletedSnapshot, SnapshotReads } from '../../kinds/ports/snapshots.ts';
import { type DeletedObject, deletedFor, type ObjectStorage } from '../../machinery/object-storage.ts';
import { type Manifest, manifestKeyOf, textOf } from './files.ts';

/** How many manifests are read at once. */
const atOnce = 16;

/** The key of a file is INSTALLATION/CLUSTER-UID/NAME.db. */
const clusterUidOf = (location: string): string => location.split('/').at(-2) ?? '';

const inGroups = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));

export const createDeleted = (storage: Pick<ObjectStorage, 'deleted' | 'getDeleted'>) => {
  const snapshotOf = async ({ key, deletedAt }: DeletedObject): Promise<DeletedSnapshot | undefined> => {
    const content = await storage.getDeleted(manifestKeyOf(key));
    if (!content) return undefined;
    const manifest = JSON.parse(await textOf(content)) as Manifest;
    return { location: key, manifest, deletedAt, keptUntil: deletedAt + deletedFor };
  };

  const snapshotsOf = async (files: readonly DeletedObject[]): Promise<DeletedSnapshot[]> => {
    const read: (DeletedSnapshot | undefined)[] = [];
    for (const group of inGroups(files, atOnce)) read.push(...(await Promise.all(group.map(snapshotOf))));
    return read.filter((one) => one !== undefined);
  };

  /** A file without a manifest was never complete. */
  const completeBelow = async (prefix: string): Promise<DeletedObject[]> => {
    const all = await storage.deleted(prefix);
    const keys = new Set(all.map(({ key }) => key));
    return all.filter(({ key }) => key.endsWith('.db') && keys.has(manifestKeyOf(key)));
  };

  return {
    list: async ({ installation, namespace, cluster, most }: SnapshotReads['ListDeleted'][0]) => {
      const files = await completeBelow(`${installation}/`);
      // One manifest tells whose files all those of a cluster are.
      const firsts = new Map(files.map((file) => [clusterUidOf(file.key), file] as const));
      const meant = new Set(
        (await snapshotsOf([...firsts.values()]))
          .filter(
            ({ manifest }) =>
              manifest.cluster.namespace === namespace && (cluster === undefined || manifest.cluster.name === cluster),
          )
          .map(({ location }) => clusterUidOf(location)),
      );
      const own = files
        .filter(({ key }) => meant.has(clusterUidOf(key)))
        .sort((a, b) => b.deletedAt - a.deletedAt || (a.key < b.key ? 1 : -1));
      return { snapshots: await snapshotsOf(own.slice(0, most)), omitted: Math.max(0, own.length - most) };
    },
    get: async ({ location }: SnapshotReads['GetDeleted'][0]): Promise<DeletedSnapshot | undefined> => {
      const file = (await completeBelow(location.replace(/\.db$/, ''))).find(({ key }) => key === location);
      return file && snapshotOf(file);
    },
  };
};
