/** Rules for KubeadmControlPlanes (controlplane/kubeadm/webhooks of Cluster API 1.14). */
import type { AcceptedHere, UpstreamRule } from './rule.ts';

const plane = (spec: object) => ({ spec });
const cluster = (clusterConfiguration: object) => plane({ kubeadmConfigSpec: { clusterConfiguration } });
const rollout = (rollingUpdate: object) => ({ rollout: { strategy: { type: 'RollingUpdate', rollingUpdate } } });
const external = { endpoints: ['https://etcd:2379'], caFile: '/ca', certFile: '/crt', keyFile: '/key' };
const init = { initConfiguration: { timeouts: { controlPlaneComponentHealthCheckSeconds: 60 } } };

export const controlPlaneRules: UpstreamRule[] = [
  {
    refuses: 'no replicas',
    with: plane({ replicas: 0 }),
    says: 'spec.replicas: Forbidden: cannot be less than or equal to 0',
  },
  {
    refuses: 'an even number of etcd members',
    with: plane({ replicas: 2 }),
    says: 'spec.replicas: Forbidden: cannot be an even number when etcd is stacked',
  },
  {
    refuses: 'an even number later',
    stored: {},
    with: plane({ replicas: 2 }),
    says: 'spec.replicas: Forbidden: cannot be an even number when etcd is stacked',
  },
  {
    refuses: 'reserved taints',
    with: plane({
      machineTemplate: {
        spec: { taints: [{ key: 'node.kubernetes.io/x', effect: 'NoSchedule', propagation: 'Always' }] },
      },
    }),
    says: 'spec.machineTemplate.spec.taints[0].key: Invalid value',
  },
  {
    refuses: 'labels that are none',
    with: plane({ machineTemplate: { metadata: { labels: { 'a b': '' } } } }),
    says: 'spec.machineTemplate.metadata.labels: Invalid value: "a b"',
  },
  { refuses: 'a version that is none', with: plane({ version: 'v1' }), says: 'must be a valid semantic version' },
  {
    refuses: 'a strategy other than RollingUpdate',
    with: plane({ rollout: { strategy: { type: 'OnDelete' } } }),
    says: 'spec.rollout.strategy.type: Unsupported value: "OnDelete"',
  },
  {
    refuses: 'to scale in below three replicas',
    with: plane(rollout({ maxSurge: 0 })),
    says: 'replica count needs to be at least 3',
  },
  { refuses: 'a surge of two', with: plane(rollout({ maxSurge: 2 })), says: 'value must be 1 or 0' },
  {
    refuses: 'certificates that outlive their authority',
    with: cluster({ certificateValidityPeriodDays: 200, caCertificateValidityPeriodDays: 100 }),
    says: 'must be less than or equal to caCertificateValidityPeriodDays (100)',
  },
  {
    refuses: 'a rollout before certificates begin',
    with: {
      spec: {
        rollout: { before: { certificatesExpiryDays: 100 } },
        kubeadmConfigSpec: { clusterConfiguration: { certificateValidityPeriodDays: 100 } },
      },
    },
    says: 'spec.rollout.before.certificatesExpiryDays: Invalid value: 100: must be less than',
  },
  {
    refuses: 'names that would not differ',
    with: plane({ machineNaming: { template: 'same' } }),
    says: '{{ .random }} is missing',
  },
  {
    refuses: 'a naming template of unknown variables',
    with: plane({ machineNaming: { template: '{{ .zone.name }}-{{ .random }}' } }),
    says: 'spec.machineNaming.template: Invalid value',
  },
  {
    refuses: 'a naming template that makes no names',
    with: plane({ machineNaming: { template: 'A-{{ .random }}' } }),
    says: 'generated names would not be valid Kubernetes object names',
  },
  {
    refuses: 'a tag of CoreDNS that no image has',
    with: cluster({ dns: { imageTag: 'a b' } }),
    says: 'dns.imageTag: Forbidden: tag a b is invalid',
  },
  {
    refuses: 'a tag of CoreDNS that is no version',
    with: cluster({ dns: { imageTag: 'latest' } }),
    says: 'dns.imageTag: Invalid value: "latest": failed to parse CoreDNS version',
  },
  {
    refuses: 'a tag of etcd that no image has',
    with: cluster({ etcd: { local: { imageTag: 'a b' } } }),
    says: 'etcd.local.imageTag: Forbidden: tag a b is invalid',
  },
  {
    refuses: 'etcd in two places',
    with: cluster({ etcd: { local: { dataDir: '/etcd' }, external } }),
    says: 'etcd.local: Forbidden: cannot have both external and local etcd',
  },
  {
    refuses: 'two timeouts for one component of two ways to begin',
    with: plane({ kubeadmConfigSpec: init }),
    says: 'initConfiguration.timeouts (60) and in joinConfiguration.timeouts (unset)',
  },
  ...['apiVersion', 'kind', 'name'].map((part) => ({
    version: 'v1beta1' as const,
    refuses: `a reference to infrastructure without ${part}`,
    with: plane({ machineTemplate: { infrastructureRef: { [part]: null } } }),
    says: `spec.machineTemplate.spec.infrastructureRef.${part === 'apiVersion' ? 'apiGroup' : part}: Invalid value: "": cannot be empty`,
  })),
  ...['certificatesDir', 'controlPlaneEndpoint'].map((field) => ({
    refuses: `another ${field}`,
    stored: {},
    with: cluster({ [field]: '/elsewhere' }),
    says: `spec.kubeadmConfigSpec.clusterConfiguration.${field}: Forbidden: cannot be modified`,
  })),
  {
    refuses: 'another key for certificates',
    stored: {},
    with: cluster({ caCertificateValidityPeriodDays: 700 }),
    says: 'clusterConfiguration.caCertificateValidityPeriodDays: Forbidden: cannot be modified',
  },
  {
    refuses: 'to skip a minor version',
    stored: {},
    with: plane({ version: 'v1.37.0' }),
    says: 'spec.version: Forbidden: cannot update Kubernetes version from v1.35.0 to v1.37.0',
  },
  {
    refuses: 'to move etcd out',
    stored: {},
    with: cluster({ etcd: { external } }),
    says: 'cannot change between external and local etcd',
  },
  {
    refuses: 'to move etcd in',
    stored: cluster({ etcd: { external } }),
    with: plane({ kubeadmConfigSpec: { clusterConfiguration: null } }),
    says: 'cannot change between external and local etcd',
  },
  {
    refuses: 'an older CoreDNS',
    stored: cluster({ dns: { imageTag: 'v1.12.0' } }),
    with: cluster({ dns: { imageTag: 'v1.11.1' } }),
    says: "dns.imageTag: Forbidden: cannot migrate CoreDNS up to 'v1.11.1' from 'v1.12.0'",
  },
].map((rule) => ({ kind: 'KubeadmControlPlane', ...rule }));

export const controlPlaneAccepted: AcceptedHere[] = [
  {
    kind: 'KubeadmControlPlane',
    refuses: 'an even number of etcd members, but not of external etcd',
    with: { spec: { replicas: 2, kubeadmConfigSpec: { clusterConfiguration: { etcd: { external } } } } },
    why: 'upstream makes the same exception',
  },
  {
    kind: 'KubeadmControlPlane',
    refuses: 'versions of CoreDNS that its migration library does not know',
    stored: cluster({ dns: { imageTag: 'v1.11.1' } }),
    with: cluster({ dns: { imageTag: 'v1.99.0' } }),
    why: 'Corefiles are not migrated by a library of known versions, so newer ones need no release of Capstan',
  },
];
