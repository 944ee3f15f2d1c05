import { readFileSync } from 'node:fs';
import type { KubeObject } from '../machinery/api/object.ts';
import { documentValue, yamlDocuments } from '../machinery/api/yaml.ts';
import type { ApiClient } from './client.ts';

interface Resource {
  name: string;
  kind: string;
  namespaced: boolean;
}

/** Where objects of this kind are created. */
export const collectionOf = async (client: ApiClient, object: KubeObject): Promise<string> => {
  const root = object.apiVersion.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
  const { resources } = await client.json<{ resources: Resource[] }>('GET', root);
  const resource = resources.find(({ kind, name }) => kind === object.kind && !name.includes('/'));
  if (!resource) throw new Error(`the server has no kind ${object.kind} in ${object.apiVersion}`);
  const namespace = resource.namespaced ? `/namespaces/${object.metadata.namespace ?? client.namespace}` : '';
  return `${root}${namespace}/${resource.name}`;
};

/** The objects of a manifest, in its order. */
export const objectsIn = (path: string): KubeObject[] =>
  yamlDocuments(readFileSync(path, 'utf8')).flatMap((document) => (documentValue(document) as KubeObject | null) ?? []);

/** Creates those that are missing, in this order. Returns the created objects. */
export const createMissing = async (client: ApiClient, objects: readonly KubeObject[]): Promise<KubeObject[]> => {
  const created: KubeObject[] = [];
  for (const object of objects) {
    const collection = await collectionOf(client, object);
    if (await client.find(`${collection}/${object.metadata.name}`)) continue;
    await client.json('POST', `${collection}?fieldManager=capstan`, { body: JSON.stringify(object) });
    created.push(object);
  }
  return created;
};
