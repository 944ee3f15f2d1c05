/** Kinds that are stored and shown; the cluster acts on some of them. */

import { age } from '../../../kinds/kubernetes/built-in.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { definitionOfKind } from '../../../machinery/custom/kind-definition.ts';
import { builtIn, cell, path } from './built-in.ts';
import { conditionsByType } from './pod-schema.ts';

type Values = Record<string, unknown>;
const spec =
  (field: string, missing = '') =>
  (object: KubeObject) => {
    const value = ((object.spec ?? {}) as Values)[field];
    return value === undefined || value === null ? missing : String(value);
  };
const webhooks = cell('Webhooks', (object: KubeObject) => ((object.webhooks ?? []) as unknown[]).length, 'integer');

export const podDisruptionBudget = builtIn({
  group: 'policy',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  status: true,
  generations: true,
  fields: { status: conditionsByType },
  columns: [
    cell('Min Available', spec('minAvailable', 'N/A')),
    cell('Max Unavailable', spec('maxUnavailable', 'N/A')),
    cell(
      'Allowed Disruptions',
      (object) => Number(((object.status ?? {}) as Values).disruptionsAllowed ?? 0),
      'integer',
    ),
    age,
  ],
});

const storage = 'storage.k8s.io';
const storageKinds = [
  builtIn({
    group: storage,
    kind: 'StorageClass',
    plural: 'storageclasses',
    shortNames: ['sc'],
    namespaced: false,
    columns: [
      path('Provisioner', '.provisioner'),
      cell('ReclaimPolicy', (object) => String(object.reclaimPolicy ?? 'Delete')),
      cell('VolumeBindingMode', (object) => String(object.volumeBindingMode ?? 'Immediate')),
      cell('AllowVolumeExpansion', (object) => String(object.allowVolumeExpansion ?? false)),
      age,
    ],
    default: (object) => ({
      ...object,
      reclaimPolicy: object.reclaimPolicy ?? 'Delete',
      volumeBindingMode: object.volumeBindingMode ?? 'Immediate',
    }),
  }),
  builtIn({
    group: storage,
    kind: 'CSIDriver',
    plural: 'csidrivers',
    namespaced: false,
    columns: [
      cell('AttachRequired', spec('attachRequired', 'true')),
      cell('PodInfoOnMount', spec('podInfoOnMount', 'false')),
      cell('StorageCapacity', spec('storageCapacity', 'false')),
      cell('TokenRequests', () => '<unset>'),
      cell('RequiresRepublish', spec('requiresRepublish', 'false')),
      cell(
        'Modes',
        (object) =>
          (((object.spec ?? {}) as Values).volumeLifecycleModes as string[] | undefined)?.join(',') ?? 'Persistent',
      ),
      age,
    ],
  }),
  builtIn({
    group: storage,
    kind: 'CSINode',
    plural: 'csinodes',
    namespaced: false,
    columns: [
      cell(
        'Drivers',
        (object) => (((object.spec ?? {}) as Values).drivers as unknown[] | undefined)?.length ?? 0,
        'integer',
      ),
      age,
    ],
  }),
  builtIn({
    group: storage,
    kind: 'VolumeAttachment',
    plural: 'volumeattachments',
    namespaced: false,
    status: true,
    columns: [
      cell('Attacher', spec('attacher')),
      cell('PV', (object) =>
        String((((object.spec ?? {}) as Values).source as Values | undefined)?.persistentVolumeName ?? ''),
      ),
      cell('Node', spec('nodeName')),
      cell('Attached', (object) => String(((object.status ?? {}) as Values).attached ?? false)),
      age,
    ],
  }),
  builtIn({ group: storage, kind: 'CSIStorageCapacity', plural: 'csistoragecapacities' }),
];

const devices = 'resource.k8s.io';
const deviceKinds = [
  builtIn({ group: devices, kind: 'DeviceClass', plural: 'deviceclasses', namespaced: false, generations: true }),
  builtIn({ group: devices, kind: 'ResourceSlice', plural: 'resourceslices', namespaced: false, generations: true }),
  builtIn({ group: devices, kind: 'ResourceClaim', plural: 'resourceclaims', status: true, generations: true }),
  builtIn({ group: devices, kind: 'ResourceClaimTemplate', plural: 'resourceclaimtemplates', generations: true }),
];

const admission = 'admissionregistration.k8s.io';
const admissionKinds = [
  builtIn({
    group: admission,
    kind: 'MutatingWebhookConfiguration',
    plural: 'mutatingwebhookconfigurations',
    namespaced: false,
    columns: [webhooks, age],
  }),
  builtIn({
    group: admission,
    kind: 'ValidatingWebhookConfiguration',
    plural: 'validatingwebhookconfigurations',
    namespaced: false,
    columns: [webhooks, age],
  }),
  builtIn({
    group: admission,
    kind: 'MutatingAdmissionPolicy',
    plural: 'mutatingadmissionpolicies',
    namespaced: false,
  }),
  builtIn({
    group: admission,
    kind: 'ValidatingAdmissionPolicy',
    plural: 'validatingadmissionpolicies',
    namespaced: false,
    status: true,
    generations: true,
  }),
  builtIn({
    group: admission,
    kind: 'ValidatingAdmissionPolicyBinding',
    plural: 'validatingadmissionpolicybindings',
    namespaced: false,
  }),
];

const networking = 'networking.k8s.io';
const networkingKinds = [
  builtIn({
    group: networking,
    kind: 'NetworkPolicy',
    plural: 'networkpolicies',
    shortNames: ['netpol'],
    generations: true,
  }),
  builtIn({
    group: networking,
    kind: 'Ingress',
    plural: 'ingresses',
    shortNames: ['ing'],
    status: true,
    generations: true,
  }),
  builtIn({ group: networking, kind: 'IngressClass', plural: 'ingressclasses', namespaced: false, generations: true }),
];

export const otherKinds = [
  podDisruptionBudget,
  ...storageKinds,
  ...deviceKinds,
  ...admissionKinds,
  ...networkingKinds,
  builtIn({ group: 'discovery.k8s.io', kind: 'EndpointSlice', plural: 'endpointslices', generations: true }),
  builtIn({
    group: 'scheduling.k8s.io',
    kind: 'PriorityClass',
    plural: 'priorityclasses',
    shortNames: ['pc'],
    namespaced: false,
    generations: true,
    columns: [
      cell('Value', (object) => Number(object.value ?? 0), 'integer'),
      cell('Global-Default', (object) => String(object.globalDefault ?? false)),
      age,
    ],
  }),
  builtIn({
    group: 'apiregistration.k8s.io',
    kind: 'APIService',
    plural: 'apiservices',
    namespaced: false,
    status: true,
    categories: ['api-extensions'],
  }),
  builtIn({
    group: 'node.k8s.io',
    kind: 'RuntimeClass',
    plural: 'runtimeclasses',
    namespaced: false,
    columns: [path('Handler', '.handler'), age],
  }),
  builtIn({
    group: 'certificates.k8s.io',
    kind: 'CertificateSigningRequest',
    plural: 'certificatesigningrequests',
    shortNames: ['csr'],
    namespaced: false,
    status: true,
  }),
  builtIn({
    group: 'autoscaling',
    version: 'v2',
    kind: 'HorizontalPodAutoscaler',
    plural: 'horizontalpodautoscalers',
    shortNames: ['hpa'],
    categories: ['all'],
    status: true,
  }),
  definitionOfKind,
];
