/** `capstan continue operation`: lets an upgrade go on that pauses before a step. */
import { isOver } from '../kinds/operations/cluster-operation/ended.ts';
import type { ApiClient } from './client.ts';
import { CliError } from './errors.ts';
import { operationPath, phaseOf, readOperation } from './operation.ts';

/** Returns a report. Errors of the server are passed on. */
export const continueOperation = async (client: ApiClient, namespace: string, name: string): Promise<string> => {
  const path = operationPath(namespace, name);
  const operation = await readOperation(client, namespace, name);
  if (isOver(operation))
    throw new CliError(`operation ${name} is ${phaseOf(operation)} already: there is nothing to continue`);
  const paused = (operation.status?.steps ?? []).filter(({ verdict }) => verdict === 'Paused').map((step) => step.name);
  if (paused.length === 0)
    throw new CliError(`operation ${name} is not paused before a step: there is nothing to continue`);
  const continued = [...new Set([...(operation.spec?.continued ?? []), ...paused])];
  await client.json('PATCH', path, {
    body: JSON.stringify({ metadata: { resourceVersion: operation.metadata.resourceVersion }, spec: { continued } }),
    contentType: 'application/merge-patch+json',
  });
  return [
    `clusteroperation/${name} goes on with ${paused.join(', ')}`,
    `See it with: kubectl get clop -n ${namespace} -w`,
  ].join('\n');
};
