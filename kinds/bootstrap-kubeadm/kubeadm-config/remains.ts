import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { authorities, type Secret, secretName } from '../../core/contract/cluster-secrets.ts';
import type { Machine } from '../../core/machine/schema.ts';
import { lockedBy, lockName } from './init-lock.ts';

/** What may be left of the objects created from the config, besides its user data. */
export interface Remains {
  /** Certificate authorities, and the token of the audit webhook. */
  secrets: Read<Secret>[];
  lock: Read<KubeObject>;
  lockHolder: Read<Machine> | undefined;
}

export const observeRemains = (namespace: string, cluster: string, read: Reader): Remains => {
  const lock = read.get('ConfigMap', { namespace, name: lockName(cluster) });
  const holder = lockedBy(found(lock));
  return {
    secrets: [...authorities, 'audit-webhook' as const].map((purpose) =>
      read.get('Secret', { namespace, name: secretName(cluster, purpose) }),
    ),
    lock,
    lockHolder: holder === undefined ? undefined : read.get('Machine', { namespace, name: holder }),
  };
};
