import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  atomicList,
  boolean,
  type Infer,
  int64,
  list,
  object,
  oneOf,
  required,
  type Schema,
  string,
  time,
} from '../../../machinery/api/schema.ts';
import {
  type ApiVersion,
  clusterName,
  conditions,
  deletionTimeouts,
  deprecated,
  dnsSubdomain,
  failureDomainName,
  gates,
  kubernetesVersion,
  legacyConditions,
  legacyDeletionTimeouts,
  legacyFailure,
  machineTaints,
  minReadySeconds,
  objectReference,
  observedGeneration,
  reference,
  templateMetadata,
} from '../../common/schema.ts';

const dataSecretName = string('Name of the Secret with the bootstrap data; filled in from the bootstrap config.', {
  minLength: 0,
  maxLength: 253,
});
const shared = {
  clusterName: required(clusterName()),
  failureDomain: failureDomainName('Failure domain, such as an availability zone, to create the machine in.'),
  providerID: string('Identity the cloud gives the machine; its Node has the same.', { minLength: 1, maxLength: 512 }),
  taints: machineTaints('Taints of the Node that are managed through the Machine.'),
  version: kubernetesVersion('Kubernetes version of the node.'),
};

/** `spec` of a Machine, which Machine templates share. */
export const machineSpec = object('What the machine should be.', {
  ...shared,
  bootstrap: required(
    object('How the host becomes a node.', {
      configRef: reference('Bootstrap config that produces the bootstrap data.'),
      dataSecretName,
    }),
  ),
  deletion: object('How the machine is deleted.', deletionTimeouts, { minProperties: 1 }),
  infrastructureRef: required(reference('Infrastructure object that stands for the host.')),
  minReadySeconds: minReadySeconds('v1beta2'),
  readinessGates: gates('v1beta2', 'Further conditions that the machine needs to be ready.'),
});
export const machineSpecV1beta1 = object('What the machine should be.', {
  ...shared,
  bootstrap: required(
    object('How the host becomes a node.', {
      configRef: objectReference('Bootstrap config that produces the bootstrap data.'),
      dataSecretName,
    }),
  ),
  infrastructureRef: required(objectReference('Infrastructure object that stands for the host.')),
  ...legacyDeletionTimeouts,
  readinessGates: gates('v1beta1', 'Further conditions that the machine needs to be ready.'),
});

/** `spec.template` of the kinds that create Machines. */
export const machineTemplate = object('What new Machines look like.', {
  metadata: templateMetadata('v1beta2', 'Labels and annotations of the Machines.'),
  spec: required(machineSpec),
});
export const machineTemplateV1beta1 = object('What new Machines look like.', {
  metadata: templateMetadata('v1beta1', 'Labels and annotations of the Machines.'),
  spec: machineSpecV1beta1,
});

const addresses = object('One address.', {
  address: required(string('The address.', { minLength: 1, maxLength: 256 })),
  type: required(
    oneOf('What kind of address.', ['Hostname', 'ExternalIP', 'InternalIP', 'ExternalDNS', 'InternalDNS']),
  ),
});
const fact = (description: string) => required(string(description));
const nodeInfo = object('What the Node says about its system.', {
  architecture: fact('Processor architecture.'),
  bootID: fact('Identity of this boot.'),
  containerRuntimeVersion: fact('Container runtime and its version.'),
  kernelVersion: fact('Kernel version.'),
  kubeProxyVersion: fact('Version of kube-proxy; no longer reported by nodes.'),
  kubeletVersion: fact('Version of the kubelet.'),
  machineID: fact("The host's machine id."),
  operatingSystem: fact('Operating system.'),
  osImage: fact('Name of the operating system image.'),
  swap: object('Swap space.', { capacity: int64('Bytes of swap.') }),
  systemUUID: fact("The host's system UUID."),
});
const deletion = object('How far the deletion is.', {
  nodeDrainStartTime: time('When draining began.'),
  waitForNodeVolumeDetachStartTime: time('When waiting for volumes began.'),
  waitForPreDrainHookStartTime: time('When waiting for pre-drain hooks began.'),
  waitForPreTerminateHookStartTime: time('When waiting for pre-terminate hooks began.'),
});
const statusFor = <A, N, P>(
  version: ApiVersion,
  parts: { addresses: Schema<A>; nodeRef: Schema<N>; phase: Schema<P> },
) => ({
  ...parts,
  certificatesExpiryDate: time('When the first certificate of this control-plane machine ends.'),
  deletion,
  lastUpdated: time('When the phase last changed.'),
  nodeInfo,
  observedGeneration: observedGeneration(version),
});
const phases = [
  'Pending',
  'Provisioning',
  'Provisioned',
  'Running',
  'Deleting',
  'Deleted',
  'Failed',
  'Unknown',
] as const;
const phaseText = 'Where in its life the machine is, in one word for people.';

export const machineStatus = object(
  'What the machine is.',
  {
    ...statusFor('v1beta2', {
      addresses: atomicList('Addresses of the machine.', addresses, { maxItems: 256 }),
      nodeRef: object('The Node of this machine.', {
        name: required(string('Name of the Node.', { minLength: 1, maxLength: 253, pattern: dnsSubdomain })),
      }),
      phase: oneOf(phaseText, [...phases.slice(0, 4), 'Updating', ...phases.slice(4)] as (
        | (typeof phases)[number]
        | 'Updating'
      )[]),
    }),
    conditions: conditions(),
    deprecated: deprecated(legacyFailure),
    failureDomain: failureDomainName('Failure domain the machine is in.'),
    initialization: object(
      'What has been reached once and stays so.',
      {
        bootstrapDataSecretCreated: boolean('The bootstrap data was there.'),
        infrastructureProvisioned: boolean('The host was there.'),
      },
      { minProperties: 1 },
    ),
  },
  { minProperties: 1 },
);
export const machineStatusV1beta1 = object('What the machine is.', {
  ...statusFor('v1beta1', {
    addresses: list('Addresses of the machine.', addresses),
    nodeRef: objectReference('The Node of this machine.'),
    phase: oneOf(phaseText, phases),
  }),
  bootstrapReady: boolean('The bootstrap data was there.'),
  conditions: legacyConditions(),
  ...legacyFailure,
  infrastructureReady: boolean('The host was there.'),
  v1beta2: object('State in the words of v1beta2.', { conditions: conditions() }),
});

export type MachineSpec = Infer<typeof machineSpec>;
export type MachineStatus = Infer<typeof machineStatus>;
export type MachineTemplate = Infer<typeof machineTemplate>;
export type Machine = KubeObject<MachineSpec, MachineStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    Machine: Machine;
  }
}
