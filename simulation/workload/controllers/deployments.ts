import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { equal } from '../../../machinery/api/merge.ts';
import {
  type DeploymentObject,
  type PodTemplate,
  type ReplicaSetObject,
  resolve,
  type StatusCondition,
  withCondition,
} from '../objects.ts';
import { type ClusterController, hash, type Plan, safeText } from '../world.ts';
import { ownedBy, ownerReference } from './pods-of.ts';

const type = 'replicasets.apps';
const hashLabel = 'pod-template-hash';
const revisionAnnotation = 'deployment.kubernetes.io/revision';

const bare = ({ metadata, ...template }: PodTemplate): PodTemplate => {
  const { [hashLabel]: _, ...labels } = metadata?.labels ?? {};
  return { ...template, metadata: { ...metadata, labels } };
};
const count = (set: ReplicaSetObject | undefined, field: string): number => Number(set?.status?.[field] ?? 0);
const replicasOf = (set: ReplicaSetObject): number => set.spec?.replicas ?? 0;
const sum = (sets: ReplicaSetObject[], of: (set: ReplicaSetObject) => number): number =>
  sets.reduce((total, set) => total + of(set), 0);
const revisionOf = (set: ReplicaSetObject): number => Number(set.metadata.annotations?.[revisionAnnotation] ?? 0);

const newSet = (deployment: DeploymentObject, replicas: number, revision: number): ReplicaSetObject => {
  const { selector, template } = deployment.spec!;
  const digest = safeText(hash(JSON.stringify(template)));
  const labels = { ...template.metadata?.labels, [hashLabel]: digest };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name}-${digest}`,
      namespace: deployment.metadata.namespace ?? '',
      labels,
      annotations: { [revisionAnnotation]: String(revision) },
      ownerReferences: [ownerReference(deployment)],
    },
    spec: {
      replicas,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: digest } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
};

interface Bounds {
  wanted: number;
  surge: number;
  unavailable: number;
}
const boundsOf = ({ spec }: DeploymentObject): Bounds => {
  const wanted = spec?.replicas ?? 1;
  if (spec?.strategy?.type === 'Recreate') return { wanted, surge: 0, unavailable: wanted };
  const { maxSurge = '25%', maxUnavailable = '25%' } = spec?.strategy?.rollingUpdate ?? {};
  const surge = resolve(maxSurge, wanted, 'up');
  const unavailable = resolve(maxUnavailable, wanted, 'down');
  return { wanted, surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
};

/** New replica counts of the sets that must change. */
const rolled = (current: ReplicaSetObject, old: ReplicaSetObject[], bounds: Bounds, recreate: boolean) => {
  const next = new Map<ReplicaSetObject, number>();
  const total = replicasOf(current) + sum(old, replicasOf);
  if (recreate) {
    for (const set of old) next.set(set, 0);
    if (sum(old, (set) => count(set, 'replicas')) === 0) next.set(current, bounds.wanted);
    return next;
  }
  const room = Math.max(0, bounds.wanted + bounds.surge - total);
  const goal =
    old.length === 0 || replicasOf(current) > bounds.wanted
      ? bounds.wanted
      : Math.min(bounds.wanted, replicasOf(current) + room);
  next.set(current, goal);
  const available = sum([current, ...old], (set) => count(set, 'availableReplicas'));
  const unavailableNew = replicasOf(current) - count(current, 'availableReplicas');
  let surplus = Math.min(
    Math.max(0, total - (bounds.wanted - bounds.unavailable) - unavailableNew),
    Math.max(0, available - (bounds.wanted - bounds.unavailable)) +
      sum(old, (set) => Math.max(0, replicasOf(set) - count(set, 'availableReplicas'))),
  );
  for (const set of old) {
    const less = Math.min(surplus, replicasOf(set));
    next.set(set, replicasOf(set) - less);
    surplus -= less;
  }
  return next;
};

const statusOf = (
  deployment: DeploymentObject,
  current: ReplicaSetObject | undefined,
  all: ReplicaSetObject[],
  now: number,
) => {
  const { wanted, unavailable } = boundsOf(deployment);
  const replicas = sum(all, (set) => count(set, 'replicas'));
  const ready = sum(all, (set) => count(set, 'readyReplicas'));
  const available = sum(all, (set) => count(set, 'availableReplicas'));
  const updated = count(current, 'replicas');
  const done = updated >= wanted && replicas === updated && available >= wanted;
  let conditions = deployment.status?.conditions as StatusCondition[] | undefined;
  const set = (condition: StatusCondition) => {
    const before = conditions?.find(({ type: name }) => name === condition.type);
    if (before?.status === condition.status && before.reason === condition.reason) return;
    conditions = withCondition(conditions, { ...condition, lastUpdateTime: timestamp(now) }, now);
  };
  set(
    available >= wanted - unavailable
      ? {
          type: 'Available',
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        }
      : {
          type: 'Available',
          status: 'False',
          reason: 'MinimumReplicasUnavailable',
          message: 'Deployment does not have minimum availability.',
        },
  );
  const name = current?.metadata.name ?? '';
  set(
    done
      ? {
          type: 'Progressing',
          status: 'True',
          reason: 'NewReplicaSetAvailable',
          message: `ReplicaSet "${name}" has successfully progressed.`,
        }
      : {
          type: 'Progressing',
          status: 'True',
          reason: 'ReplicaSetUpdated',
          message: `ReplicaSet "${name}" is progressing.`,
        },
  );
  const missing = Math.max(0, wanted - available);
  return {
    observedGeneration: deployment.metadata.generation,
    ...(replicas > 0 && { replicas }),
    ...(updated > 0 && { updatedReplicas: updated }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
    ...(missing > 0 && { unavailableReplicas: missing }),
    conditions,
  };
};

const rollout = (deployment: DeploymentObject, sets: ReplicaSetObject[], plan: Plan): ReplicaSetObject | undefined => {
  const { template, strategy, paused, revisionHistoryLimit = 10 } = deployment.spec!;
  const current = sets.find((set) => equal(bare(set.spec!.template), bare(template)));
  const old = sets.filter((set) => set !== current);
  const bounds = boundsOf(deployment);
  const recreate = strategy?.type === 'Recreate';
  const latest = Math.max(0, ...sets.map(revisionOf));
  if (!current) {
    if (paused) return undefined;
    const first = old.every((set) => replicasOf(set) === 0);
    const room = Math.max(0, bounds.wanted + bounds.surge - sum(old, replicasOf));
    plan.create(
      type,
      newSet(deployment, first ? bounds.wanted : recreate ? 0 : Math.min(bounds.wanted, room), latest + 1),
    );
    return undefined;
  }
  if (paused) return current;
  for (const [set, replicas] of rolled(
    current,
    old.filter((s) => replicasOf(s) > 0 || count(s, 'replicas') > 0),
    bounds,
    recreate,
  )) {
    const revision =
      set === current && old.some((other) => revisionOf(other) > revisionOf(current)) ? latest + 1 : revisionOf(set);
    if (replicasOf(set) === replicas && revisionOf(set) === revision) continue;
    const generation = (set.metadata.generation ?? 1) + (replicasOf(set) === replicas ? 0 : 1);
    plan.update(type, {
      ...set,
      metadata: {
        ...set.metadata,
        generation,
        annotations: { ...set.metadata.annotations, [revisionAnnotation]: String(revision) },
      },
      spec: { ...set.spec!, replicas },
    });
  }
  const idle = old.filter((set) => replicasOf(set) === 0 && count(set, 'replicas') === 0);
  if (count(current, 'availableReplicas') >= bounds.wanted)
    for (const set of idle
      .sort((a, b) => revisionOf(a) - revisionOf(b))
      .slice(0, Math.max(0, idle.length - revisionHistoryLimit)))
      plan.remove(type, set);
  return current;
};

export const deployments: ClusterController = (world, plan) => {
  const sets = world.list<ReplicaSetObject>(type);
  for (const deployment of world.list<DeploymentObject>('deployments.apps')) {
    if (deployment.metadata.deletionTimestamp || !deployment.spec) continue;
    const own = ownedBy(deployment, sets);
    const current = rollout(deployment, own, plan);
    const status = statusOf(deployment, current, own, world.now);
    const revision = current?.metadata.annotations?.[revisionAnnotation];
    const annotations = revision
      ? { ...deployment.metadata.annotations, [revisionAnnotation]: revision }
      : deployment.metadata.annotations;
    const next = { ...deployment, metadata: { ...deployment.metadata, ...(annotations && { annotations }) }, status };
    if (!equal(next, deployment)) plan.update('deployments.apps', next);
  }
};
