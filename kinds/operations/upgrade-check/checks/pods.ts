/** The Pods that a drain evicts. Pure. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { controllerOf } from '../../../common/owners.ts';
import { isDeleting } from '../../../core/contract/machines.ts';
import type { Machine } from '../../../core/machine/index.ts';
import { type Finding, nameOf, ofWorkload, type UpgradeFacts } from './facts.ts';
import { isReplaced } from './replaced.ts';

const mirror = 'kubernetes.io/config.mirror';
const drainLabel = 'cluster.x-k8s.io/drain';

export const isStatic = ({ metadata }: KubeObject): boolean => metadata.annotations?.[mirror] !== undefined;
const phaseOf = ({ status }: KubeObject): string => (status as { phase?: string } | undefined)?.phase ?? '';
export const isRunning = (pod: KubeObject): boolean => !['Succeeded', 'Failed'].includes(phaseOf(pod));
export const nodeNameOf = ({ spec }: KubeObject): string | undefined =>
  (spec as { nodeName?: string } | undefined)?.nodeName;

const isSkipped = ({ metadata }: KubeObject): boolean => metadata.labels?.[drainLabel]?.toLowerCase() === 'skip';

/** Whether a drain evicts the Pod, and the Eviction API asks its budgets. */
export const isBudgeted = (pod: KubeObject): boolean =>
  isRunning(pod) &&
  phaseOf(pod) !== 'Pending' &&
  !isStatic(pod) &&
  !isSkipped(pod) &&
  controllerOf(pod)?.kind !== 'DaemonSet';

const hasDrainTimeout = ({ spec }: Machine): boolean => (spec?.deletion?.nodeDrainTimeoutSeconds ?? 0) > 0;

const skipsDrain = ({ spec }: KubeObject): boolean =>
  (spec as { drain?: { behavior?: string } } | undefined)?.drain?.behavior === 'Skip';

/**
 * Whether a drain of the upgrade waits for the Pod without end. It does not if the Pod's Machine
 * stays or has a timeout, and it may not if a MachineDrainRule skips Pods.
 */
export const isAwaited = (facts: UpgradeFacts): ((pod: KubeObject) => boolean) => {
  if (facts.drainRules?.some(skipsDrain)) return () => false;
  const byNode = new Map(facts.machines.map((machine) => [machine.status?.nodeRef?.name, machine]));
  return (pod) => {
    const node = nodeNameOf(pod);
    if (node === undefined) return true;
    const machine = byNode.get(node);
    if (!machine || isDeleting(machine)) return false;
    return !hasDrainTimeout(machine) && isReplaced(facts, machine);
  };
};

export const checkBarePods = ofWorkload(({ pods }) =>
  pods
    .filter((pod) => isRunning(pod) && !controllerOf(pod) && !isStatic(pod))
    .map((pod) => ({
      code: 'PodWithoutController',
      level: 'Warn',
      object: nameOf(pod, true),
      message: 'It is not created again after it was evicted',
      remedy: 'Run it under a Deployment, StatefulSet or Job',
    })),
);

const safeToEvict = 'cluster-autoscaler.kubernetes.io/safe-to-evict';

/** One finding for each controller: its Pods share their template. */
export const checkUnsafePods = ofWorkload(({ pods }) => {
  const unsafe = pods.filter((pod) => isBudgeted(pod) && pod.metadata.annotations?.[safeToEvict] === 'false');
  const byController = Map.groupBy(unsafe, (pod) => {
    const { kind, name } = controllerOf(pod) ?? { kind: 'Pod', name: pod.metadata.name };
    return `${kind} ${pod.metadata.namespace}/${name}`;
  });
  return [...byController].map(
    ([object, all]): Finding => ({
      code: 'PodNotSafeToEvict',
      level: 'Warn',
      object,
      message: `A drain evicts its ${all.length} Pods, although their annotation ${safeToEvict} is false`,
      remedy: `Let them finish first, or label them ${drainLabel}: wait-completed`,
    }),
  );
});

export const checkNodes = ofWorkload(({ nodes }) =>
  nodes
    .filter(({ spec }) => (spec as { unschedulable?: boolean } | undefined)?.unschedulable === true)
    .map((node) => ({
      code: 'NodeCordoned',
      level: 'Warn',
      object: nameOf(node),
      message: 'It takes no Pods, so drained Pods have less room',
      remedy: `kubectl uncordon ${node.metadata.name}`,
    })),
);
