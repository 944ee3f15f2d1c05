/** The ports of the kinds, with typed helpers to read in `observe` and to act in `reconcile`. */
import type { JsonValue } from '../../machinery/api/object.ts';
import type { Action, Read, Reader } from '../../machinery/api/reconcile.ts';
import type { ApiEffects, ApiReads } from './api.ts';
import type { CloudAction, CloudInput, CloudOutput } from './cloud.ts';
import type { DecisionEffects } from './decisions.ts';
import type { InstallationEffects, InstallationReads } from './installation.ts';
import type { PkiReads } from './pki.ts';
import type { SnapshotEffects, SnapshotReads } from './snapshots.ts';
import type { WorkloadEffects, WorkloadReads } from './workload.ts';

/** A cloud read: `{ region, input }` under the action's name. */
export const askCloud = <A extends CloudAction>(
  read: Reader,
  region: string,
  action: A,
  input: CloudInput<A>,
): Read<CloudOutput<A>> => read.ask('cloud', action, { region, input });

/** Calls that create a resource; a tag is none. */
const buys = /^(Run|Create(?!Tags)|Allocate)/;

/**
 * A cloud effect. A destructive call needs `owned`: the tags that the resource must still carry
 * when the adapter reads it again just before the call. The adapter refuses the call otherwise.
 */
export const callCloud = <A extends CloudAction>(
  region: string,
  action: A,
  input: CloudInput<A>,
  owned?: Record<string, string>,
): Action => ({
  do: 'call',
  port: 'cloud',
  operation: action,
  ...(buys.test(action) && { buys: true }),
  input: { region, input, ...(owned && { owned }) },
});

export const askWorkload = <R extends keyof WorkloadReads>(
  read: Reader,
  operation: R,
  input: WorkloadReads[R][0],
): Read<WorkloadReads[R][1]> => read.ask('workload', operation, input);
export const callWorkload = <E extends keyof WorkloadEffects>(operation: E, input: WorkloadEffects[E]): Action => ({
  do: 'call',
  port: 'workload',
  operation,
  input,
});

export const askPki = <R extends keyof PkiReads>(
  read: Reader,
  operation: R,
  input: PkiReads[R][0],
): Read<PkiReads[R][1]> => read.ask('pki', operation, input);

export const askInstallation = <R extends keyof InstallationReads>(
  read: Reader,
  operation: R,
  input: InstallationReads[R][0],
): Read<InstallationReads[R][1]> => read.ask('installation', operation, input);
export const callInstallation = <E extends keyof InstallationEffects>(
  operation: E,
  input: InstallationEffects[E],
): Action => ({ do: 'call', port: 'installation', operation, input });

export const askSnapshots = <R extends keyof SnapshotReads>(
  read: Reader,
  operation: R,
  input: SnapshotReads[R][0],
): Read<SnapshotReads[R][1]> => read.ask('snapshots', operation, input);
export const callSnapshots = <E extends keyof SnapshotEffects>(operation: E, input: SnapshotEffects[E]): Action => ({
  do: 'call',
  port: 'snapshots',
  operation,
  input,
});

export const callDecisions = <E extends keyof DecisionEffects>(operation: E, input: DecisionEffects[E]): Action => ({
  do: 'call',
  port: 'decisions',
  operation,
  input,
});

export const askApi = <R extends keyof ApiReads>(
  read: Reader,
  operation: R,
  input: ApiReads[R][0],
): Read<ApiReads[R][1]> => read.ask('api', operation, input as JsonValue);
export const callApi = <E extends keyof ApiEffects>(operation: E, input: ApiEffects[E]): Action => ({
  do: 'call',
  port: 'api',
  operation,
  input: input as JsonValue,
});
