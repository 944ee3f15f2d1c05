/** Whether the server would take the converted objects. Nothing is stored. */
import type { KubeObject } from '../../machinery/api/object.ts';
import { messageOf } from '../answer.ts';
import { collectionOf } from '../apply.ts';
import type { ApiClient } from '../client.ts';
import type { Change } from './changes.ts';

const dryRun = 'dryRun=All&fieldValidation=Strict';
const conflict = 409;
const mergePatch = 'application/merge-patch+json';

/** Undefined if it would be taken. */
const refusalOf = async (client: ApiClient, object: KubeObject): Promise<string | undefined> => {
  const collection = await collectionOf(client, object);
  const body = JSON.stringify(object);
  const created = await client.request('POST', `${collection}?${dryRun}`, { body });
  if (created.code < 400) return undefined;
  if (created.code !== conflict) return messageOf(created);
  const path = `${collection}/${object.metadata.name}?${dryRun}`;
  const changed = await client.request('PATCH', path, { body, contentType: mergePatch });
  return changed.code < 400 ? undefined : messageOf(changed);
};

export const refusals = async (client: ApiClient, objects: readonly KubeObject[]): Promise<Change[]> => {
  const refused: Change[] = [];
  for (const object of objects) {
    const message = await refusalOf(client, object).catch((error: Error) => error.message);
    if (message === undefined) continue;
    const name = `${object.kind}/${object.metadata.name}`;
    refused.push({ level: 'error', object: name, path: '', why: `the server refuses it: ${message}` });
  }
  return refused;
};
