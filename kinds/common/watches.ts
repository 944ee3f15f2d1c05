/** Watches that several controllers share. */
import type { Watch } from '../../machinery/api/wiring.ts';

/**
 * An object's templates may be created after it and deleted before it, and clients may remove their
 * owner references.
 */
export const templates: Watch[] = [
  { role: 'InfrastructureMachineTemplate', to: 'referrers' },
  { role: 'BootstrapConfigTemplate', to: 'referrers' },
];
