/** What the topology controller reports, from which the Cluster's conditions are made. Pure. */
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import type { State } from './state.ts';
import type { UpgradePlan } from './upgrade-plan.ts';
import type { Topology } from './variables.ts';
import type { Decision, Decisions, Stage } from './versions.ts';

export const topologyAnnotation = 'capstan.dev/topology';

export type Reason =
  | 'ReconcileSucceeded'
  | 'ReconcileFailed'
  | 'ClusterClassNotReconciled'
  | 'ClusterCreating'
  | 'ClusterUpgrading'
  | 'MachineDeploymentsUpgradeDeferred'
  | 'MachinePoolsUpgradeDeferred';

export interface Progress {
  reason: Reason;
  message?: string;
  plan?: UpgradePlan;
}

type WorkerKind = 'MachineDeployment' | 'MachinePool';

const listed = (kind: WorkerKind, names: readonly string[]): string =>
  names.length === 1 ? `${kind} ${names[0]}` : `${kind}s ${names.join(', ')}`;

/** What is said of workers of one kind. */
const workerLines = (
  kind: WorkerKind,
  workers: ReadonlyMap<string, { object: KubeObject }>,
  decisions: ReadonlyMap<string, Decision>,
  { version, next, to }: { version: string; next: string; to: string },
): { lines: string[]; isDeferred: boolean } => {
  const inStage = (...stages: Stage[]) =>
    stages.flatMap((stage) =>
      [...decisions].flatMap(([name, one]) =>
        one.stage === stage ? [workers.get(name)?.object.metadata.name ?? name] : [],
      ),
    );
  const line = (names: string[], says: string) => (names.length > 0 ? [`${listed(kind, names)} ${says}`] : []);
  const deferred = inStage('deferred');
  return {
    lines: [
      ...line(inStage('starting', 'upgrading'), `upgrading to version ${version}`),
      ...line(inStage('pending'), `pending upgrade to version ${next}`),
      ...line(deferred, `upgrade to version ${to} deferred using defer-upgrade or hold-upgrade-sequence annotations`),
      ...line(inStage('postponed'), 'creation deferred while control plane upgrade is in progress'),
    ],
    isDeferred: deferred.length > 0,
  };
};

export const upgradeProgress = (
  topology: Topology,
  state: State,
  { controlPlane, deployments, pools, plan }: Decisions,
  blocked?: string,
): Progress => {
  const kind = state.controlPlane?.object.kind ?? 'Control plane';
  const isMoving = controlPlane.stage === 'starting' || controlPlane.stage === 'upgrading';
  const versions = { version: controlPlane.version, next: plan.workers.join(', '), to: topology.version };
  const ofDeployments = workerLines('MachineDeployment', state.deployments, deployments, versions);
  const ofPools = workerLines('MachinePool', state.pools, pools, versions);
  const lines = [
    ...(blocked === undefined ? [] : [blocked]),
    ...(isMoving ? [`${kind} upgrading to version ${controlPlane.version}`] : []),
    ...(controlPlane.stage === 'pending' ? [`${kind} pending upgrade to version ${plan.controlPlane.join(', ')}`] : []),
    ...ofDeployments.lines,
    ...ofPools.lines,
  ];
  if (lines.length === 0) return { reason: 'ReconcileSucceeded' };
  const message = [`Cluster is upgrading to ${topology.version}`, ...lines.map((line) => `  * ${line}`)].join('\n');
  const deferred = Number(ofDeployments.isDeferred) + Number(ofPools.isDeferred);
  if (lines.length > deferred) return { reason: 'ClusterUpgrading', message, plan };
  return {
    reason: ofDeployments.isDeferred ? 'MachineDeploymentsUpgradeDeferred' : 'MachinePoolsUpgradeDeferred',
    message,
    plan,
  };
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
