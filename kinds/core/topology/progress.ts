/** What the topology controller reports, from which the Cluster's conditions are made. Pure. */
import type { JsonObject } from '../../../machinery/api/object.ts';
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import type { State } from './state.ts';
import type { Topology } from './variables.ts';
import type { Decisions, UpgradePlan } from './versions.ts';

export const topologyAnnotation = 'capstan.dev/topology';

export type Reason =
  | 'ReconcileSucceeded'
  | 'ReconcileFailed'
  | 'ClusterClassNotReconciled'
  | 'ClusterCreating'
  | 'ClusterUpgrading'
  | 'MachineDeploymentsUpgradeDeferred';

export interface Progress {
  reason: Reason;
  message?: string;
  plan?: UpgradePlan;
}

const listed = (names: readonly string[]): string => {
  const [first = '', ...rest] = names;
  return rest.length === 0 ? `MachineDeployment ${first}` : `MachineDeployments ${names.join(', ')}`;
};

export const upgradeProgress = (
  topology: Topology,
  state: State,
  { controlPlane, deployments, plan }: Decisions,
  blocked?: string,
): Progress => {
  const inStage = (stage: string) =>
    [...deployments].flatMap(([name, one]) =>
      one.stage === stage ? [state.deployments.get(name)?.object.metadata.name ?? name] : [],
    );
  const [starting, upgrading, pending, deferred, postponed] = [
    'starting',
    'upgrading',
    'pending',
    'deferred',
    'postponed',
  ].map(inStage);
  const moving = [...starting!, ...upgrading!];
  const kind = state.controlPlane?.object.kind ?? 'Control plane';
  const isMoving = controlPlane.stage === 'starting' || controlPlane.stage === 'upgrading';
  const workersNext = plan.workers.join(', ');
  const lines = [
    ...(blocked === undefined ? [] : [blocked]),
    ...(isMoving ? [`${kind} upgrading to version ${controlPlane.version}`] : []),
    ...(controlPlane.stage === 'pending' ? [`${kind} pending upgrade to version ${plan.controlPlane.join(', ')}`] : []),
    ...(moving.length > 0 ? [`${listed(moving)} upgrading to version ${controlPlane.version}`] : []),
    ...(pending!.length > 0 ? [`${listed(pending!)} pending upgrade to version ${workersNext}`] : []),
    ...(deferred!.length > 0
      ? [
          `${listed(deferred!)} upgrade to version ${topology.version} deferred using defer-upgrade or hold-upgrade-sequence annotations`,
        ]
      : []),
    ...(postponed!.length > 0
      ? [`${listed(postponed!)} creation deferred while control plane upgrade is in progress`]
      : []),
  ];
  if (lines.length === 0) return { reason: 'ReconcileSucceeded' };
  const message = [`Cluster is upgrading to ${topology.version}`, ...lines.map((line) => `  * ${line}`)].join('\n');
  const isOnlyDeferred = lines.length === 1 && deferred!.length > 0;
  return { reason: isOnlyDeferred ? 'MachineDeploymentsUpgradeDeferred' : 'ClusterUpgrading', message, plan };
};

/** What the annotation of a Cluster says. */
export const progressOf = (annotations: Record<string, string> | undefined): Progress | undefined => {
  const text = annotations?.[topologyAnnotation];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Progress;
  } catch {
    return undefined;
  }
};

export const topologyCondition = ({ reason, message = '' }: Progress): ConditionDraft => ({
  type: 'TopologyReconciled',
  status: reason === 'ReconcileSucceeded' ? 'True' : 'False',
  reason,
  message,
});

/** The versions of a plan, as the Cluster's status lists them. */
export const planFields = (versions: readonly string[] | undefined): JsonObject =>
  versions && versions.length > 0 ? { upgradePlan: versions.map((version) => ({ version })) } : {};
