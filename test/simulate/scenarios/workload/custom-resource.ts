/** A custom resource definition with an object and a namespace, applied in any order. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import type { ScenarioContext } from '../context.ts';
import { comes } from '../progress.ts';

const group = 'example.com';

const documentsOf = (name: string): Record<string, KubeObject> => {
  const own = name.replace('-', '');
  const [kind, plural] = [`Gadget${own}`, `gadgets${own}`];
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
  return {
    object: { apiVersion: `${group}/v1`, kind, metadata: { namespace: name, name } },
    configMap: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: name, name }, data: { word: 'first' } },
    definition: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: { group, scope: 'Namespaced', names: { kind, plural }, versions },
    },
    namespace: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
  };
};

export const createCustomResource = async (context: ScenarioContext) => {
  const { client, draw, settled, world } = context;
  await settled(60);
  const name = `own-${draw.whole(1, 1_000_000)}`;
  const documents = documentsOf(name);
  const data = Object.fromEntries(
    Object.entries(documents).map(([key, one]) => [`${draw.whole(10, 99)}-${key}.yaml`, JSON.stringify(one)]),
  );
  const metadata = { name, namespace: 'default' };
  await client.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as KubeObject);
  await client.apply({
    apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
    kind: 'ClusterResourceSet',
    metadata,
    spec: {
      clusterSelector: { matchLabels: { 'cloud-controller-manager': 'external' } },
      resources: [{ kind: 'ConfigMap', name }],
      strategy: draw.pick(['ApplyOnce', 'Reconcile']),
    },
  });
  const type = documents.definition!.metadata.name;
  const isThere = async () => {
    for (const cluster of world.guests.clusters.all())
      if ((await cluster.get(type, name, name)) && (await cluster.get('configmaps', name, name))) return true;
    return false;
  };
  await comes(context, `${name} in a cluster, with its kind and its namespace`, isThere);
  if (draw.chance(0.5)) await client.remove('ClusterResourceSet', name);
};
