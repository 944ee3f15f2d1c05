/** The state of a workload cluster as a scaling decision sees it. Pure. */
import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import type { Pod, PodShape, Snapshot } from '../plan/types.ts';
import { claimsOf, type VolumeObjects } from './claims.ts';
import { type NodeObject, nodeOf, volumeLimits } from './node.ts';
import { type PodObject, podOf, shapeOf } from './pod.ts';

export type ClusterObjects = VolumeObjects & {
  nodes: readonly KubeObject[];
  pods: readonly KubeObject[];
  daemonSets: readonly KubeObject[];
  budgets: readonly KubeObject[];
  namespaces: readonly KubeObject[];
  csiNodes: readonly KubeObject[];
};

/** Pods of one workload share one shape, so that a pod takes few bytes and classes are found quickly. */
export const podsOf = (objects: readonly KubeObject[]): Pod[] => {
  const shapes = new Map<string, PodShape>();
  return objects.map((object) => {
    const pod = podOf(object as PodObject);
    const text = JSON.stringify(pod.shape);
    const shape = shapes.get(text) ?? pod.shape;
    shapes.set(text, shape);
    return { ...pod, shape };
  });
};

const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? 'default';

const daemonSetOf = (object: KubeObject): Snapshot['daemonSets'][number] => {
  const { template } = object.spec as { template: { metadata?: object; spec?: PodObject['spec'] } };
  const pod = { ...object, metadata: { ...template.metadata, name: object.metadata.name }, spec: template.spec };
  return { namespace: namespaceOf(object), name: object.metadata.name, shape: shapeOf(pod as PodObject) };
};

const budgetOf = (object: KubeObject): Snapshot['budgets'][number] => {
  const { selector } = (object.spec ?? {}) as { selector?: LabelSelector };
  const { disruptionsAllowed = 0 } = (object.status ?? {}) as { disruptionsAllowed?: number };
  return {
    namespace: namespaceOf(object),
    name: object.metadata.name,
    ...(selector && { selector }),
    disruptionsAllowed,
  };
};

const nodesOf = ({ nodes, csiNodes }: ClusterObjects): Snapshot['nodes'] => {
  const limits = new Map(csiNodes.map((one) => [one.metadata.name, volumeLimits(one)]));
  return nodes.map((node) => nodeOf(node as NodeObject, limits.get(node.metadata.name)));
};

export const snapshotOf = (objects: ClusterObjects, pods: Pod[], conflict: string | undefined): Snapshot => ({
  nodes: nodesOf(objects),
  pods,
  daemonSets: objects.daemonSets.map(daemonSetOf),
  budgets: objects.budgets.map(budgetOf),
  claims: claimsOf(pods, objects),
  namespaces: Object.fromEntries(objects.namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}])),
  ...(conflict !== undefined && { conflict }),
});
