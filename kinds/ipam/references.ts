/** Whom claims and addresses refer to. */
import type { Reference } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { ipamGroup } from '../common/versions.ts';
import type { IPAddress } from './ip-address/schema.ts';
import type { IPAddressClaim } from './ip-address-claim/schema.ts';

/** A pool's kind, by what follows from it. */
export const poolKinds = {
  InClusterIPPool: { namespaced: true },
  GlobalInClusterIPPool: { namespaced: false },
} as const;
export type PoolKind = keyof typeof poolKinds;

export interface PoolReference {
  apiGroup: string;
  kind: string;
  name: string;
}

/** Whether Capstan serves the pools of this kind; other providers serve all others. */
export const isInCluster = (reference: PoolReference | undefined): reference is PoolReference & { kind: PoolKind } =>
  reference !== undefined && reference.apiGroup === ipamGroup && Object.hasOwn(poolKinds, reference.kind);

export const samePool = (a: PoolReference | undefined, b: PoolReference | undefined): boolean =>
  a?.apiGroup === b?.apiGroup && a?.kind === b?.kind && a?.name === b?.name;

const poolOf = (reference: PoolReference | undefined): Reference[] => {
  if (!isInCluster(reference)) return [];
  const { apiGroup: group, kind, name } = reference;
  return [{ group, kind, name, ...(!poolKinds[kind].namespaced && { namespace: '' }) }];
};

export const serversOfClaim = (object: KubeObject): Reference[] => poolOf((object as IPAddressClaim).spec?.poolRef);

export const serversOfAddress = (object: KubeObject): Reference[] => {
  const { poolRef, claimRef } = (object as IPAddress).spec ?? {};
  const claim = claimRef?.name ? [{ group: ipamGroup, kind: 'IPAddressClaim', name: claimRef.name }] : [];
  return [...poolOf(poolRef), ...claim];
};
