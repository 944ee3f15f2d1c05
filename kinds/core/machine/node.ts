/** The Node of a Machine as the last probe of its cluster saw it. Pure. */
import type { WorkloadNode, WorkloadSnapshot } from '../../ports/workload.ts';

export const nodesOf = (snapshot: WorkloadSnapshot | undefined, providerID: string | undefined): WorkloadNode[] =>
  providerID ? (snapshot?.nodes ?? []).filter((node) => node.providerID === providerID) : [];

const unreachable = 'node.kubernetes.io/unreachable';
export const isUnreachable = ({ taints }: Pick<WorkloadNode, 'taints'>): boolean =>
  taints.some(({ key }) => key === unreachable);

const systemFacts = [
  'architecture',
  'bootID',
  'containerRuntimeVersion',
  'kernelVersion',
  'kubeProxyVersion',
  'kubeletVersion',
  'machineID',
  'operatingSystem',
  'osImage',
  'systemUUID',
] as const;
export const nodeInfoOf = ({ nodeInfo }: WorkloadNode): Record<(typeof systemFacts)[number], string> =>
  Object.fromEntries(systemFacts.map((fact) => [fact, nodeInfo[fact] ?? ''])) as Record<
    (typeof systemFacts)[number],
    string
  >;
