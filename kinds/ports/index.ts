/** The ports of the kinds, with typed helpers to read in `observe` and to act in `reconcile`. */
import type { Action, Read, Reader } from '../../machinery/api/reconcile.ts';
import type { CloudAction, CloudInput, CloudOutput } from './cloud/index.ts';

export { actAs, planAs, readAs } from './acting.ts';
export { askApi, callApi } from './api.ts';
export { callDecisions } from './decisions.ts';
export { askInstallation, callInstallation } from './installation.ts';
export { askPki } from './pki.ts';
export { askSnapshots, callSnapshots } from './snapshots.ts';
export { askWorkload, callWorkload } from './workload.ts';

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
