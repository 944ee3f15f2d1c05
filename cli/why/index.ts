/** `capstan why`: what is wrong, from what a user sees down to the cause that nothing else explains. */
import { type Cause, causesOf, causesOfCluster, type Graph } from '../../kinds/common/causes/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { ApiClient } from '../client.ts';
import { CliError } from '../errors.ts';
import type { Print } from '../output.ts';
import type { readPresent } from '../scale/stored.ts';
import { clusterNameOf, readGraphs, readLoneGraph, type Scope } from './load.ts';
import { findPodCauses, isPod, type PodReport, renderPlaced } from './pod.ts';
import { dataOf, type Report, renderCauses, renderReports } from './render.ts';
import { type Resource, readOne, readResources } from './resources.ts';

export interface WhyOptions {
  namespace?: string;
  allNamespaces?: boolean;
  /** The workload cluster of a pod. */
  cluster?: string;
  output?: 'json';
}

interface Sources {
  now?: number;
  readInputs?: typeof readPresent;
}

const resourceNamed = (resources: readonly Resource[], word: string): Resource => {
  const [name = '', ...group] = word.toLowerCase().split('.');
  const found = resources.find(
    ({ names, apiVersion }) =>
      names.includes(name) && (group.length === 0 || apiVersion.startsWith(`${group.join('.')}/`)),
  );
  if (found) return found;
  throw new CliError(`the server serves no kind ${word}: see kubectl api-resources`, 2);
};

const find = async (client: ApiClient, resource: Resource, namespace: string, name: string): Promise<KubeObject> => {
  const found = await readOne(client, resource, namespace, name);
  const of = `${resource.plural}.${resource.apiVersion.split('/').at(0)} "${name}"`;
  if (found === undefined) throw new CliError(`you may not read ${of}`);
  if (found === 'absent')
    throw new CliError(`${of} not found${resource.namespaced ? ` in namespace ${namespace}` : ''}`);
  return found;
};

const graphAround = async (
  client: ApiClient,
  resources: readonly Resource[],
  object: KubeObject,
  now: number,
): Promise<Graph> => {
  const clusterName = clusterNameOf(object);
  const { namespace } = object.metadata;
  const [graph] =
    clusterName === undefined || namespace === undefined
      ? []
      : await readGraphs(client, { namespace, clusterName }, now);
  return graph ?? readLoneGraph(client, resources, object, now);
};

/** The causes of one object, and the object as it was read with them. */
export const findCauses = async (
  client: ApiClient,
  kind: string,
  name: string,
  namespace: string,
  now: number,
): Promise<{ object: KubeObject; causes: Cause[] }> => {
  const resources = await readResources(client);
  const resource = resourceNamed(resources, kind);
  const found = await find(client, resource, namespace, name);
  const graph = await graphAround(client, resources, found, now);
  const object = graph.get(resource.kind, name) ?? found;
  return { object, causes: object === graph.cluster ? causesOfCluster(graph) : causesOf(object, graph) };
};

/** The causes of each cluster in a scope. */
export const findReports = async (client: ApiClient, scope: Scope, now: number): Promise<Report[]> => {
  const graphs = await readGraphs(client, scope, now);
  return graphs.map((graph) => ({ object: graph.cluster!, causes: causesOfCluster(graph) }));
};

const targetOf = (args: readonly string[]): [kind: string, name: string] => {
  const [first = '', second, ...more] = args;
  if (second !== undefined && more.length === 0) return [first, second];
  const [kind, ...name] = first.split('/');
  // The name of a pod may begin with its namespace.
  const most = kind && isPod(kind) ? 2 : 1;
  if (kind && name.length > 0 && name.length <= most && name.every(Boolean)) return [kind, name.join('/')];
  return ['cluster', first];
};

export const why = async (
  client: ApiClient,
  args: readonly string[],
  { namespace = client.namespace, allNamespaces = false, cluster, output }: WhyOptions,
  print: Print = console.log,
  { now = Date.now(), readInputs }: Sources = {},
): Promise<void> => {
  const json = (data: object) => print(JSON.stringify(data, null, 2));
  if (args.length === 0) {
    if (cluster !== undefined) throw new CliError('--cluster says where a pod is: name the pod, or leave it out', 2);
    const reports = await findReports(client, allNamespaces ? {} : { namespace }, now);
    return output ? json({ items: reports.map(dataOf) }) : print(renderReports(reports, now));
  }
  if (allNamespaces) throw new CliError('-A asks about all clusters: leave out the name', 2);
  const [kind, name] = targetOf(args);
  if (!isPod(kind) && cluster !== undefined) throw new CliError('--cluster says where a pod is: leave it out', 2);
  if (isPod(kind) && cluster === undefined)
    throw new CliError(`pods are in workload clusters: capstan why pod ${name} --cluster NAME`, 2);
  const report: PodReport = isPod(kind)
    ? await findPodCauses(client, name, { namespace, cluster: cluster! }, now, readInputs)
    : await findCauses(client, kind, name, namespace, now);
  const { object, causes, node } = report;
  if (output) return json(dataOf(report));
  print(
    node !== undefined && causes.length === 0
      ? renderPlaced(object, node)
      : renderCauses(object, causes, now, process.stdout.columns),
  );
};
