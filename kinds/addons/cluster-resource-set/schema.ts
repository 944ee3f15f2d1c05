import type { KubeObject } from '../../../machinery/api/object.ts';
import { atomicList, type Infer, list, object, oneOf, required, string } from '../../../machinery/api/schema.ts';
import { conditions, deprecated, labelSelector, legacyConditions, observedGeneration } from '../../common/schema.ts';

/** A reference to a ConfigMap or Secret whose values are manifests. */
export const resourceReference = {
  kind: required(oneOf('Kind of the object that holds manifests.', ['Secret', 'ConfigMap'])),
  name: required(string('Name of the object that holds manifests.', { minLength: 1, maxLength: 253 })),
};
const resource = object('An object that holds manifests.', resourceReference);
const resources = 'Objects whose values are manifests to apply.';
const shared = {
  clusterSelector: required(labelSelector('Clusters to apply the resources to; immutable.')),
  strategy: oneOf('ApplyOnce applies each resource once, Reconcile whenever it changes; immutable.', [
    'ApplyOnce',
    'Reconcile',
  ]),
};

export const clusterResourceSetSpec = object('What is applied where.', {
  ...shared,
  resources: required(atomicList(resources, resource, { minItems: 1, maxItems: 100 })),
});
export const clusterResourceSetSpecV1beta1 = object('What is applied where.', {
  ...shared,
  resources: list(resources, resource, { maxItems: 100 }),
});

export const clusterResourceSetStatus = object(
  'What has been applied.',
  { conditions: conditions(), deprecated: deprecated({}), observedGeneration: observedGeneration('v1beta2') },
  { minProperties: 1 },
);
export const clusterResourceSetStatusV1beta1 = object('What has been applied.', {
  conditions: legacyConditions(),
  observedGeneration: observedGeneration('v1beta1'),
  v1beta2: object('State in the words of v1beta2.', { conditions: conditions() }),
});

export type ClusterResourceSetSpec = Infer<typeof clusterResourceSetSpec>;
export type ClusterResourceSetStatus = Infer<typeof clusterResourceSetStatus>;
export type ClusterResourceSet = KubeObject<ClusterResourceSetSpec, ClusterResourceSetStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    ClusterResourceSet: ClusterResourceSet;
  }
}
