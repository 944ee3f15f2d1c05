/** `capstan retry cluster`: requests the next attempt to create or upgrade a cluster. */

import type { Cluster } from '../kinds/core/cluster/index.ts';
import { findingCodes } from '../kinds/core/contract/finding-codes.ts';
import { isGuard, overrideOf } from '../kinds/core/contract/override.ts';
import { operationAnnotations, policyAnnotations } from '../kinds/core/contract/target.ts';
import type { ClusterOperation } from '../kinds/operations/cluster-operation/index.ts';
import { refusalToRetry } from '../kinds/operations/shared/retry.ts';
import { operationName } from '../kinds/operations/starter/new-operation.ts';
import { nearest } from '../local/similar-names.ts';
import type { ApiClient } from './client.ts';
import { CliError } from './errors.ts';
import { findOperation, phaseOf } from './operation.ts';

const nextStep = (cluster: Cluster, operation: ClusterOperation | undefined): string => {
  if (cluster.spec?.paused) return 'It is paused: the next attempt begins when it is resumed.';
  if (!operation) return 'No operation of it has begun yet: the first one begins once all that it refers to is there.';
  const name = operation.metadata.name;
  const phase = phaseOf(operation);
  const isBeingUndone = cluster.metadata.annotations?.[operationAnnotations.target] === 'Nothing';
  if (isBeingUndone && phase !== 'TornDown')
    return `${name} is being undone: the next attempt begins when nothing of it is left.`;
  const step = operation.status?.step;
  return `${name} is ${phase}${step ? ` at ${step}` : ''}: the next attempt takes its place.`;
};

const nextOf = (cluster: Cluster, { spec }: ClusterOperation): string =>
  operationName(cluster.metadata.name, spec?.type ?? 'create', (spec?.attempt ?? 0) + 1);

/** Another provider's codes are known by the operation that reports them; admission refuses those of guards. */
const expectKnown = (codes: readonly string[], operation: ClusterOperation | undefined): void => {
  const reported = JSON.stringify(operation?.status ?? {}).split(/\W+/);
  for (const code of codes) {
    if (findingCodes.has(code) || isGuard(code) || reported.includes(code)) continue;
    const [near] = nearest([...findingCodes], code);
    throw new CliError(
      `no check gives a finding the code ${code}; ${near === undefined ? 'the refusal that the operation reports names its codes' : `did you mean ${near}?`}`,
      2,
    );
  }
};

/** Returns a report. `now` in milliseconds. */
export const retryCluster = async (
  client: ApiClient,
  namespace: string,
  name: string,
  now: number,
  codes: readonly string[] = [],
): Promise<string> => {
  const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}/clusters/${encodeURIComponent(name)}`;
  const cluster = await client.find<Cluster>(path);
  if (!cluster) throw new CliError(`clusters.cluster.x-k8s.io "${name}" not found in namespace ${namespace}`);
  const operation = await findOperation(client, cluster);
  const refusal = refusalToRetry(cluster, operation);
  if (refusal) throw new CliError(refusal);
  const value = new Date(now).toISOString();
  expectKnown(codes, operation);
  if (codes.length > 0 && !operation)
    throw new CliError(`cluster ${name} has no operation whose findings it overrides`);
  const annotations = {
    [policyAnnotations.retry]: value,
    ...(codes.length > 0 &&
      operation && { [policyAnnotations.override]: overrideOf(nextOf(cluster, operation), codes) }),
  };
  // The uid protects a new Cluster of the same name.
  const metadata = { uid: cluster.metadata.uid, annotations };
  await client.json('PATCH', path, {
    body: JSON.stringify({ metadata }),
    contentType: 'application/merge-patch+json',
  });
  return [
    ...Object.entries(annotations).map(([key, text]) => `cluster/${name} annotated with ${key}=${text}`),
    nextStep(cluster, operation),
    `See it with: kubectl get clop -n ${namespace} -w`,
  ].join('\n');
};
