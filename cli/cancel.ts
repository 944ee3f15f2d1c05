/** `capstan cancel operation`: ends an operation; only an upgrade is undone, as far as that is possible. */
import { isOver } from '../kinds/operations/cluster-operation/ended.ts';
import type { ApiClient } from './client.ts';
import { CliError } from './errors.ts';
import { operationPath, phaseOf, readOperation } from './operation.ts';

/** Returns a report. Errors of the server are passed on. */
export const cancelOperation = async (client: ApiClient, namespace: string, name: string): Promise<string> => {
  const path = operationPath(namespace, name);
  const operation = await readOperation(client, namespace, name);
  if (isOver(operation))
    throw new CliError(`operation ${name} is ${phaseOf(operation)} already: there is nothing to cancel`);
  await client.json('PATCH', path, {
    body: JSON.stringify({ spec: { cancel: true } }),
    contentType: 'application/merge-patch+json',
  });
  return [
    operation.spec?.type === 'upgrade'
      ? `clusteroperation/${name} is being cancelled: what can be undone is undone, the rest stays as it is.`
      : `clusteroperation/${name} is being cancelled: what it made stays as it is.`,
    `See it with: kubectl get clop -n ${namespace} -w`,
  ].join('\n');
};
