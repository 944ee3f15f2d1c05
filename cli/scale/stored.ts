/** The inputs of the autoscaler, which the control plane stores and offers: it alone reads the cluster. */

import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Inputs } from '../../kinds/autoscaling/plan/index.ts';
import { unpacked } from '../../kinds/autoscaling/plan/packed.ts';
import type { ScalingPlan } from '../../kinds/autoscaling/scaling-plan/index.ts';
import { type DecisionRecord, downloadOf, presentInputs } from '../../kinds/autoscaling/scaling-plan/kept.ts';
import { digestOf } from '../../kinds/common/digest.ts';
import { downloadAnnotation } from '../../kinds/core/contract/file-requests.ts';
import { dataOf } from '../answer.ts';
import type { ApiClient } from '../client.ts';
import { CliError } from '../errors.ts';
import { contentAt } from '../snapshot-download.ts';

export interface StoredSources {
  /** Milliseconds since the epoch. */
  now?: number;
  /** Seconds until the controller must have answered. */
  timeout?: number;
}

export const findPlan = async (client: ApiClient, namespace: string, cluster: string): Promise<ScalingPlan> => {
  const core = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}`;
  const name = encodeURIComponent(cluster);
  const plan = await client.find<ScalingPlan>(
    `/apis/capstan.dev/v1alpha1/namespaces/${namespace}/scalingplans/${name}`,
  );
  if (plan) return plan;
  if (!(await client.find(`${core}/clusters/${name}`)))
    throw new CliError(`cluster.cluster.x-k8s.io "${cluster}" not found in namespace ${namespace}`);
  throw new CliError(
    `no pool of cluster ${cluster} opted in: annotate a MachineDeployment with capstan.dev/autoscale-min and -max, or create a ScalingPlan with spec.pools`,
  );
};

interface Link {
  url: string;
  /** The hash of what is there. */
  inputs: string;
}

/** Asks the controller for a link to the inputs, and waits for it. */
const linkTo = async (
  client: ApiClient,
  { metadata }: ScalingPlan,
  which: string,
  { now = Date.now(), timeout = 60 }: StoredSources,
): Promise<Link> => {
  const { namespace = '', name, uid } = metadata;
  const path = `/apis/capstan.dev/v1alpha1/namespaces/${namespace}/scalingplans/${encodeURIComponent(name)}`;
  const request = `${new Date(now).toISOString()} ${which}`;
  await client.json('PATCH', path, {
    body: JSON.stringify({ metadata: { uid, annotations: { [downloadAnnotation]: request } } }),
    contentType: 'application/merge-patch+json',
  });
  for (const end = Date.now() + timeout * 1000; ; await delay(500)) {
    const asked = await client.json<ScalingPlan>('GET', path);
    const { download } = asked.status ?? {};
    if (download?.request === request) {
      if (download.message) throw new CliError(`the inputs cannot be read: ${download.message}`);
      const { secretName } = downloadOf(asked, '');
      const secrets = `/api/v1/namespaces/${namespace}/secrets/${encodeURIComponent(secretName)}`;
      const { data = {} } = await client.json<{ data?: Record<string, string> }>('GET', secrets);
      const [url, inputs] = [data.url, data.inputs].map((text = '') => Buffer.from(text, 'base64').toString('utf8'));
      return { url: url!, inputs: inputs! };
    }
    if (Date.now() >= end) throw new CliError(`the autoscaler has offered no inputs after ${timeout} s`);
  }
};

const expand = promisify(gunzip);

/** What is stored under the hash of a decision, or what a decision would be made from now. */
export const readStored = async (
  client: ApiClient,
  plan: ScalingPlan,
  which: string,
  sources: StoredSources,
): Promise<{ inputs: Inputs; record: DecisionRecord; hash: string }> => {
  const { url, inputs: hash } = await linkTo(client, plan, which, sources);
  const chunks: Uint8Array[] = [];
  for await (const chunk of await contentAt(client, url)) chunks.push(chunk);
  const record = dataOf<DecisionRecord>((await expand(Buffer.concat(chunks))).toString('utf8'));
  return { inputs: unpacked(record.inputs), record, hash };
};

export const readPresent = async (
  client: ApiClient,
  cluster: string,
  namespace: string,
  sources: StoredSources = {},
): Promise<Inputs> => {
  const { inputs, hash } = await readStored(client, await findPlan(client, namespace, cluster), presentInputs, sources);
  if (digestOf(inputs as never) !== hash) throw new CliError('the present inputs could not be stored: try again');
  return inputs;
};
