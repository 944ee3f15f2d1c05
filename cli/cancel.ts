/** `capstan cancel operation`: ends an operation; only an upgrade is undone, as far as that is possible. */
import type { Machine } from '../kinds/core/machine/index.ts';
import { isOver } from '../kinds/operations/cluster-operation/ended.ts';
import type { ClusterOperation } from '../kinds/operations/cluster-operation/index.ts';
import { factsOf } from '../kinds/operations/facts.ts';
import type { OperationFacts } from '../kinds/operations/shared/facts.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { ApiClient } from './client.ts';
import { confirm } from './confirm.ts';
import { CliError } from './errors.ts';
import { operationPath, phaseOf, readOperation } from './operation.ts';

/** Asks for consent where something new stays, and names it. */
const agree = async (
  client: ApiClient,
  namespace: string,
  operation: ClusterOperation,
  load: NonNullable<OperationFacts['left']>,
): Promise<void> => {
  const cluster = encodeURIComponent(operation.spec?.clusterName ?? '');
  const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}`;
  const selector = encodeURIComponent(`cluster.x-k8s.io/cluster-name=${operation.spec?.clusterName}`);
  const [object, { items }, leftOf] = await Promise.all([
    client.find<KubeObject>(`${path}/clusters/${cluster}`),
    client.json<{ items: Machine[] }>('GET', `${path}/machines?labelSelector=${selector}`),
    load(),
  ]);
  const stays = object ? leftOf(operation, object, items) : [];
  if (stays.length === 0) return;
  const { name } = operation.metadata;
  await confirm([`Cancelling ${name} does not undo everything:`, ...stays.map((one) => `  ${one}.`)].join('\n'), name);
};

/** Returns a report. Errors of the server are passed on. */
export const cancelOperation = async (
  client: ApiClient,
  namespace: string,
  name: string,
  { yes = false }: { yes?: boolean } = {},
): Promise<string> => {
  const path = operationPath(namespace, name);
  const operation = await readOperation(client, namespace, name);
  if (isOver(operation))
    throw new CliError(`operation ${name} is ${phaseOf(operation)} already: there is nothing to cancel`);
  const facts = factsOf(operation.spec?.type);
  if (!yes && facts?.left) await agree(client, namespace, operation, facts.left);
  await client.json('PATCH', path, {
    body: JSON.stringify({ spec: { cancel: true } }),
    contentType: 'application/merge-patch+json',
  });
  return [
    facts?.isUndone
      ? `clusteroperation/${name} is being cancelled: what can be undone is undone, the rest stays as it is.`
      : `clusteroperation/${name} is being cancelled: what it made stays as it is.`,
    `See it with: kubectl get clop -n ${namespace} -w`,
  ].join('\n');
};
