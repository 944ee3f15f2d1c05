import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { isPodReady, type PodObject, type StatefulSetObject } from '../objects.ts';
import { type ClusterController, hash, type Plan, safeText, type World } from '../world.ts';
import { isFinished, ownedBy, podOf } from './pods-of.ts';

const hashLabel = 'controller-revision-hash';
const claims = 'persistentvolumeclaims';

const ordinalPod = (set: StatefulSetObject, ordinal: number, revision: string): PodObject => {
  const { template, serviceName, volumeClaimTemplates = [] } = set.spec!;
  const name = `${set.metadata.name}-${ordinal}`;
  const pod = podOf(set, name, template, {
    [hashLabel]: revision,
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(ordinal),
  });
  const volumes = volumeClaimTemplates.map(({ metadata }) => ({
    name: metadata.name,
    persistentVolumeClaim: { claimName: `${metadata.name}-${name}` },
  }));
  const own = (pod.spec?.volumes ?? []).filter((volume) => !volumes.some((claim) => claim.name === volume.name));
  return {
    ...pod,
    spec: {
      ...pod.spec,
      hostname: name,
      ...(serviceName && { subdomain: serviceName }),
      ...(volumes.length + own.length > 0 && { volumes: [...own, ...volumes] }),
    },
  };
};

const claim = (set: StatefulSetObject, template: KubeObject, name: string, world: World, plan: Plan): void => {
  const namespace = set.metadata.namespace ?? '';
  const claimName = `${template.metadata.name}-${name}`;
  const exists = world
    .list(claims)
    .some(({ metadata }) => metadata.namespace === namespace && metadata.name === claimName);
  if (exists) return;
  plan.create(claims, {
    ...template,
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...template.metadata, name: claimName, namespace, labels: { ...set.spec!.selector.matchLabels } },
  });
};

const reconcile = (set: StatefulSetObject, all: PodObject[], world: World, plan: Plan): void => {
  const { replicas = 1, template, podManagementPolicy, updateStrategy, volumeClaimTemplates = [] } = set.spec!;
  const digest = safeText(hash(JSON.stringify(template)));
  const own = ownedBy(set, all);
  const byName = new Map(own.map((pod) => [pod.metadata.name, pod]));
  const ordered = podManagementPolicy !== 'Parallel';
  const podAt = (ordinal: number) => byName.get(`${set.metadata.name}-${ordinal}`);
  let settled = true;
  for (let ordinal = 0; ordinal < replicas; ordinal++) {
    const pod = podAt(ordinal);
    if (!pod) {
      for (const of of volumeClaimTemplates) claim(set, of, `${set.metadata.name}-${ordinal}`, world, plan);
      plan.create('pods', ordinalPod(set, ordinal, digest));
    } else if (isFinished(pod)) plan.terminate(pod, world.now);
    if (!pod || !isPodReady(pod) || pod.metadata.deletionTimestamp) {
      settled = false;
      if (ordered) break;
    }
  }
  const ordinalOf = (pod: PodObject) => Number(pod.metadata.name.slice(set.metadata.name.length + 1));
  const surplus = own.filter((pod) => ordinalOf(pod) >= replicas).sort((a, b) => ordinalOf(b) - ordinalOf(a));
  if (surplus.length && (settled || !ordered))
    for (const pod of ordered ? surplus.slice(0, 1) : surplus) plan.terminate(pod, world.now);
  if (settled && surplus.length === 0 && updateStrategy?.type !== 'OnDelete') {
    const partition = updateStrategy?.rollingUpdate?.partition ?? 0;
    const old = own
      .filter((pod) => pod.metadata.labels?.[hashLabel] !== digest && ordinalOf(pod) >= partition)
      .sort((a, b) => ordinalOf(b) - ordinalOf(a));
    if (old[0]) plan.terminate(old[0], world.now);
  }
  const live = own.filter((pod) => !pod.metadata.deletionTimestamp);
  const ready = live.filter(isPodReady).length;
  const updated = live.filter((pod) => pod.metadata.labels?.[hashLabel] === digest).length;
  const revision = `${set.metadata.name}-${digest}`;
  const status = {
    observedGeneration: set.metadata.generation,
    replicas: live.length,
    ...(ready > 0 && { readyReplicas: ready }),
    availableReplicas: ready,
    ...(updated > 0 && { currentReplicas: updated, updatedReplicas: updated }),
    currentRevision: updated === live.length ? revision : (set.status?.currentRevision ?? revision),
    updateRevision: revision,
    collisionCount: 0,
  };
  if (!equal(status, set.status)) plan.update('statefulsets.apps', { ...set, status });
};

export const statefulSets: ClusterController = (world, plan) => {
  const pods = world.list<PodObject>('pods');
  for (const set of world.list<StatefulSetObject>('statefulsets.apps'))
    if (!set.metadata.deletionTimestamp && set.spec) reconcile(set, pods, world, plan);
};
