/** Snapshots whose files were deleted and are kept. */
import type { DamagedSnapshot, DeletedSnapshot, SnapshotReads } from '../../kinds/ports/snapshots.ts';
import { type DeletedObject, deletedFor, ObjectDamaged, type ObjectStorage } from '../../machinery/object-storage.ts';
import { manifestIn, manifestKeyOf } from './files.ts';

/** How many manifests are read at once. */
const atOnce = 16;

/** The key of a file is INSTALLATION/CLUSTER-UID/NAME.db. */
const clusterUidOf = (location: string): string => location.split('/').at(-2) ?? '';

const inGroups = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));

export const createDeleted = (storage: Pick<ObjectStorage, 'deleted' | 'getDeleted'>) => {
  const snapshotOf = async ({
    key,
    deletedAt,
  }: DeletedObject): Promise<DeletedSnapshot | DamagedSnapshot | undefined> => {
    const content = await storage.getDeleted(manifestKeyOf(key));
    if (!content) return undefined;
    try {
      return { location: key, manifest: await manifestIn(content), deletedAt, keptUntil: deletedAt + deletedFor };
    } catch (error) {
      if (error instanceof ObjectDamaged) return { location: key, fault: error.message };
      throw error;
    }
  };

  /** Without the damaged ones, which cannot be brought back. */
  const snapshotsOf = async (files: readonly DeletedObject[]): Promise<DeletedSnapshot[]> => {
    const read: Awaited<ReturnType<typeof snapshotOf>>[] = [];
    for (const group of inGroups(files, atOnce)) read.push(...(await Promise.all(group.map(snapshotOf))));
    return read.filter((one) => one !== undefined && 'manifest' in one);
  };

  /** One manifest names the cluster of all files under its uid. */
  const firstOf = async (files: readonly DeletedObject[]): Promise<DeletedSnapshot | undefined> => {
    for (const file of files) {
      const one = await snapshotOf(file);
      if (one && 'manifest' in one) return one;
    }
    return undefined;
  };
  const firstsOf = async (files: readonly DeletedObject[]): Promise<DeletedSnapshot[]> => {
    const clusters = [...Map.groupBy(files, ({ key }) => clusterUidOf(key)).values()];
    const read: (DeletedSnapshot | undefined)[] = [];
    for (const group of inGroups(clusters, atOnce)) read.push(...(await Promise.all(group.map(firstOf))));
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
      const meant = new Set(
        (await firstsOf(files))
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
    get: async ({
      location,
    }: SnapshotReads['GetDeleted'][0]): Promise<DeletedSnapshot | DamagedSnapshot | undefined> => {
      const file = (await completeBelow(location.replace(/\.db$/, ''))).find(({ key }) => key === location);
      return file && snapshotOf(file);
    },
  };
};
