/** What tests removed from the account. Survives restarts. */
import type { AccountState } from './state.ts';

/** `image` names a Kubernetes version, such as v1.35.0; the others name themselves. */
export type Removable = 'instance-type' | 'image' | 'instance-profile' | 'key-pair' | 'role' | 'ipam-pool';

const key = (kind: Removable, name: string): string => `${kind}/${name}`;

export const isRemoved = ({ removed }: AccountState, kind: Removable, name: string): boolean =>
  removed.get(key(kind, name)) !== undefined;
export const remove = ({ removed }: AccountState, kind: Removable, name: string): void =>
  removed.put(key(kind, name), true);
export const restore = ({ removed }: AccountState, kind: Removable, name: string): void =>
  removed.delete(key(kind, name));
