import { isDeepStrictEqual } from 'node:util';
import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { withClusterLabel } from '../../common/cluster-label.ts';
import { immutable } from '../../common/validate.ts';
import type { EtcdSnapshot } from './schema.ts';

/** Seconds. */
export const defaultDeadline = 3600;
const day = 24 * 3600;
/** The file stays while damage that the upgrade did may still surface. */
export const upgradeTtl = 30 * day;

export const defaultEtcdSnapshot = (object: KubeObject): KubeObject => {
  const snapshot = object as EtcdSnapshot;
  if (!snapshot.spec) return object;
  const { reason = snapshot.spec.recover ? 'Recovery' : 'Manual' } = snapshot.spec;
  const ttl = reason === 'Upgrade' || reason === 'Copy' ? { ttlSecondsAfterFinished: upgradeTtl } : {};
  const spec = { activeDeadlineSeconds: defaultDeadline, ...ttl, ...snapshot.spec, reason };
  return withClusterLabel({ ...snapshot, spec }, spec.clusterName);
};

/** A file belongs to one cluster and one request; only its retention may change. */
const fixed = ['clusterName', 'reason', 'activeDeadlineSeconds', 'source', 'recover'] as const;

export const validateEtcdSnapshot = (object: KubeObject, { operation, old }: Admission): FieldError[] => {
  const [now, before] = [(object as EtcdSnapshot).spec, (old as EtcdSnapshot | undefined)?.spec];
  if (operation !== 'update' || !now || !before) return [];
  return fixed
    .filter((field) => !isDeepStrictEqual(now[field], before[field]))
    .map((field) => immutable(`spec.${field}`));
};
