import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  atomicList,
  type Infer,
  int32,
  listMap,
  object,
  oneOf,
  required,
  string,
} from '../../../machinery/api/schema.ts';
import { clusterName, conditions, observedGeneration } from '../../common/schema.ts';
import { resourceReference } from '../cluster-resource-set/schema.ts';

export const addonSpec = object('What is installed in which cluster.', {
  clusterName: required(clusterName('The Cluster that it is installed in; immutable.')),
  manifests: required(
    atomicList('Objects whose values are manifests.', object('One object with manifests.', resourceReference), {
      minItems: 1,
      maxItems: 20,
    }),
  ),
  substitutions: listMap(
    'Values for ${NAME} in the strings of the manifests.',
    ['name'],
    object('One value.', {
      name: required(
        string('What stands in ${}.', { minLength: 1, maxLength: 63, pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
      ),
      value: string('The value itself.', { maxLength: 4096 }),
      fromCluster: string('A JSONPath to a value of the Cluster, such as .metadata.name.', {
        minLength: 1,
        maxLength: 253,
      }),
    }),
    { maxItems: 50 },
  ),
  prune: oneOf(
    'What is deleted that the manifests no longer have, and with the add-on: Safe spares CustomResourceDefinitions, Namespaces and PersistentVolumeClaims.',
    ['Safe', 'All', 'Never'],
    { default: 'Safe' },
  ),
  healthTimeoutSeconds: int32('Seconds within which its workloads become healthy.', { minimum: 1, default: 600 }),
});

export const addonStatus = object('What is installed.', {
  conditions: conditions(),
  observedGeneration: observedGeneration('v1beta2'),
  clusterUID: string('The uid of the Cluster that it is installed in.'),
  revision: string('Hash of what was applied last.'),
  inventory: atomicList(
    'The objects in the cluster.',
    object('One object.', {
      apiVersion: required(string('Its API version.')),
      kind: required(string('Its kind.')),
      namespace: string('Its namespace.'),
      name: required(string('Its name.')),
    }),
  ),
});

export type AddonSpec = Infer<typeof addonSpec>;
export type AddonStatus = Infer<typeof addonStatus>;
export type Addon = KubeObject<AddonSpec, AddonStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    Addon: Addon;
  }
}
