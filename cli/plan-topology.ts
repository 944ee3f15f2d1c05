/** `capstan plan -f`: what the topologies of a manifest's Clusters would change. Changes nothing. */
import { gunzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import { planAnnotation } from '../kinds/core/contract/topology.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { Foretold, ForetoldChange } from '../runtime/foretell.ts';
import { collectionOf, objectsIn } from './apply.ts';
import type { ApiClient } from './client.ts';
import { CliError } from './errors.ts';
import type { Print } from './output.ts';

/** The exit code of `--detailed-exitcode` for changes. */
export const changed = 2;

const hasTopology = ({ kind, spec }: KubeObject): boolean =>
  kind === 'Cluster' && (spec as { topology?: unknown } | undefined)?.topology !== undefined;

/** The manifest wins; what it leaves out at the top of the spec, such as references, stays. */
const merged = (live: KubeObject, { metadata, spec }: KubeObject): KubeObject => ({
  ...live,
  metadata: {
    ...live.metadata,
    labels: { ...live.metadata.labels, ...metadata.labels },
    annotations: { ...live.metadata.annotations, ...metadata.annotations },
  },
  spec: { ...(live.spec as object), ...(spec as object) },
});

const asking = (object: KubeObject): KubeObject => {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [planAnnotation]: '' } } };
};

const planOf = async (client: ApiClient, cluster: KubeObject): Promise<Foretold> => {
  const collection = await collectionOf(client, cluster);
  const path = `${collection}/${cluster.metadata.name}`;
  const live = await client.find<KubeObject>(path);
  const answer = live
    ? await client.json<KubeObject>('PUT', `${path}?dryRun=All`, {
        body: JSON.stringify(asking(merged(live, cluster))),
      })
    : await client.json<KubeObject>('POST', `${collection}?dryRun=All`, { body: JSON.stringify(asking(cluster)) });
  const text = answer.metadata.annotations?.[planAnnotation];
  if (!text) throw new CliError('the control plane is too old to plan a Cluster');
  return JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString()) as Foretold;
};

const verbs = { create: 'create', rotate: 'create', update: 'update', delete: 'delete' } as const;

const render = ({ effect, object, instead, replaces }: ForetoldChange): string => {
  const { managedFields: _, ...metadata } = object.metadata;
  const { status: __, ...shown } = object;
  return [
    '---',
    `# would ${verbs[effect]} ${object.kind} ${object.metadata.name}${instead ? ` in place of ${instead}` : ''}`,
    ...replaces.map((name) => `# would replace Machine ${name}`),
    stringify({ ...shown, metadata }).trimEnd(),
  ].join('\n');
};

/** Whether anything would change. */
export const planTopologies = async (client: ApiClient, file: string, print: Print): Promise<boolean> => {
  const clusters = objectsIn(file).filter(hasTopology);
  if (clusters.length === 0) throw new CliError(`${file} has no Cluster with a topology`);
  let isChanged = false;
  for (const cluster of clusters) {
    const { changes, problems } = await planOf(client, cluster);
    const machines = changes.flatMap(({ replaces }) => replaces).length;
    isChanged ||= changes.length > 0;
    for (const problem of problems) print(`# Cluster ${cluster.metadata.name}: ${problem}`);
    for (const change of changes) print(render(change));
    print(
      `# Cluster ${cluster.metadata.name}: changes of objects: ${changes.length}, Machines to replace: ${machines}`,
    );
  }
  return isChanged;
};
