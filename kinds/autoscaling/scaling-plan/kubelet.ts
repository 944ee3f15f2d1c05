/** What a bootstrap configuration of kubeadm's form says of the nodes that it makes. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { pairs, taintsIn } from '../../common/autoscale/declared.ts';
import { parseQuantity } from '../../common/quantity.ts';
import { amounts } from '../plan/requests.ts';
import type { Resources, Taint } from '../plan/types.ts';

type NodeRegistration = { taints?: Taint[]; kubeletExtraArgs?: { name: string; value?: string }[] };

export type KubeletFacts = {
  labels: Record<string, string>;
  taints: Taint[];
  maxPods?: number;
  /** What the kubelet keeps for itself and the system. */
  reserved: Resources;
  /** Bytes of free memory below which it evicts pods. */
  evictionMemory?: number;
};

const registrationOf = (bootstrap: KubeObject | undefined): NodeRegistration => {
  type Spec = { template?: { spec?: { joinConfiguration?: { nodeRegistration?: NodeRegistration } } } };
  return (bootstrap?.spec as Spec | undefined)?.template?.spec?.joinConfiguration?.nodeRegistration ?? {};
};

const evictionIn = (text: string): number | undefined =>
  parseQuantity(/(?:^|,)\s*memory\.available<([^,%\s]+)\s*(?:,|$)/.exec(text)?.[1] ?? '');

const sum = (a: Resources, b: Resources): Resources =>
  Object.fromEntries(
    [...new Set([...Object.keys(a), ...Object.keys(b)])].map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]),
  );

export const kubeletFacts = (bootstrap: KubeObject | undefined): KubeletFacts => {
  const { taints = [], kubeletExtraArgs = [] } = registrationOf(bootstrap);
  // Of a repeated flag the kubelet keeps the last value.
  const flags = Object.fromEntries(kubeletExtraArgs.map(({ name, value = '' }) => [name, value]));
  const flag = (name: string): string => flags[name] ?? '';
  const reserved = (name: string) => amounts(Object.fromEntries(pairs(flag(name))));
  const evictionMemory = evictionIn(flag('eviction-hard'));
  const maxPods = parseQuantity(flag('max-pods'));
  return {
    labels: Object.fromEntries(pairs(flag('node-labels'))),
    // kubeadm passes its taints by the same flag, which extra arguments replace.
    taints: flags['register-with-taints'] === undefined ? taints : taintsIn(flag('register-with-taints')),
    ...(maxPods !== undefined && { maxPods }),
    reserved: sum(reserved('kube-reserved'), reserved('system-reserved')),
    ...(evictionMemory !== undefined && { evictionMemory }),
  };
};
