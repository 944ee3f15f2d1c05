import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  anyObject,
  atomicList,
  bytes,
  type Infer,
  int32,
  listMap,
  object,
  oneOf,
  required,
  string,
} from '../../../machinery/api/schema.ts';
import { clusterName, conditions, observedGeneration } from '../../common/schema.ts';

const digest = (of: string) => string(`sha256:… of ${of}.`, { pattern: '^sha256:[0-9a-f]{64}$' });
const caBundle = bytes('Certificates of authorities besides the public ones, PEM in base64.', {
  minLength: 1,
  maxLength: 51200,
});

const manifest = object('Either a ConfigMap or Secret whose values are manifests, or a file by its url and digest.', {
  kind: oneOf('Kind of the object that holds manifests.', ['Secret', 'ConfigMap']),
  name: string('Name of the object that holds manifests.', { minLength: 1, maxLength: 253 }),
  url: string('Where the file is.', { pattern: '^https://', maxLength: 2048 }),
  digest: digest('the file'),
  caBundle,
});

const chart = object('A Helm chart.', {
  repoURL: required(
    string('Where the chart is, without its name: oci:// for a registry, https:// for a repository of charts.', {
      pattern: '^(oci|https)://[^/]',
      maxLength: 2048,
    }),
  ),
  chartName: required(string('Name of the chart.', { pattern: '^[a-zA-Z0-9][a-zA-Z0-9._-]*$', maxLength: 250 })),
  version: required(string('Version of the chart.', { pattern: '^[0-9A-Za-z][0-9A-Za-z.+_-]*$', maxLength: 100 })),
  digest: required(digest('the OCI manifest, or of the archive in a repository of charts')),
  releaseName: string('Name of the release; that of the chart by default.', {
    pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$',
    maxLength: 53,
  }),
  namespace: string('Namespace of the release.', {
    pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
    maxLength: 63,
    default: 'default',
  }),
  values: anyObject('Values of the chart, in which ${NAME} is filled in.'),
  caBundle,
});

export const addonSpec = object('What is installed in which cluster.', {
  clusterName: required(clusterName('The Cluster that it is installed in; immutable.')),
  manifests: atomicList('Objects and files with manifests.', manifest, { maxItems: 20 }),
  charts: atomicList('Helm charts, which are rendered for the cluster.', chart, { maxItems: 20 }),
  substitutions: listMap(
    'Values for ${NAME} in the strings of the manifests and of the values of charts.',
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
  revision: string('Hash of what was applied last, or of what it was made from.'),
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
