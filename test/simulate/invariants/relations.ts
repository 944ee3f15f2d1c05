/** Owners, clusters, conditions and pauses of objects, as the objects state them. */

import type { KubeadmConfig } from '../../../kinds/bootstrap-kubeadm/kubeadm-config/index.ts';
import type { Cluster } from '../../../kinds/core/cluster/index.ts';
import { type Secret, secretValue } from '../../../kinds/core/contract/cluster-secrets.ts';
import { isOfRestore, restoringOf } from '../../../kinds/core/contract/restore.ts';
import type { Machine } from '../../../kinds/core/machine/index.ts';
import type { AWSCluster } from '../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import type { Mirror } from '../mirror.ts';
import { machineIn, type tagOf } from './tags.ts';

export type Verdict = 'True' | 'False' | 'Unknown';
type Conditioned = { conditions?: Condition[] } | undefined;

export const pausedBy = 'cluster.x-k8s.io/paused';
export const clusterName = 'cluster.x-k8s.io/cluster-name';
/** The revision of a template; a rollback gives an old template a new revision. */
export const revision = 'machinedeployment.clusters.x-k8s.io/revision';
/** kubectl's record of what it applied. */
export const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

export const conditionIn = (object: KubeObject | undefined, type: string) =>
  (object?.status as Conditioned)?.conditions?.find((one) => one.type === type);
export const verdictOf = (object: KubeObject | undefined, type: string): Verdict | undefined =>
  conditionIn(object, type)?.status as Verdict | undefined;

export const isTrue = (object: KubeObject | undefined, type: string): boolean => verdictOf(object, type) === 'True';
export const isControlPlane = ({ metadata }: KubeObject): boolean =>
  'cluster.x-k8s.io/control-plane' in (metadata.labels ?? {});

/** A number, or a percentage. */
export const portionOf = (of: number | string, total: number, round: (value: number) => number): number =>
  typeof of === 'number' ? of : round((total * Number.parseFloat(of)) / 100);

/** The verdict of a condition with negative polarity. */
export const not = (verdict: Verdict | undefined): Verdict | undefined =>
  verdict === 'True' ? 'False' : verdict === 'False' ? 'True' : verdict;

/** Aggregates conditions with positive polarity: False wins, then Unknown. */
export const worstOf = (all: readonly (Verdict | undefined)[]): Verdict => {
  if (all.includes('False')) return 'False';
  return all.some((one) => one !== 'True') ? 'Unknown' : 'True';
};
/** Aggregates conditions with negative polarity: True wins, then Unknown. */
export const anyOf = (all: readonly (Verdict | undefined)[]): Verdict => {
  if (all.includes('True')) return 'True';
  return all.some((one) => one !== 'False') ? 'Unknown' : 'False';
};

export const isGoing = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

/** The AWSMachine that the tags of a resource name. */
export const madeFor = (mirror: Mirror, tags: Parameters<typeof tagOf>[0]): AWSMachine | undefined => {
  const { machine: path = '', uid } = machineIn(tags);
  const [namespace = '', name = ''] = path.split('/');
  const machine = mirror.get<AWSMachine>('AWSMachine', namespace, name);
  return machine?.metadata.uid === uid ? machine : undefined;
};

/** The token with which the host of a KubeadmConfig joins. */
export const joinTokenOf = (mirror: Pick<Mirror, 'get'>, { metadata, spec }: KubeadmConfig): string | undefined => {
  const secret = mirror.get<Secret>('Secret', metadata.namespace ?? '', metadata.name);
  return secretValue(secret, 'token') ?? spec?.joinConfiguration?.discovery?.bootstrapToken?.token;
};

export const controlled = <T extends KubeObject>(
  mirror: Mirror,
  kind: string,
  { metadata: { uid } }: KubeObject,
): T[] =>
  mirror
    .all<T>(kind)
    .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid));

export const clusterOf = (mirror: Mirror, { kind, metadata }: KubeObject): Cluster | undefined =>
  mirror.get<Cluster>(
    'Cluster',
    metadata.namespace!,
    kind === 'Cluster' ? metadata.name : (metadata.labels?.[clusterName] ?? ''),
  );

export const infrastructureOf = (mirror: Pick<Mirror, 'get'>, cluster: Cluster | undefined): AWSCluster | undefined =>
  mirror.get('AWSCluster', cluster?.metadata.namespace ?? '', cluster?.spec?.infrastructureRef?.name ?? '');
/** The AWSMachine of a Machine. */
export const hostOf = (mirror: Pick<Mirror, 'get'>, { metadata, spec }: Machine): AWSMachine | undefined =>
  mirror.get('AWSMachine', metadata.namespace ?? '', spec?.infrastructureRef?.name ?? '');

export const isPaused = (mirror: Mirror, object: KubeObject): boolean =>
  clusterOf(mirror, object)?.spec?.paused === true || pausedBy in (object.metadata.annotations ?? {});

/** Whether its cluster has the target Build and is neither paused nor in deletion. */
export const isWorkedOn = (mirror: Mirror, object: KubeObject): boolean => {
  const cluster = clusterOf(mirror, object);
  if (!cluster || isGoing(cluster) || isPaused(mirror, object)) return false;
  return cluster.metadata.annotations?.['capstan.dev/target'] === 'Build';
};

/** Its host ends in any case, or pods wait for another one, so its replacement does not wait for that. */
export const isTakenAway = ({ metadata, status }: Machine): boolean =>
  metadata.deletionTimestamp !== undefined &&
  (metadata.annotations?.['capstan.dev/replaced-while-draining'] === 'true' ||
    status?.conditions?.some((one) => ['HostInterrupted', 'HostAtRisk'].includes(one.type) && one.status === 'True') ===
      true);

/**
 * Whether a restore of etcd has this control-plane Machine deleted: it is of before, or the first one
 * on the snapshot, which a user may delete. Neither leaves etcd, because no etcd is left to leave.
 */
export const isStoppedByRestore = (mirror: Mirror, machine: KubeObject): boolean => {
  const cluster = clusterOf(mirror, machine);
  const { kind = '', name = '' } = cluster?.spec?.controlPlaneRef ?? {};
  const controlPlane = mirror.get(kind, machine.metadata.namespace ?? '', name);
  const restore = cluster && controlPlane && restoringOf(cluster, controlPlane);
  return restore !== undefined && (!isOfRestore(machine, restore) || restore.step === 'First');
};

/** What operations let each object of a cluster work towards, by kind and name. */
export const objectTargetsOf = ({ metadata }: KubeObject): Record<string, { target: string }> =>
  JSON.parse(metadata.annotations?.['capstan.dev/object-targets'] ?? '{}') as Record<string, { target: string }>;
