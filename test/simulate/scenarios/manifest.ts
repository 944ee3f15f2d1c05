/** A cluster as a user writes it. */
import type { AWSClusterSpec } from '../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import { mergePatch } from '../../../machinery/api/merge.ts';
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { example } from '../../system/manifests.ts';

/** An unmanaged network. */
export interface Network {
  vpc: string;
  subnets: readonly string[];
}

export interface DesiredCluster {
  name: string;
  controlPlanes: number;
  workers: number;
  version: string;
  workerVersion: string;
  /** The instance type of the workers. */
  instanceType: string;
  onFailure: 'TearDown' | 'Hold' | 'Retry';
  paused: boolean;
  /** Absent when the cluster creates its own. */
  network?: Network | undefined;
  /** Additional settings of the AWSCluster. */
  infrastructure?: AWSClusterSpec | undefined;
  /** Whose bootstrap data fails before kubeadm runs. */
  neverJoins?: 'control plane' | 'workers' | undefined;
  /** The certificate authorities that users provide. */
  providedAuthorities?: readonly string[] | undefined;
}

/** The smallest cluster with one machine of each sort. */
export const modest = {
  controlPlanes: 1,
  workers: 1,
  version: 'v1.35.0',
  workerVersion: 'v1.35.0',
  instanceType: 't3.large',
};

const quickstart = example('quickstart.yaml');

/** What machines run besides joining. */
const boot = {
  preKubeadmCommands: ['echo before'],
  postKubeadmCommands: ['echo after'],
  files: [{ path: '/etc/custom', owner: 'root:root', permissions: '0640', content: 'told' }],
};

/** A machine runs this before kubeadm, and never joins. */
const failing = { ...boot, preKubeadmCommands: ['exit 1'] };
/** A template of its own, because the one in use must not change. */
const failingTemplate = 'quickstart-never-joins';

/** The taints with which workers join. */
const taints = [{ key: 'example.com/joined', value: 'so', effect: 'PreferNoSchedule' }];

/** The lifetime of certificate authorities that users request. */
export const authorityDays = 4000;
export const defaultDays = 3650;

const scheduler = { extraEnvs: [{ name: 'TOLD', value: 'custom' }] };
/** Additional settings of control plane components. */
const components = {
  apiServer: {
    certSANs: ['api.example.com'],
    extraArgs: [{ name: 'profiling', value: 'false' }],
    extraVolumes: [{ name: 'policies', hostPath: '/etc/policies', mountPath: '/etc/policies', readOnly: true }],
  },
};
const timeouts = {
  timeouts: {
    controlPlaneComponentHealthCheckSeconds: 250,
    discoverySeconds: 330,
    etcdAPICallSeconds: 110,
    kubeletHealthCheckSeconds: 270,
    kubernetesAPICallSeconds: 90,
    tlsBootstrapSeconds: 310,
  },
};
const registering = { ignorePreflightErrors: ['Swap'], imagePullPolicy: 'IfNotPresent', imagePullSerial: false };

type Joining = Record<string, unknown> & { nodeRegistration?: object };
const patiently = (configuration: Joining | undefined) => ({
  ...configuration,
  ...timeouts,
  nodeRegistration: { ...configuration?.nodeRegistration, ...registering },
});

/** In unmanaged networks machines have custom names. */
const named = ({ network }: DesiredCluster, owner: string) =>
  network ? { machineNaming: { template: `{{ .${owner}.name }}-m-{{ .random }}` } } : {};

const changed = (object: KubeObject, desired: DesiredCluster): KubeObject => {
  const spec = object.spec as Record<string, unknown>;
  switch (object.kind) {
    case 'Cluster': {
      const policy = {
        // TearDown is the default.
        ...((desired.onFailure !== 'TearDown' || desired.network) && {
          'capstan.dev/on-create-failure': desired.onFailure,
        }),
        ...(desired.onFailure === 'Hold' && { 'capstan.dev/create-deadline': '2h' }),
      };
      const annotations = { ...object.metadata.annotations, ...policy };
      const services = { services: { cidrBlocks: ['10.96.0.0/12'] }, serviceDomain: 'custom.example.com' };
      const pods = { pods: { cidrBlocks: ['192.168.0.0/16'] } };
      const clusterNetwork = { ...(spec.clusterNetwork as object), ...services, ...(desired.network && pods) };
      const own = { paused: desired.paused, clusterNetwork };
      return { ...object, metadata: { ...object.metadata, annotations }, spec: { ...spec, ...own } };
    }
    case 'AWSCluster': {
      const additionalTags = { 'example.com/paid-by': 'user' };
      const own = { vpc: { emptyRoutesDefaultVPCSecurityGroup: true } };
      const { vpc: id, subnets = [] } = desired.network ?? {};
      const network = id ? { vpc: { id }, subnets: subnets.map((one) => ({ id: one })) } : own;
      const defaults = { ...spec, additionalTags, sshKeyName: 'user', network } as JsonValue;
      return { ...object, spec: mergePatch(defaults, (desired.infrastructure ?? {}) as JsonValue) };
    }
    case 'KubeadmControlPlane': {
      const { kubeadmConfigSpec } = spec as {
        kubeadmConfigSpec: Record<'initConfiguration' | 'joinConfiguration', Joining> & {
          clusterConfiguration: object;
        };
      };
      const { initConfiguration, joinConfiguration } = kubeadmConfigSpec;
      // The lifetime has a default.
      const lasting = desired.network ? {} : { caCertificateValidityPeriodDays: authorityDays };
      const clusterConfiguration = { ...kubeadmConfigSpec.clusterConfiguration, scheduler, ...components, ...lasting };
      const kubeadmConfig = {
        clusterConfiguration,
        initConfiguration: patiently(initConfiguration),
        joinConfiguration: patiently(joinConfiguration),
      };
      const own = {
        replicas: desired.controlPlanes,
        version: desired.version,
        ...named(desired, 'kubeadmControlPlane'),
      };
      return {
        ...object,
        spec: {
          ...spec,
          ...own,
          kubeadmConfigSpec: {
            ...kubeadmConfigSpec,
            ...kubeadmConfig,
            ...(desired.neverJoins === 'control plane' ? failing : boot),
          },
        },
      };
    }
    case 'KubeadmConfigTemplate': {
      const { template } = spec as { template: { spec: object } };
      const { joinConfiguration } = template.spec as { joinConfiguration?: { nodeRegistration?: object } };
      const { nodeRegistration, ...patient } = patiently(joinConfiguration);
      const isFailing = desired.neverJoins === 'workers';
      const own = {
        ...(isFailing ? failing : boot),
        joinConfiguration: { ...patient, nodeRegistration: { ...nodeRegistration, taints } },
      };
      return {
        ...object,
        metadata: { ...object.metadata, ...(isFailing && { name: failingTemplate }) },
        spec: { ...spec, template: { ...template, spec: { ...template.spec, ...own } } },
      };
    }
    case 'MachineDeployment': {
      const template = spec.template as {
        spec: Record<string, unknown> & { infrastructureRef: object; bootstrap: { configRef: object } };
      };
      const { configRef } = template.spec.bootstrap;
      const bootstrap = desired.neverJoins === 'workers' && { configRef: { ...configRef, name: failingTemplate } };
      const infrastructureRef = { ...template.spec.infrastructureRef, name: `${desired.name}-${desired.instanceType}` };
      const machine = {
        ...template.spec,
        version: desired.workerVersion,
        infrastructureRef,
        ...(bootstrap && { bootstrap }),
      };
      const own = { replicas: desired.workers, ...named(desired, 'machineSet') };
      return { ...object, spec: { ...spec, ...own, template: { ...template, spec: machine } } };
    }
    case 'AWSMachineTemplate': {
      if (!object.metadata.name.endsWith('-workers')) return object;
      const { template } = spec as { template: { spec: object } };
      const additionalTags = { 'example.com/part': 'workers' };
      const volumes = { rootVolume: { size: 20 }, nonRootVolumes: [{ deviceName: '/dev/sdf', size: 9 }] };
      const own = { instanceType: desired.instanceType, additionalTags, sshKeyName: 'user', ...volumes };
      const machine = { ...template.spec, ...own };
      const metadata = { ...object.metadata, name: `${desired.name}-${desired.instanceType}` };
      return { ...object, metadata, spec: { ...spec, template: { ...template, spec: machine } } };
    }
    default:
      return object;
  }
};

/** The documents in the order of the file. */
export const manifestOf = (desired: DesiredCluster): KubeObject[] =>
  quickstart.map((object) =>
    JSON.parse(
      JSON.stringify(changed(object, { ...desired, name: 'quickstart' })).replaceAll('quickstart', desired.name),
    ),
  );
