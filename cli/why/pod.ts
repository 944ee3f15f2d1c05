/** `capstan why pod`: why a pod of a workload cluster has no node. */
import { podCauses, podObject } from '../../kinds/autoscaling/scaling-plan/pod-causes.ts';
import { causeRules } from '../../kinds/cause-rules.ts';
import { type Cause, causesOf, graphOf } from '../../kinds/common/causes/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { ApiClient } from '../client.ts';
import { CliError } from '../errors.ts';
import { podNamed } from '../scale/index.ts';
import { readPresent } from '../scale/stored.ts';
import { readGraphs } from './load.ts';

/** The names under which kubectl knows pods. */
export const isPod = (kind: string): boolean => ['po', 'pod', 'pods'].includes(kind.toLowerCase());

export interface PodReport {
  object: KubeObject;
  causes: Cause[];
  /** Absent: it has none. */
  node?: string;
}

interface PodOptions {
  /** Of the cluster. */
  namespace: string;
  cluster: string;
}

/** Reads the cluster once, as the autoscaler does. `name`: the pod's, or namespace/name. */
export const findPodCauses = async (
  client: ApiClient,
  name: string,
  { namespace, cluster }: PodOptions,
  now: number,
  read = readPresent,
): Promise<PodReport> => {
  const [inputs, graphs] = await Promise.all([
    read(client, cluster, namespace),
    readGraphs(client, { namespace, clusterName: cluster }, now),
  ]);
  const pod = podNamed(inputs, name);
  if (!pod) throw new CliError(`cluster ${cluster} has no pod ${name}: name it namespace/pod`);
  const object = podObject(pod);
  const graph = graphOf({
    objects: [...(graphs[0]?.objects ?? []), object],
    rules: [...causeRules, podCauses(pod, inputs)],
    now,
  });
  return { object, causes: causesOf(object, graph), ...(pod.node !== undefined && { node: pod.node }) };
};

/** A pod that has a node, whose troubles Capstan does not see. */
export const renderPlaced = ({ metadata: { namespace, name } }: KubeObject, node: string): string =>
  [
    `Pod ${namespace}/${name} has node ${node}.`,
    "If it does not start there, its Events say why. With the cluster's kubeconfig (capstan get kubeconfig):",
    '',
    `  kubectl describe pod ${name} -n ${namespace}`,
  ].join('\n');
