/** Pods and their owners: creates pods from templates, finds them, chooses which to delete. */
import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import { controllerOf, isPodReady, type PodObject, type PodTemplate, selects } from '../objects.ts';

export const ownerReference = (owner: KubeObject) => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});

/** A pod of a template. The template's labels are overlaid with `labels`. */
export const podOf = (
  owner: KubeObject,
  name: string,
  template: PodTemplate,
  labels: Record<string, string> = {},
): PodObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: owner.metadata.namespace ?? '',
    labels: { ...template.metadata?.labels, ...labels },
    ...(template.metadata?.annotations && { annotations: template.metadata.annotations }),
    ...(template.metadata?.finalizers && { finalizers: template.metadata.finalizers }),
    ownerReferences: [ownerReference(owner)],
  },
  spec: { ...template.spec },
});

/** Objects that it controls, including those in deletion. */
export const ownedBy = <T extends KubeObject>(owner: KubeObject, objects: T[]): T[] =>
  objects.filter((object) => controllerOf(object)?.uid === owner.metadata.uid);

/** Orphans in its namespace that its selector matches. */
export const orphansOf = (owner: KubeObject, selector: LabelSelector | undefined, pods: PodObject[]): PodObject[] =>
  pods.filter(
    (pod) =>
      pod.metadata.namespace === owner.metadata.namespace &&
      !controllerOf(pod) &&
      !pod.metadata.deletionTimestamp &&
      selects(selector, pod.metadata.labels),
  );

export const isFinished = ({ status }: PodObject): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Cheapest to delete first: unscheduled, not ready, youngest. */
export const expendableFirst = (a: PodObject, b: PodObject): number =>
  Number(Boolean(a.spec?.nodeName)) - Number(Boolean(b.spec?.nodeName)) ||
  Number(isPodReady(a)) - Number(isPodReady(b)) ||
  (a.metadata.creationTimestamp! < b.metadata.creationTimestamp! ? 1 : -1);
