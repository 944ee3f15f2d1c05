import type { InstallationSpec } from './schema.ts';

/** What a new installation begins with. An existing one keeps what its users chose. */
export const newInstallationSpec: InstallationSpec = { snapshotSchedule: '24h', snapshotKeep: 7 };
