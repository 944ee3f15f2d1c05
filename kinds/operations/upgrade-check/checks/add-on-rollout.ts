/** Whether kube-proxy and CoreDNS run as the control plane wants them. Pure. */
import { conditionOf } from '../../../../machinery/api/conditions.ts';
import type { Condition, KubeObject } from '../../../../machinery/api/object.ts';
import { compareTags } from '../../../common/image-tag.ts';
import { amountOf } from '../../../common/proportion.ts';
import type { AddOnTags } from '../../../core/contract/control-plane.ts';
import { type Finding, nameOf } from './facts.ts';
import { nodeNameOf } from './pods.ts';

/** What the cluster has. */
export interface AddOns {
  /** What the control plane rolls out; undefined: it leaves the add-on alone. */
  tags: AddOnTags;
  /** Undefined if the cluster has none. */
  kubeProxy: KubeObject | undefined;
  coreDns: KubeObject | undefined;
  kubeProxyPods: readonly KubeObject[];
  nodes: readonly KubeObject[];
}
export interface AddOnFacts extends AddOns {
  /** Names of Nodes that the upgrade is going to replace. */
  replaced: ReadonlySet<string>;
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

type Strategy = { updateStrategy?: { rollingUpdate?: { maxUnavailable?: number | string } } };

/** Pods that the DaemonSet may have unavailable at once. */
const mostUnavailable = ({ spec }: KubeObject, pods: number): number => {
  const { maxUnavailable } = (spec as Strategy | undefined)?.updateStrategy?.rollingUpdate ?? {};
  return Math.max(1, amountOf(maxUnavailable, pods, Math.ceil, 1));
};

interface KubeProxyPods {
  /** Not new and ready. A Node that is not Ready, or is about to be replaced, holds nothing up. */
  left: KubeObject[];
  /** On Nodes that are not Ready. If they are as many as may be unavailable, no other Pod is updated. */
  blocking: KubeObject[];
}

const kubeProxyPodsIn = ({ tags, kubeProxy, kubeProxyPods, nodes, replaced }: AddOnFacts): KubeProxyPods => {
  const serving = new Set(nodes.filter(isReady).map(({ metadata }) => metadata.name));
  const open = kubeProxyPods.filter((pod) => tagIn(pod.spec, 'kube-proxy') !== tags.kubeProxy || !isReady(pod));
  const lost = open.filter((pod) => !serving.has(nodeNameOf(pod) ?? ''));
  return {
    left: open.filter((pod) => serving.has(nodeNameOf(pod) ?? '') && !replaced.has(nodeNameOf(pod) ?? '')),
    blocking: kubeProxy && lost.length >= mostUnavailable(kubeProxy, kubeProxyPods.length) ? lost : [],
  };
};

/** The Pods of kube-proxy that the step waits for. */
export const kubeProxyPodsLeft = (facts: AddOnFacts): KubeObject[] => {
  const { left, blocking } = kubeProxyPodsIn(facts);
  return blocking.length > 0 ? [] : left;
};

const podsText = ([pod, ...others]: readonly KubeObject[]): string =>
  `Pod ${pod?.metadata.name} on Node ${pod && nodeNameOf(pod)}${others.length > 0 ? ` and ${others.length} more` : ''}`;

const kubeProxyIn = (facts: AddOnFacts): Finding[] => {
  const { tags, kubeProxy } = facts;
  if (tags.kubeProxy === undefined || !kubeProxy) return [];
  const old = outdated(kubeProxy, 'kube-proxy', tags.kubeProxy);
  if (old.length > 0) return old;
  const { left, blocking } = kubeProxyPodsIn(facts);
  const object = nameOf(kubeProxy, true);
  if (left.length > 0 && blocking.length > 0)
    return [
      {
        code: 'AddOnBlocked',
        level: 'Warn',
        object,
        message: `Not updated yet: ${podsText(left)}. Its maxUnavailable is used up by ${podsText(blocking)}, which is not Ready`,
        remedy: 'It goes on when that Node is replaced or removed',
      },
    ];
  if (left.length > 0) return [waiting(object, `Not updated or not ready: ${podsText(left)}`, 'Look at the Pod')];
  return isObserved(kubeProxy) ? [] : [waiting(object, 'Its rollout has not begun', 'Wait for it')];
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
