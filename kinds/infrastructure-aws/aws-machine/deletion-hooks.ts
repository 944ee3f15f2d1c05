/**
 * An instance outlives the deletion hooks of its Machine even when a user deletes both at once: the
 * hook's owner may need the instance.
 */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import { found, type Read } from '../../../machinery/api/reconcile.ts';
import { hooks } from '../../core/contract/hooks.ts';
import type { Machine } from '../../core/machine/index.ts';

const prefixes = Object.values(hooks);

/**
 * Not every hook counts: once a Machine waits for its infrastructure, no hook holds it any more.
 */
export const isHeld = ({ machine }: { machine: Read<Machine> }): boolean => {
  const { metadata, status } = found(machine) ?? {};
  if (!metadata?.deletionTimestamp) return false;
  const hasHook = Object.keys(metadata.annotations ?? {}).some((key) =>
    prefixes.some((prefix) => key.startsWith(prefix)),
  );
  return hasHook && conditionOf(status?.conditions, 'Deleting')?.reason !== 'WaitingForInfrastructureDeletion';
};
