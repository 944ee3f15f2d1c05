/** What core reads from the ClusterOperation that a Cluster names. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';

/** Paused: it goes on when a user says so; its steps stand still. */
export const phases = [
  'Pending',
  'Running',
  'Paused',
  'Succeeded',
  'Held',
  'TornDown',
  'RolledBack',
  'Cancelled',
] as const;
export const verdicts = [
  'Running',
  'Succeeded',
  'Refused',
  'DeadlineExceeded',
  'Cancelled',
  'Failed',
  'Paused',
] as const;

export type Phase = (typeof phases)[number];
export type Verdict = (typeof verdicts)[number];

export type OperationReport = KubeObject<
  { type: string; cancel?: boolean },
  { phase?: Phase; message?: string; step?: string; late?: boolean }
>;

/** The type of the operation that ends a cluster. */
const ending = 'delete';
/** All others change a cluster that users rely on. */
const notChanging: readonly (string | undefined)[] = ['create', ending];

export const isEnding = ({ spec }: Pick<OperationReport, 'spec'>): boolean => spec?.type === ending;
export const isChanging = ({ spec }: Pick<OperationReport, 'spec'>): boolean => !notChanging.includes(spec?.type);

/** True on a Cluster whose last upgrade or restore is held, or did not succeed; absent otherwise. */
export const operationStopped = 'OperationStopped';

/** Why the cluster's last upgrade or restore did not succeed; undefined if it did, or runs. */
export const refusalOf = ({ status }: KubeObject): string | undefined => {
  const condition = conditionOf((status as { conditions?: Condition[] } | undefined)?.conditions, operationStopped);
  return condition?.status === 'True' ? condition.message : undefined;
};
