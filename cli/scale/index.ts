/** `capstan scale`: the autoscaler's decision, made here and written nowhere. */
import { readFile } from 'node:fs/promises';
import { type Decision, type Inputs, type Pod, type Pool, plan } from '../../kinds/autoscaling/plan/index.ts';
import { decidedFor } from '../../kinds/autoscaling/scaling-plan/pod-causes.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { yamlDocuments } from '../../machinery/api/yaml.ts';
import type { ApiClient } from '../client.ts';
import { CliError } from '../errors.ts';
import type { Print } from '../output.ts';
import { simulatedPods } from './pods.ts';
import { decisionText, groupLines, poolText } from './render.ts';
import { readPresent } from './stored.ts';

export interface ScaleOptions {
  cluster: string;
  namespace?: string;
  output?: 'json';
}
export interface SimulateOptions extends ScaleOptions {
  filename: string;
}
export interface Sources {
  read?: typeof readPresent;
  print?: Print;
}

const readInputs = (client: ApiClient, { cluster, namespace }: ScaleOptions, { read = readPresent }: Sources) =>
  read(client, cluster, namespace ?? client.namespace);

const poolNamed = ({ pools }: Inputs, name: string): Pool | undefined =>
  pools.find(({ id }) => id === name || id.endsWith(`/${name}`));

export const podNamed = ({ snapshot }: Inputs, name: string): Pod | undefined => {
  const [namespace, pod] = name.includes('/') ? name.split('/') : ['default', name];
  return snapshot.pods.find((one) => one.namespace === namespace && one.name === pod);
};

const explainPod = (name: string, pod: Pod, inputs: Inputs): string => {
  if (pod.node !== undefined) return `${name} runs on node ${pod.node}`;
  if (pod.gated) return `${name} has scheduling gates, so that no scheduler places it`;
  if (!pod.unschedulable) return `${name} has not been marked Unschedulable by a scheduler`;
  const [group] = decidedFor(pod, inputs).pods;
  return group ? groupLines(group) : `${name} is no reason to scale yet`;
};

const asJson = (decision: Decision): string => {
  const { history: _, ...shown } = decision;
  return JSON.stringify(shown, null, 2);
};

/** Why a pod gets a node or none, or why a pool has the size that it has. */
export const explain = async (
  client: ApiClient,
  name: string,
  options: ScaleOptions,
  sources: Sources = {},
): Promise<void> => {
  const { print = console.log } = sources;
  const inputs = await readInputs(client, options, sources);
  const { conflict } = inputs.snapshot;
  const pool = poolNamed(inputs, name);
  const pod = pool === undefined ? podNamed(inputs, name) : undefined;
  if (!pool && !pod)
    throw new CliError(`${name} is neither a pool nor a pod of cluster ${options.cluster}: name pods namespace/pod`);
  if (options.output === 'json') return print(asJson(plan(inputs)));
  if (conflict) print(`Capstan writes nothing: ${conflict}\n`);
  print(pool ? poolText(plan(inputs), pool, inputs) : explainPod(name, pod!, inputs));
};

const objectsIn = async (file: string): Promise<KubeObject[]> => {
  const text = await readFile(file === '-' ? '/dev/stdin' : file, 'utf8').catch((error: Error) => {
    throw new CliError(`cannot read ${file}: ${error.message}`, 2);
  });
  const documents = yamlDocuments(text);
  const broken = documents.flatMap(({ errors }) => errors)[0];
  if (broken) throw new CliError(`${file} is not YAML: ${broken.message}`, 2);
  const objects = documents.map((document) => document.toJS() as KubeObject | null).filter((one) => one !== null);
  if (objects.length === 0) throw new CliError(`${file} contains no objects`, 2);
  return objects;
};

/** What would be decided if these pods existed as well, and no node were removed for them. */
export const simulate = async (client: ApiClient, options: SimulateOptions, sources: Sources = {}): Promise<void> => {
  const { print = console.log } = sources;
  const pods = simulatedPods(await objectsIn(options.filename));
  const inputs = await readInputs(client, options, sources);
  const { snapshot } = inputs;
  const decision = plan({ ...inputs, snapshot: { ...snapshot, pods: [...snapshot.pods, ...pods] } });
  if (snapshot.conflict && options.output !== 'json') print(`Capstan writes nothing: ${snapshot.conflict}\n`);
  print(options.output === 'json' ? asJson(decision) : decisionText(decision, inputs));
};
