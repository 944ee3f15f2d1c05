/** The download of a snapshot's file, which holds the Secrets of its cluster. Pure. */
import { type Downloadable, downloadSecretName } from '../../core/contract/download.ts';
import type { EtcdSnapshot } from './schema.ts';

export const downloadOf = (snapshot: EtcdSnapshot): Downloadable => {
  const { location, download, phase, checksum = '', size = '' } = snapshot.status ?? {};
  return {
    object: snapshot,
    download,
    secretName: downloadSecretName(snapshot.metadata.name),
    cluster: snapshot.spec?.clusterName ?? '',
    location: phase === 'Succeeded' ? location : undefined,
    values: { checksum, size: String(size) },
  };
};
