/**
 * Objects that violate a rule of their kind. Each is refused for the invalid field, in a dry run
 * too.
 */
import { mergePatch } from '../../../../machinery/api/merge.ts';
import type { JsonValue, KubeObject } from '../../../../machinery/api/object.ts';
import { pathOf } from '../../clients/client.ts';
import { manifestOf, modest } from '../manifest.ts';
import type { Session } from './session.ts';

/** The number of objects in each run of the task. */
const several = 12;

const name = 'lawful';
const documents = manifestOf({ ...modest, name, onFailure: 'Hold', paused: true });
const given = (kind: string, named = /./) =>
  documents.find((one) => one.kind === kind && named.test(one.metadata.name))!;
const plain = (apiVersion: string, kind: string, rest: object = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name },
  ...rest,
});
const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachine', name };
const selector = { matchLabels: { of: name } };

/** Valid objects. */
export const lawful = {
  Cluster: given('Cluster'),
  AWSCluster: given('AWSCluster'),
  KubeadmControlPlane: given('KubeadmControlPlane'),
  MachineDeployment: given('MachineDeployment'),
  AWSMachineTemplate: given('AWSMachineTemplate', /t3/),
  KubeadmConfigTemplate: given('KubeadmConfigTemplate'),
  Machine: plain('cluster.x-k8s.io/v1beta2', 'Machine', {
    spec: { clusterName: name, version: 'v1.35.0', bootstrap: { dataSecretName: name }, infrastructureRef },
  }),
  AWSMachine: plain('infrastructure.cluster.x-k8s.io/v1beta2', 'AWSMachine', { spec: { instanceType: 't3.large' } }),
  ClusterResourceSet: plain('addons.cluster.x-k8s.io/v1beta2', 'ClusterResourceSet', {
    spec: { clusterSelector: selector, resources: [{ kind: 'ConfigMap', name }] },
  }),
  ConfigMap: plain('v1', 'ConfigMap', { data: { word: 'first' } }),
  Secret: plain('v1', 'Secret', { data: { word: 'Zmlyc3Q=' } }),
  Namespace: plain('v1', 'Namespace'),
  Lease: plain('coordination.k8s.io/v1', 'Lease', { spec: { leaseDurationSeconds: 15 } }),
};
type Kind = keyof typeof lawful;

const template = (spec: object) => ({ spec: { template: { spec } } });
const network = (one: object) => ({ spec: { network: one } });
const init = (spec: object) => ({ spec: { kubeadmConfigSpec: spec } });
const taint = (key: string, effect = 'NoSchedule') =>
  template({ taints: [{ key, value: 'x', effect, propagation: 'Always' }] });
const volume = (rootVolume: object) => template({ rootVolume: { size: 20, ...rootVolume } });

const externalEtcd = {
  external: { endpoints: ['https://etcd:2379'], caFile: '/ca', certFile: '/crt', keyFile: '/key' },
};
const partition = (tableType?: string) => ({ device: '/dev/sdf', layout: true, ...(tableType && { tableType }) });

/** The invalid change and the field that the error must name. */
const unlawful: readonly (readonly [kind: Kind, change: object, field: string])[] = [
  ['Cluster', { metadata: { name: 'a'.repeat(64) } }, 'metadata.name'],
  [
    'Cluster',
    { metadata: { annotations: { 'capstan.dev/on-create-failure': 'Shrug' } } },
    'metadata.annotations[capstan.dev/on-create-failure]',
  ],
  ['Cluster', { spec: { clusterNetwork: { pods: { cidrBlocks: ['10.0.0.0/33'] } } } }, 'pods.cidrBlocks[0]'],
  ['Cluster', { spec: { clusterNetwork: { services: { cidrBlocks: ['10.0.0.010/24'] } } } }, 'services.cidrBlocks[0]'],
  ['Cluster', { spec: { controlPlaneRef: null, infrastructureRef: null } }, 'spec'],
  [
    'Cluster',
    { metadata: { annotations: { 'capstan.dev/on-create-failure': 'Shrug' } } },
    'capstan.dev/on-create-failure',
  ],
  ['Cluster', { metadata: { annotations: { 'capstan.dev/create-deadline': 'soon' } } }, 'capstan.dev/create-deadline'],
  ['AWSCluster', network({ vpc: { cidrBlock: '10.0.0.0' } }), 'network.vpc.cidrBlock'],
  ['AWSCluster', network({ vpc: { cidrBlock: '10.0.0.0/16', ipamPool: { id: 'pool' } } }), 'network.vpc.ipamPool'],
  ['AWSCluster', network({ vpc: { ipamPool: { netmaskLength: 20 } } }), 'network.vpc.ipamPool'],
  ['AWSCluster', network({ vpc: { secondaryCidrBlocks: [{ ipv4CidrBlock: '10.0.0.0/16' }] } }), 'secondaryCidrBlocks'],
  [
    'AWSCluster',
    network({ vpc: { elasticIpPool: { publicIpv4PoolFallbackOrder: 'none' } } }),
    'elasticIpPool.publicIpv4Pool',
  ],
  [
    'AWSCluster',
    network({ vpc: { elasticIpPool: { publicIpv4Pool: 'ipv4pool-ec2-1' } } }),
    'publicIpv4PoolFallbackOrder',
  ],
  ['AWSCluster', network({ nodePortIngressRuleCidrBlocks: ['everybody'] }), 'nodePortIngressRuleCidrBlocks[0]'],
  ['AWSCluster', network({ subnets: [{ id: 'edge', zoneType: 'local-zone' }] }), 'network.subnets'],
  [
    'AWSCluster',
    { spec: { controlPlaneLoadBalancer: { loadBalancerType: 'disabled', name: 'one' } } },
    'controlPlaneLoadBalancer.name',
  ],
  [
    'AWSCluster',
    {
      spec: {
        controlPlaneLoadBalancer: { scheme: 'internal' },
        secondaryControlPlaneLoadBalancer: { name: 'second', scheme: 'internal' },
      },
    },
    'secondaryControlPlaneLoadBalancer.scheme',
  ],
  ['AWSCluster', { spec: { additionalTags: { 'aws:of': 'me' } } }, 'additionalTags'],
  ['KubeadmControlPlane', { spec: { replicas: 2 } }, 'spec.replicas'],
  ['KubeadmControlPlane', { spec: { replicas: 0 } }, 'spec.replicas'],
  ['KubeadmControlPlane', { spec: { version: 'v1' } }, 'spec.version'],
  ['KubeadmControlPlane', { spec: { rollout: { before: { certificatesExpiryDays: 6 } } } }, 'certificatesExpiryDays'],
  ['KubeadmControlPlane', { spec: { rollout: { before: { certificatesExpiryDays: 400 } } } }, 'certificatesExpiryDays'],
  [
    'KubeadmControlPlane',
    { spec: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0 } } } } },
    'rollingUpdate',
  ],
  [
    'KubeadmControlPlane',
    { spec: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2 } } } } },
    'maxSurge',
  ],
  ['KubeadmControlPlane', { spec: { machineNaming: { template: 'always-the-same' } } }, 'machineNaming.template'],
  ['KubeadmControlPlane', init({ clusterConfiguration: { dns: { imageTag: 'no tag' } } }), 'dns.imageTag'],
  [
    'KubeadmControlPlane',
    init({ clusterConfiguration: { etcd: { local: { imageTag: 'no tag' } } } }),
    'etcd.local.imageTag',
  ],
  [
    'KubeadmControlPlane',
    init({
      files: [
        { path: '/a', content: 'a' },
        { path: '/a', content: 'b' },
      ],
    }),
    'files[1].path',
  ],
  ['KubeadmControlPlane', init({ ignition: { containerLinuxConfig: { additionalConfig: 'a' } } }), 'format'],
  ['MachineDeployment', { spec: { selector: { matchLabels: { of: 'others' } } } }, 'metadata.labels'],
  ['MachineDeployment', { spec: { clusterName: '' } }, 'clusterName'],
  ['MachineDeployment', { spec: { replicas: -1 } }, 'replicas'],
  ['MachineDeployment', { spec: { replicas: 2 ** 31 } }, 'replicas'],
  ['MachineDeployment', template({ minReadySeconds: -1 }), 'minReadySeconds'],
  ['MachineDeployment', { spec: { template: { metadata: { labels: { of: 7 } } } } }, 'labels'],
  [
    'MachineDeployment',
    { spec: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } } },
    'rollingUpdate',
  ],
  [
    'MachineDeployment',
    { spec: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 'many' } } } } },
    'maxSurge',
  ],
  ['MachineDeployment', { spec: { remediation: { maxInFlight: 'few' } } }, 'maxInFlight'],
  ['MachineDeployment', { spec: { machineNaming: { template: 'always-the-same' } } }, 'machineNaming.template'],
  ['MachineDeployment', template({ version: '1' }), 'version'],
  ['MachineDeployment', template({ bootstrap: null }), 'bootstrap'],
  ['MachineDeployment', taint('node.kubernetes.io/not-ready'), 'taints[0]'],
  ['MachineDeployment', taint('node-role.kubernetes.io/control-plane'), 'taints[0]'],
  ['AWSMachineTemplate', template({ sshKeyName: ' schlüssel' }), 'sshKeyName'],
  [
    'AWSMachineTemplate',
    template({ additionalSecurityGroups: [{ id: 'sg-1', filters: [{ name: 'a', values: ['b'] }] }] }),
    'additionalSecurityGroups[0]',
  ],
  [
    'AWSMachineTemplate',
    template({ publicIP: true, elasticIpPool: { publicIpv4PoolFallbackOrder: 'none' } }),
    'elasticIpPool.publicIpv4Pool',
  ],
  ['AWSMachineTemplate', template({ elasticIpPool: {} }), 'elasticIpPool'],
  ['AWSMachineTemplate', template({ sshKeyName: 'key ' }), 'sshKeyName'],
  ['AWSCluster', { spec: { sshKeyName: ' key' } }, 'sshKeyName'],
  ['AWSMachineTemplate', template({ nonRootVolumes: [{ size: 9 }] }), 'deviceName'],
  ['AWSMachineTemplate', volume({ size: 7 }), 'rootVolume.size'],
  ['AWSMachineTemplate', volume({ type: 'io1' }), 'rootVolume.iops'],
  ['AWSMachineTemplate', volume({ type: 'gp2', throughput: 200 }), 'rootVolume.throughput'],
  ['AWSMachineTemplate', volume({ type: 'gp3', throughput: 124 }), 'rootVolume.throughput'],
  ['AWSMachineTemplate', volume({ type: 'gp3', throughput: 2001 }), 'rootVolume.throughput'],
  ['AWSMachineTemplate', template({ hostID: 'h-0123456789abcdef0' }), 'hostID'],
  ['AWSMachineTemplate', template({ hostAffinity: 'host', tenancy: 'host' }), 'hostID'],
  ['AWSMachine', { spec: { hostAffinity: 'host' } }, 'hostAffinity'],
  ['AWSMachineTemplate', template({ marketType: 'CapacityBlock' }), 'capacityReservationId'],
  ['AWSMachineTemplate', template({ capacityReservationPreference: 'All' }), 'capacityReservationPreference'],
  ['AWSMachine', { spec: { cloudInit: { secretCount: 1 } } }, 'cloudInit.secretCount'],
  ['AWSMachineTemplate', template({ additionalTags: { '': 'nothing' } }), 'additionalTags'],
  [
    'AWSMachineTemplate',
    template({ ignition: { version: '2.3', tls: { certificateAuthorities: ['https://example.com/ca.pem'] } } }),
    'ignition',
  ],
  ['AWSMachineTemplate', template({ ignition: { version: '2.3', proxy: { httpProxy: 'http://proxy' } } }), 'ignition'],
  [
    'KubeadmConfigTemplate',
    template({ files: [{ path: '/a', content: 'a', contentFrom: { secret: { name: 'a', key: 'b' } } }] }),
    'files[0]',
  ],
  [
    'KubeadmConfigTemplate',
    template({ users: [{ name: 'a', passwd: 'b', passwdFrom: { secret: { name: 'a', key: 'b' } } }] }),
    'users[0]',
  ],
  ['Machine', { spec: { bootstrap: { dataSecretName: null } } }, 'spec.bootstrap'],
  ['Machine', { spec: { version: 'newest' } }, 'spec.version'],
  ['AWSMachine', { spec: { cloudInit: { secretPrefix: 'x' } } }, 'cloudInit.secretCount'],
  [
    'AWSMachine',
    { spec: { cloudInit: { insecureSkipSecretsManager: true, secureSecretsBackend: 'secrets-manager' } } },
    'cloudInit.secureSecretsBackend',
  ],
  ['ClusterResourceSet', { spec: { clusterSelector: { matchLabels: null } } }, 'clusterSelector'],
  ['ClusterResourceSet', { spec: { clusterSelector: { matchLabels: { of: 'no label!' } } } }, 'clusterSelector'],
  ['ConfigMap', { data: { 'no key!': 'x' } }, 'data[no key!]'],
  ['ConfigMap', { data: { '..': 'x' } }, 'data[..]'],
  ['ConfigMap', { binaryData: { word: 'Zmlyc3Q=' } }, 'data[word]'],
  ['Secret', { data: { ['a'.repeat(254)]: 'eA==' } }, 'data['],
  ['Secret', { type: 'kubernetes.io/tls', data: { 'tls.crt': 'eA==' } }, 'data[tls.key]'],
  ['Namespace', { metadata: { name: 'with.dots' } }, 'metadata.name'],
  ['Lease', { spec: { leaseDurationSeconds: 0 } }, 'leaseDurationSeconds'],
  ['Lease', { spec: { leaseTransitions: -1 } }, 'leaseTransitions'],
  ['Lease', { spec: { preferredHolder: 'x' } }, 'preferredHolder'],
];

/** Unusual but valid changes. */
const allowed: readonly (readonly [kind: Kind, change: object])[] = [
  ['Cluster', { metadata: { annotations: { 'capstan.dev/create-deadline': '90m' } } }],
  ['AWSCluster', network({ vpc: { cidrBlock: '10.0.0.0/28' } })],
  ['KubeadmControlPlane', { spec: { rollout: { before: { certificatesExpiryDays: 7 } } } }],
  ['KubeadmControlPlane', { spec: { rollout: { before: { certificatesExpiryDays: 364 } } } }],
  ['KubeadmControlPlane', { spec: { replicas: 5 } }],
  [
    'KubeadmControlPlane',
    { spec: { replicas: 4, kubeadmConfigSpec: { clusterConfiguration: { etcd: externalEtcd } } } },
  ],
  ['MachineDeployment', { spec: { replicas: 0 } }],
  ['MachineDeployment', { spec: { rollout: { strategy: { type: 'OnDelete' } } } }],
  [
    'MachineDeployment',
    {
      spec: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '10%' } } } },
    },
  ],
  ['MachineDeployment', template({ version: '1.35.0' })],
  ['AWSMachineTemplate', template({ ignition: { version: '2.3' } })],
  ['AWSMachineTemplate', template({ ignition: { version: '3.4', proxy: { httpProxy: 'http://proxy' } } })],
  ['AWSMachineTemplate', volume({ type: 'gp3', throughput: 125 })],
  ['AWSMachineTemplate', volume({ type: 'io1', iops: 100 })],
  ['KubeadmConfigTemplate', template({ format: 'ignition', diskSetup: { partitions: [partition()] } })],
  ['KubeadmConfigTemplate', template({ format: 'ignition', diskSetup: { partitions: [partition('gpt')] } })],
  ['KubeadmConfigTemplate', template({ diskSetup: { partitions: [partition('mbr')] } })],
  ['ConfigMap', { binaryData: { other: 'Zmlyc3Q=' } }],
  ['Secret', { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } }],
];

const fieldsIn = (body: object): string => {
  const { causes = [] } = (body as { details?: { causes?: { field: string }[] } }).details ?? {};
  // For a value of the wrong type, the API adds a cause without a field: the validation rules were
  // not checked.
  const named = causes.filter(({ field }) => field !== '<nil>');
  return (named.length > 0 ? named : causes).map(({ field }) => field).join(' and ');
};

/** An object without a Cluster, of which nothing is created. */
const unowned = plain(lawful.KubeadmControlPlane.apiVersion!, 'KubeadmControlPlane', {
  spec: lawful.KubeadmControlPlane.spec,
});

/** Immutable fields of kinds that create nothing. */
const fixed: readonly (readonly [kind: string, body: object, change: object, field: string])[] = [
  ['ClusterResourceSet', lawful.ClusterResourceSet, { spec: { strategy: 'Reconcile' } }, 'spec.strategy'],
  [
    'ClusterResourceSet',
    lawful.ClusterResourceSet,
    { spec: { clusterSelector: { matchLabels: { of: 'others' } } } },
    'spec.clusterSelector',
  ],
  [
    'ClusterResourceSetBinding',
    plain('addons.cluster.x-k8s.io/v1beta2', 'ClusterResourceSetBinding', { spec: { clusterName: name } }),
    { spec: { clusterName: 'another' } },
    'spec.clusterName',
  ],
  ['Secret', lawful.Secret, { type: 'example.com/other' }, 'type'],
  ['Secret', { ...lawful.Secret, immutable: true }, { data: { word: 'c2Vjb25k' } }, 'data'],
  ['ConfigMap', { ...lawful.ConfigMap, immutable: true }, { data: { word: 'second' } }, 'data'],
  ['ConfigMap', { ...lawful.ConfigMap, immutable: true }, { immutable: false }, 'immutable'],
  [
    'MachineDeployment',
    lawful.MachineDeployment,
    {
      spec: {
        selector: { matchLabels: { of: 'others' } },
        template: { metadata: { labels: { of: 'others' } } },
      },
    },
    'spec.selector',
  ],
  ['KubeadmControlPlane', unowned, { spec: { version: 'v1.37.0' } }, 'spec.version'],
  ['KubeadmControlPlane', unowned, { spec: { replicas: 2 } }, 'spec.replicas'],
  ...Object.entries({
    certificatesDir: '/etc/elsewhere',
    controlPlaneEndpoint: 'elsewhere.example.com:6443',
    caCertificateValidityPeriodDays: 700,
  }).map(
    ([of, value]) =>
      [
        'KubeadmControlPlane',
        unowned,
        init({ clusterConfiguration: { [of]: value } }),
        `spec.kubeadmConfigSpec.clusterConfiguration.${of}`,
      ] as const,
  ),
  ['AWSMachineTemplate', lawful.AWSMachineTemplate, template({ instanceType: 'm5.large' }), 'spec.template.spec'],
  [
    'AWSCluster',
    plain('infrastructure.cluster.x-k8s.io/v1beta2', 'AWSCluster', { spec: { region: 'eu-central-1' } }),
    { spec: { region: 'eu-west-1' } },
    'spec.region',
  ],
];

export const rules = {
  'change an immutable field of a kind': async (session: Session) => {
    const { ask, client, expect } = session;
    for (const [kind, body, change, field] of fixed) {
      const { apiVersion, metadata: _, ...rest } = body as KubeObject;
      const own = session.newName();
      const place = `${pathOf(kind, apiVersion)}/${own}`;
      await ask('POST', pathOf(kind, apiVersion), 201, { apiVersion, ...rest, metadata: { name: own } });
      const { code, body: answer } = await client.request('PATCH', `${place}?dryRun=All`, change);
      expect(`the answer for ${kind} with ${JSON.stringify(change)}`, code, 422);
      expect(`the invalid field of ${kind}`, fieldsIn(answer), field);
      await ask('PATCH', place, 200, { metadata: { labels: { of: 'user' } } });
      await ask('DELETE', place, 200);
    }
  },
  'write valid objects': async ({ ask, draw }: Session) => {
    for (let times = 0; times < several; times++) {
      const [kind, change] = draw.pick(allowed);
      const collection = `${pathOf(kind, lawful[kind].apiVersion)}?dryRun=All`;
      await ask('POST', collection, 201, mergePatch(lawful[kind] as unknown as JsonValue, change as JsonValue));
    }
  },
  'write objects that violate a rule': async (session: Session) => {
    const { ask, client, draw, expect } = session;
    for (let times = 0; times < several; times++) {
      const [kind, change, field] = draw.pick(unlawful);
      const good = lawful[kind];
      const collection = `${pathOf(kind, good.apiVersion)}?dryRun=All`;
      await ask('POST', collection, 201, good);
      const bad = mergePatch(good as unknown as JsonValue, change as JsonValue);
      const { code, body } = await client.request('POST', collection, bad);
      const what = `${kind} with ${JSON.stringify(change)}`;
      expect(`the answer for ${what} (${body.message})`, code, 422);
      const fields = fieldsIn(body);
      const isOnly = !fields.includes(' and ') && fields.includes(field);
      expect(`whether ${what} is refused for ${field} only, not for ${fields}`, isOnly, true);
    }
  },
};
