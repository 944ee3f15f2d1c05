/** A host outlives the hooks of its Machine, whoever deletes both at once: what they wait for may need it. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import { found, type Read } from '../../../machinery/api/reconcile.ts';
import { hooks } from '../../core/contract/hooks.ts';
import type { Machine } from '../../core/machine/index.ts';

const prefixes = Object.values(hooks);

/** Not every hook is waited for: once a Machine waits for its host to go, none holds it any more. */
export const isHeld = ({ machine }: { machine: Read<Machine> }): boolean => {
  const { metadata, status } = found(machine) ?? {};
  if (!metadata?.deletionTimestamp) return false;
  const hasHook = Object.keys(metadata.annotations ?? {}).some((key) =>
    prefixes.some((prefix) => key.startsWith(prefix)),
  );
  return hasHook && conditionOf(status?.conditions, 'Deleting')?.reason !== 'WaitingForInfrastructureDeletion';
};
