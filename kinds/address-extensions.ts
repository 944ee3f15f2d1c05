/** What admission of pools and addresses reads: which addresses are in use, and whose they are. */
import { forbidden } from '../machinery/api/errors.ts';
import type { Admission } from '../machinery/api/kind.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import { listOf } from './common/list-of.ts';
import { ipamGroup } from './common/versions.ts';
import type { IPAddress } from './ipam/ip-address/schema.ts';
import { type PoolKind, poolKinds, samePool } from './ipam/references.ts';

export interface AddressStore {
  get(type: string, key: { namespace: string; name: string }): Promise<KubeObject | undefined>;
  list(type: string, options?: { namespace?: string }): Promise<{ objects: KubeObject[] }>;
}

/** clusterctl deletes what it has moved. */
const skipped = 'ipam.cluster.x-k8s.io/skip-validate-delete-webhook';

const addresses = `ipaddresses.${ipamGroup}`;
const claims = `ipaddressclaims.${ipamGroup}`;

/** Extensions of the registry by resource. */
export const addressExtensions = (store: AddressStore) => {
  const inUse = async (kind: PoolKind, { name, namespace }: KubeObject['metadata']): Promise<IPAddress[]> => {
    const { objects } = await store.list(addresses, namespace ? { namespace } : {});
    const reference = { apiGroup: ipamGroup, kind, name };
    return (objects as IPAddress[]).filter(({ spec }) => samePool(spec?.poolRef, reference));
  };
  const extensionOf = (kind: PoolKind) => ({
    related: async ({ metadata }: KubeObject, { operation }: Admission) =>
      operation === 'update' ? inUse(kind, metadata) : [],
    admitDelete: async (_: unknown, { metadata }: KubeObject): Promise<void> => {
      if (metadata.annotations?.[skipped] !== undefined) return;
      const used = await inUse(kind, metadata);
      if (used.length === 0) return;
      const names = listOf(used.map((one) => `${one.metadata.namespace}/${one.metadata.name}`));
      const of = { group: ipamGroup, kind, plural: `${kind.toLowerCase()}s` };
      throw forbidden(of, metadata.name, `claims have addresses of it: delete the IPAddressClaims ${names} first`);
    },
  });
  return {
    ...Object.fromEntries(
      (Object.keys(poolKinds) as PoolKind[]).map((kind) => [`${kind.toLowerCase()}s.${ipamGroup}`, extensionOf(kind)]),
    ),
    [addresses]: {
      related: async ({ metadata: { namespace = '' }, spec }: KubeObject) => {
        const { claimRef } = (spec ?? {}) as Partial<NonNullable<IPAddress['spec']>>;
        const claim = claimRef?.name ? await store.get(claims, { namespace, name: claimRef.name }) : undefined;
        return claim ? [claim] : [];
      },
    },
  };
};
