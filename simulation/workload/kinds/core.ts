import { age } from '../../../kinds/kubernetes/built-in.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { NodeObject, PodObject, Toleration } from '../objects.ts';
import { builtIn, cell, fields, filled, keep, keyed } from './built-in.ts';
import { conditionsByType, podSpec, podTemplate } from './pod-schema.ts';

const join = (values: (string | undefined)[] | undefined): string => values?.filter(Boolean).join(',') || '<none>';
const count = (value: unknown): number => Object.keys((value ?? {}) as object).length;

const roleLabel = 'node-role.kubernetes.io/';
const rolesOf = ({ metadata }: KubeObject): string =>
  join(
    Object.entries(metadata.labels ?? {})
      .flatMap(([key, value]) =>
        key.startsWith(roleLabel) ? [key.slice(roleLabel.length)] : key === 'kubernetes.io/role' ? [value] : [],
      )
      .sort(),
  );
const nodeStatus = (node: NodeObject): string => {
  const ready = node.status?.conditions?.find((condition) => condition.type === 'Ready');
  const word = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return node.spec?.unschedulable ? `${word},SchedulingDisabled` : word;
};
const addressOf = (node: NodeObject, type: string): string =>
  node.status?.addresses?.find((address) => address.type === type)?.address ?? '<none>';
const infoOf = (name: string, field: string) =>
  cell(name, (node) => (node as NodeObject).status?.nodeInfo?.[field] || '<unknown>', 'string', 1);

export const node = builtIn({
  kind: 'Node',
  plural: 'nodes',
  shortNames: ['no'],
  namespaced: false,
  status: true,
  fields: {
    spec: fields({ podCIDRs: { type: 'array', items: { type: 'string' } } }),
    status: fields({ conditions: keyed('type'), addresses: keyed('type') }),
  },
  columns: [
    cell('Status', (object) => nodeStatus(object as NodeObject)),
    cell('Roles', rolesOf),
    age,
    cell('Version', (object) => (object as NodeObject).status?.nodeInfo?.kubeletVersion ?? ''),
    cell('Internal-IP', (object) => addressOf(object as NodeObject, 'InternalIP'), 'string', 1),
    cell('External-IP', (object) => addressOf(object as NodeObject, 'ExternalIP'), 'string', 1),
    infoOf('OS-Image', 'osImage'),
    infoOf('Kernel-Version', 'kernelVersion'),
    infoOf('Container-Runtime', 'containerRuntimeVersion'),
  ],
  selectableFields: (object) => ({ 'spec.unschedulable': String((object as NodeObject).spec?.unschedulable ?? false) }),
});

const containersOf = (pod: PodObject) => pod.status?.containerStatuses ?? [];
const podStatus = (pod: PodObject): string => {
  if (pod.metadata.deletionTimestamp) return pod.status?.reason === 'NodeLost' ? 'Unknown' : 'Terminating';
  if (pod.status?.reason) return pod.status.reason;
  const trouble = containersOf(pod).find(({ state }) => state?.waiting?.reason || state?.terminated?.reason)?.state;
  return trouble?.waiting?.reason ?? trouble?.terminated?.reason ?? pod.status?.phase ?? 'Pending';
};

/** Kubernetes' default: pods stay five minutes on a lost node. */
const withDefaultTolerations = (tolerations: Toleration[] = []): Toleration[] => {
  const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
    (taint) => !tolerations.some(({ key, effect }) => (!key || key === taint) && (!effect || effect === 'NoExecute')),
  );
  return [
    ...tolerations,
    ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 })),
  ];
};

export const pod = builtIn({
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  status: true,
  generations: true,
  fields: { spec: podSpec, status: fields({ conditions: keyed('type'), podIPs: keyed('ip') }) },
  columns: [
    cell('Ready', (object) => {
      const all = (object as PodObject).spec?.containers ?? [];
      return `${containersOf(object as PodObject).filter((c) => c.ready).length}/${all.length}`;
    }),
    cell('Status', (object) => podStatus(object as PodObject)),
    cell('Restarts', (object) =>
      String(containersOf(object as PodObject).reduce((sum, c) => sum + (c.restartCount ?? 0), 0)),
    ),
    age,
    cell('IP', (object) => (object as PodObject).status?.podIP ?? '<none>', 'string', 1),
    cell('Node', (object) => (object as PodObject).spec?.nodeName ?? '<none>', 'string', 1),
    cell('Nominated Node', (object) => (object as PodObject).status?.nominatedNodeName ?? '<none>', 'string', 1),
    cell('Readiness Gates', () => '<none>', 'string', 1),
  ],
  selectableFields: (object) => {
    const { spec, status } = object as PodObject;
    return {
      'spec.nodeName': spec?.nodeName ?? '',
      'spec.restartPolicy': spec?.restartPolicy ?? '',
      'spec.schedulerName': spec?.schedulerName ?? '',
      'spec.serviceAccountName': spec?.serviceAccountName ?? '',
      'spec.hostNetwork': String(spec?.hostNetwork ?? false),
      'status.phase': status?.phase ?? '',
      'status.podIP': status?.podIP ?? '',
      'status.nominatedNodeName': status?.nominatedNodeName ?? '',
    };
  },
  default: (object) => {
    const { spec } = object as PodObject;
    return filled(
      { ...object, spec: { ...spec, tolerations: withDefaultTolerations(spec?.tolerations) } },
      {
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        schedulerName: 'default-scheduler',
        serviceAccountName: 'default',
      },
    );
  },
});

interface ServiceSpec {
  type?: string;
  clusterIP?: string;
  externalName?: string;
  ports?: { port: number; nodePort?: number; protocol?: string }[];
  selector?: Record<string, string>;
}
const serviceOf = (object: KubeObject) => (object.spec ?? {}) as ServiceSpec;
const pairs = (labels: Record<string, string> | undefined) =>
  Object.entries(labels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(',') || '<none>';

export const service = builtIn({
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  status: true,
  fields: { spec: fields({ ports: keyed('port') }), status: conditionsByType },
  columns: [
    cell('Type', (object) => serviceOf(object).type ?? 'ClusterIP'),
    cell('Cluster-IP', (object) => serviceOf(object).clusterIP ?? '<none>'),
    cell('External-IP', (object) => {
      const { type, externalName } = serviceOf(object);
      return type === 'ExternalName' ? (externalName ?? '') : type === 'LoadBalancer' ? '<pending>' : '<none>';
    }),
    cell('Port(s)', (object) =>
      join(
        serviceOf(object).ports?.map(
          ({ port, nodePort, protocol = 'TCP' }) => `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`,
        ),
      ),
    ),
    age,
    cell('Selector', (object) => pairs(serviceOf(object).selector), 'string', 1),
  ],
  selectableFields: (object) => ({
    'spec.clusterIP': serviceOf(object).clusterIP ?? '',
    'spec.type': serviceOf(object).type ?? '',
  }),
  default: (object) => filled(object, { type: 'ClusterIP', sessionAffinity: 'None' }),
});

export const serviceAccount = builtIn({
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  fields: { secrets: keyed('name'), imagePullSecrets: keyed('name') },
  columns: [cell('Secrets', (object) => count(object.secrets), 'integer'), age],
});

interface Subset {
  addresses?: { ip: string }[];
  ports?: { port: number }[];
}
export const endpoints = builtIn({
  kind: 'Endpoints',
  plural: 'endpoints',
  shortNames: ['ep'],
  fields: { subsets: { type: 'array', items: keep } },
  columns: [
    cell('Endpoints', (object) =>
      join(
        ((object.subsets ?? []) as Subset[]).flatMap(({ addresses = [], ports = [] }) =>
          addresses.flatMap(({ ip }) => (ports.length ? ports.map(({ port }) => `${ip}:${port}`) : [ip])),
        ),
      ),
    ),
    age,
  ],
});

const modes: Record<string, string> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
interface ClaimSpec {
  accessModes?: string[];
  storageClassName?: string;
  volumeName?: string;
  volumeMode?: string;
  capacity?: { storage?: string };
  persistentVolumeReclaimPolicy?: string;
  claimRef?: { namespace?: string; name?: string };
}
const claimOf = (object: KubeObject) => (object.spec ?? {}) as ClaimSpec;
const phaseOf = (object: KubeObject) => (object.status as { phase?: string } | undefined)?.phase ?? 'Pending';
const accessModes = (object: KubeObject) =>
  claimOf(object)
    .accessModes?.map((mode) => modes[mode] ?? mode)
    .join(',') ?? '';

export const persistentVolumeClaim = builtIn({
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  status: true,
  fields: { status: conditionsByType },
  columns: [
    cell('Status', phaseOf),
    cell('Volume', (object) => claimOf(object).volumeName ?? ''),
    cell('Capacity', (object) => (object.status as ClaimSpec | undefined)?.capacity?.storage ?? ''),
    cell('Access Modes', accessModes),
    cell('StorageClass', (object) => claimOf(object).storageClassName ?? ''),
    cell('VolumeAttributesClass', () => '<unset>'),
    age,
  ],
});

export const persistentVolume = builtIn({
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  shortNames: ['pv'],
  namespaced: false,
  status: true,
  columns: [
    cell('Capacity', (object) => claimOf(object).capacity?.storage ?? ''),
    cell('Access Modes', accessModes),
    cell('Reclaim Policy', (object) => claimOf(object).persistentVolumeReclaimPolicy ?? ''),
    cell('Status', phaseOf),
    cell('Claim', (object) => {
      const { claimRef } = claimOf(object);
      return claimRef ? `${claimRef.namespace}/${claimRef.name}` : '';
    }),
    cell('StorageClass', (object) => claimOf(object).storageClassName ?? ''),
    cell('VolumeAttributesClass', () => '<unset>'),
    cell('Reason', () => ''),
    age,
  ],
});

export const podTemplateKind = builtIn({
  kind: 'PodTemplate',
  plural: 'podtemplates',
  fields: { template: podTemplate },
});
export const resourceQuota = builtIn({
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['quota'],
  status: true,
});
export const limitRange = builtIn({
  kind: 'LimitRange',
  plural: 'limitranges',
  shortNames: ['limits'],
  columns: [cell('Created At', ({ metadata }) => metadata.creationTimestamp ?? '')],
});

export const coreKinds = [
  node,
  pod,
  service,
  serviceAccount,
  endpoints,
  persistentVolume,
  persistentVolumeClaim,
  podTemplateKind,
  resourceQuota,
  limitRange,
];
