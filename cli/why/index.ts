/** `capstan why`: what is wrong, from what a user sees down to the cause that nothing else explains. */
import { type Cause, causesOf, causesOfCluster, type Graph } from '../../kinds/common/causes/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { ApiClient } from '../client.ts';
import { CliError } from '../errors.ts';
import type { Print } from '../output.ts';
import { clusterNameOf, readGraphs, readLoneGraph, type Scope } from './load.ts';
import { dataOf, type Report, renderCauses, renderReports } from './render.ts';
import { type Resource, readOne, readResources } from './resources.ts';

export interface WhyOptions {
  namespace?: string;
  allNamespaces?: boolean;
  output?: 'json';
}

const resourceNamed = (resources: readonly Resource[], word: string): Resource => {
  const [name = '', ...group] = word.toLowerCase().split('.');
  const found = resources.find(
    ({ names, apiVersion }) =>
      names.includes(name) && (group.length === 0 || apiVersion.startsWith(`${group.join('.')}/`)),
  );
  if (found) return found;
  if (['po', 'pod', 'pods'].includes(name))
    throw new CliError(
      'pods are in workload clusters: capstan scale explain POD --cluster NAME says why one has no node',
      2,
    );
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
  const [kind, name, ...rest] = first.split('/');
  if (kind && name && rest.length === 0) return [kind, name];
  return ['cluster', first];
};

export const why = async (
  client: ApiClient,
  args: readonly string[],
  { namespace = client.namespace, allNamespaces = false, output }: WhyOptions,
  print: Print = console.log,
  now = Date.now(),
): Promise<void> => {
  const json = (data: object) => print(JSON.stringify(data, null, 2));
  if (args.length > 0) {
    if (allNamespaces) throw new CliError('-A asks about all clusters: leave out the name', 2);
    const report = await findCauses(client, ...targetOf(args), namespace, now);
    return output
      ? json(dataOf(report))
      : print(renderCauses(report.object, report.causes, now, process.stdout.columns));
  }
  const reports = await findReports(client, allNamespaces ? {} : { namespace }, now);
  return output ? json({ items: reports.map(dataOf) }) : print(renderReports(reports, now));
};
