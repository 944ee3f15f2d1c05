/**
 * The record of addresses that a pool's controller has chosen and not yet created as IPAddresses,
 * in an annotation of the pool. It is written at the observed version of the pool, so that of two
 * passes that chose in the same state only one goes on.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { addressOf } from './ranges.ts';
import type { Pool } from './schema.ts';

/** Reserved for controllers. */
export const allocating = 'capstan.dev/allocating';

export interface Allocation {
  namespace: string;
  name: string;
  /** Of the claim. */
  uid: string;
  address: string;
}

const isAllocation = (one: unknown): one is Allocation => {
  const { namespace, name, uid, address } = (one ?? {}) as Partial<Allocation>;
  return [namespace, name, uid, address].every((part) => typeof part === 'string') && addressOf(address!) !== undefined;
};

export const allocationsOf = ({ metadata }: Pool): Allocation[] => {
  const text = metadata.annotations?.[allocating];
  if (text === undefined) return [];
  const parsed: unknown = JSON.parse(text);
  return Array.isArray(parsed) ? parsed.filter(isAllocation) : [];
};

export const isFor =
  ({ metadata }: KubeObject) =>
  ({ uid }: Allocation): boolean =>
    uid === metadata.uid;
