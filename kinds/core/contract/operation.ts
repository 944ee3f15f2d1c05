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
  {
    type: string;
    cancel?: boolean;
    /** What an upgrade takes along, with the versions before it and of the specs when it began. */
    objects?: readonly { kind: string; name: string; from?: string; to?: string }[];
  },
  { phase?: Phase; message?: string; step?: string; late?: boolean }
>;

/** The type of the operation that ends a cluster. */
const ending = 'delete';
/** All others change a cluster that users rely on. */
const notChanging: readonly (string | undefined)[] = ['create', ending];

export const isEnding = ({ spec }: Pick<OperationReport, 'spec'>): boolean => spec?.type === ending;
export const isChanging = ({ spec }: Pick<OperationReport, 'spec'>): boolean => !notChanging.includes(spec?.type);

/** The version that the spec of a control plane or a MachineDeployment asks for. */
const wantedVersion = ({ spec }: KubeObject): string | undefined => {
  const { version, template } = (spec ?? {}) as { version?: string; template?: { spec?: { version?: string } } };
  return version ?? template?.spec?.version;
};

/**
 * Whether the ended operation is history: it was an upgrade, and no object asks for what it was to bring any more.
 * `isUpToDate`: all Machines are as their specs want them, which tells of upgrades that change no version.
 */
export const isSetBack = (
  { spec, status }: OperationReport,
  objects: readonly KubeObject[],
  isUpToDate: boolean,
): boolean => {
  const { objects: upgraded = [] } = spec ?? {};
  const asks = (one: (typeof upgraded)[number]) =>
    objects.some(
      (object) => object.kind === one.kind && object.metadata.name === one.name && wantedVersion(object) === one.to,
    );
  const hasEnded = status?.phase === 'RolledBack' || status?.phase === 'Cancelled';
  return hasEnded && upgraded.length > 0 && upgraded.every((one) => (one.from === one.to ? isUpToDate : !asks(one)));
};

/** True on a Cluster whose last upgrade or restore is held, or did not succeed, unless it was set back; else absent. */
export const operationStopped = 'OperationStopped';

/** Why the cluster's last upgrade or restore did not succeed; undefined if it did, or runs. */
export const refusalOf = ({ status }: KubeObject): string | undefined => {
  const condition = conditionOf((status as { conditions?: Condition[] } | undefined)?.conditions, operationStopped);
  return condition?.status === 'True' ? condition.message : undefined;
};
