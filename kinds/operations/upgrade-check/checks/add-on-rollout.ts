/** Whether kube-proxy and CoreDNS run as the control plane wants them. Pure. */
import { conditionOf } from '../../../../machinery/api/conditions.ts';
import type { Condition, KubeObject } from '../../../../machinery/api/object.ts';
import { compareTags } from '../../../common/image-tag.ts';
import type { AddOnTags } from '../../../core/contract/control-plane.ts';
import { type Finding, nameOf } from './facts.ts';
import { nodeNameOf } from './pods.ts';

export interface AddOnFacts {
  /** What the control plane rolls out; undefined: it leaves the add-on alone. */
  tags: AddOnTags;
  /** Undefined if the cluster has none. */
  kubeProxy: KubeObject | undefined;
  coreDns: KubeObject | undefined;
  kubeProxyPods: readonly KubeObject[];
  nodes: readonly KubeObject[];
}

type Containers = { containers?: { name: string; image?: string }[] };
const tagIn = (spec: unknown, container: string): string | undefined => {
  const image = (spec as Containers | undefined)?.containers?.find(({ name }) => name === container)?.image;
  return image === undefined ? undefined : (/:([^:@/]+)(?:@|$)/.exec(image)?.[1] ?? '');
};
const templateOf = ({ spec }: KubeObject): unknown =>
  (spec as { template?: { spec?: unknown } } | undefined)?.template?.spec;
const conditionsOf = ({ status }: KubeObject): Condition[] =>
  (status as { conditions?: Condition[] } | undefined)?.conditions ?? [];
const isReady = (object: KubeObject): boolean => conditionOf(conditionsOf(object), 'Ready')?.status === 'True';

interface Counts {
  observedGeneration?: number;
  desiredNumberScheduled?: number;
  updatedNumberScheduled?: number;
  replicas?: number;
  updatedReplicas?: number;
}
const isObserved = ({ metadata, status }: KubeObject): boolean =>
  ((status as Counts | undefined)?.observedGeneration ?? 0) >= (metadata.generation ?? 0);

const waiting = (object: string, message: string, remedy: string): Finding => ({
  code: 'AddOnNotReady',
  level: 'Refuse',
  object,
  message,
  remedy,
});

const outdated = (workload: KubeObject, container: string, tag: string): Finding[] => {
  const current = tagIn(templateOf(workload), container);
  if (current === tag) return [];
  const skips = 'Let the control plane set it, or skip it by annotation of the KubeadmControlPlane';
  return [waiting(nameOf(workload, true), `Its image has the tag ${current ?? '(none)'}, not ${tag}`, skips)];
};

/** The Pods of kube-proxy on Ready Nodes that are not new and ready; a broken Node holds nothing up. */
export const kubeProxyPodsLeft = ({ tags, kubeProxyPods, nodes }: AddOnFacts): KubeObject[] => {
  const serving = new Set(nodes.filter(isReady).map(({ metadata }) => metadata.name));
  return kubeProxyPods.filter(
    (pod) => serving.has(nodeNameOf(pod) ?? '') && (tagIn(pod.spec, 'kube-proxy') !== tags.kubeProxy || !isReady(pod)),
  );
};

const kubeProxyIn = (facts: AddOnFacts): Finding[] => {
  const { tags, kubeProxy } = facts;
  if (tags.kubeProxy === undefined || !kubeProxy) return [];
  const old = outdated(kubeProxy, 'kube-proxy', tags.kubeProxy);
  if (old.length > 0) return old;
  const left = kubeProxyPodsLeft(facts);
  const [pod] = left;
  if (pod) {
    const more = left.length > 1 ? ` and ${left.length - 1} more` : '';
    const state = `Pod ${pod.metadata.name} on Node ${nodeNameOf(pod)}${more}`;
    return [waiting(nameOf(kubeProxy, true), `Not updated or not ready: ${state}`, 'Look at the Pod')];
  }
  return isObserved(kubeProxy) ? [] : [waiting(nameOf(kubeProxy, true), 'Its rollout has not begun', 'Wait for it')];
};

const coreDnsIn = ({ tags, coreDns }: AddOnFacts): Finding[] => {
  if (tags.coreDns === undefined || !coreDns) return [];
  const current = tagIn(templateOf(coreDns), 'coredns');
  const isKept = current !== tags.coreDns && (compareTags(current ?? '', tags.coreDns) ?? 1) > 0;
  const old = isKept ? [] : outdated(coreDns, 'coredns', tags.coreDns);
  if (old.length > 0) return old;
  const { replicas = 0, updatedReplicas = 0 } = (coreDns.status ?? {}) as Counts;
  const wanted = (coreDns.spec as { replicas?: number } | undefined)?.replicas ?? 1;
  const object = nameOf(coreDns, true);
  if (!isObserved(coreDns) || updatedReplicas < wanted || replicas > updatedReplicas)
    return [waiting(object, `${updatedReplicas} of ${wanted} Pods are updated`, 'Look at its Pods')];
  const available = conditionOf(conditionsOf(coreDns), 'Available');
  return available?.status === 'True'
    ? []
    : [waiting(object, `It is not Available${available?.message ? `: ${available.message}` : ''}`, 'Look at its Pods')];
};

export const checkAddOnRollout = (facts: AddOnFacts): Finding[] => [...kubeProxyIn(facts), ...coreDnsIn(facts)];
