import { afterEach, describe, expect, it } from 'vitest';
import { mergePatch } from '../../machinery/api/merge.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { example } from './manifests.ts';
import { createWorld, type Kind, type World } from './world.ts';

let world: World;
afterEach(() => world.end());

interface Case {
  reference: string;
  in: Kind;
  name: string;
  patch: object;
  type: string;
  says: string;
}

const groups = {
  infrastructure: 'infrastructure.cluster.x-k8s.io',
  bootstrap: 'bootstrap.cluster.x-k8s.io',
  controlplane: 'controlplane.cluster.x-k8s.io',
};
const to = (group: keyof typeof groups, kind: string) => ({ apiGroup: groups[group], kind, name: 'other' });
const hosts = { infrastructureRef: to('infrastructure', 'DockerMachineTemplate') };
const hostsSay =
  'DockerMachineTemplate (infrastructure.cluster.x-k8s.io) is not served here; served is AWSMachineTemplate';
const configSays =
  'RKE2ConfigTemplate (bootstrap.cluster.x-k8s.io) is not served here; served are KubeadmConfigTemplate, NodeadmConfigTemplate';
const labels = { pool: 'a' };
const machine = (spec: object) => ({
  clusterName: 'quickstart',
  version: 'v1.35.0',
  bootstrap: { dataSecretName: 'given' },
  infrastructureRef: to('infrastructure', 'AWSMachine'),
  ...spec,
});
const set: KubeObject = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineSet',
  metadata: { name: 'set', namespace: 'default' },
  spec: {
    clusterName: 'quickstart',
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: machine(hosts) },
  },
};
const standalone: KubeObject = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Machine',
  metadata: { name: 'alone', namespace: 'default' },
  spec: machine({}),
};

const cases: Case[] = [
  {
    reference: 'spec.controlPlaneRef',
    in: 'Cluster',
    name: 'quickstart',
    patch: { spec: { controlPlaneRef: to('controlplane', 'RKE2ControlPlane') } },
    type: 'ControlPlaneAvailable',
    says: 'RKE2ControlPlane (controlplane.cluster.x-k8s.io) is not served here; served are AWSManagedControlPlane, KubeadmControlPlane',
  },
  {
    reference: 'spec.infrastructureRef, which names another group',
    in: 'Cluster',
    name: 'quickstart',
    patch: { spec: { infrastructureRef: { apiGroup: 'other.example.com', kind: 'AWSCluster', name: 'quickstart' } } },
    type: 'InfrastructureReady',
    says: 'AWSCluster (other.example.com) is not served here; served are AWSCluster, AWSManagedCluster',
  },
  {
    reference: 'spec.infrastructureRef',
    in: 'Cluster',
    name: 'quickstart',
    patch: { spec: { infrastructureRef: to('infrastructure', 'AzureCluster') } },
    type: 'InfrastructureReady',
    says: 'AzureCluster (infrastructure.cluster.x-k8s.io) is not served here; served are AWSCluster, AWSManagedCluster',
  },
  {
    reference: 'spec.machineTemplate.spec.infrastructureRef',
    in: 'KubeadmControlPlane',
    name: 'quickstart-control-plane',
    patch: { spec: { machineTemplate: { spec: hosts } } },
    type: 'ScalingUp',
    says: hostsSay,
  },
  {
    reference: 'spec.template.spec.infrastructureRef',
    in: 'MachineDeployment',
    name: 'quickstart-workers',
    patch: { spec: { template: { spec: hosts } } },
    type: 'ScalingUp',
    says: hostsSay,
  },
  {
    reference: 'spec.template.spec.bootstrap.configRef',
    in: 'MachineDeployment',
    name: 'quickstart-workers',
    patch: { spec: { template: { spec: { bootstrap: { configRef: to('bootstrap', 'RKE2ConfigTemplate') } } } } },
    type: 'ScalingUp',
    says: configSays,
  },
  {
    reference: 'spec.template.spec.infrastructureRef',
    in: 'MachineSet',
    name: 'set',
    patch: {},
    type: 'ScalingUp',
    says: hostsSay,
  },
  {
    reference: 'spec.infrastructureRef',
    in: 'Machine',
    name: 'alone',
    patch: { spec: { infrastructureRef: to('infrastructure', 'DockerMachine') } },
    type: 'InfrastructureReady',
    says: 'DockerMachine (infrastructure.cluster.x-k8s.io) is not served here; served is AWSMachine',
  },
  {
    reference: 'spec.bootstrap.configRef',
    in: 'Machine',
    name: 'alone',
    patch: { spec: { bootstrap: { dataSecretName: null, configRef: to('bootstrap', 'EKSConfig') } } },
    type: 'BootstrapConfigReady',
    says: 'EKSConfig (bootstrap.cluster.x-k8s.io) is not served here; served are KubeadmConfig, NodeadmConfig',
  },
  {
    reference: 'spec.template.spec.infrastructureRef, which names no template',
    in: 'MachineDeployment',
    name: 'quickstart-workers',
    patch: { spec: { template: { spec: { infrastructureRef: to('infrastructure', 'AWSMachine') } } } },
    type: 'ScalingUp',
    says: 'AWSMachine (infrastructure.cluster.x-k8s.io) is no kind that this reference names; served is AWSMachineTemplate',
  },
  {
    reference: 'spec.template.spec.bootstrap.configRef, which names no template',
    in: 'MachineSet',
    name: 'set',
    patch: {
      spec: {
        template: {
          spec: {
            bootstrap: { dataSecretName: null, configRef: to('bootstrap', 'KubeadmConfig') },
            infrastructureRef: to('infrastructure', 'AWSMachineTemplate'),
          },
        },
      },
    },
    type: 'ScalingUp',
    says: 'KubeadmConfig (bootstrap.cluster.x-k8s.io) is no kind that this reference names; served are KubeadmConfigTemplate, NodeadmConfigTemplate',
  },
  {
    reference: 'spec.machineTemplate.spec.infrastructureRef, which names no template',
    in: 'KubeadmControlPlane',
    name: 'quickstart-control-plane',
    patch: { spec: { machineTemplate: { spec: { infrastructureRef: to('infrastructure', 'AWSCluster') } } } },
    type: 'ScalingUp',
    says: 'AWSCluster (infrastructure.cluster.x-k8s.io) is no kind that this reference names; served is AWSMachineTemplate',
  },
  {
    reference: 'spec.infrastructureRef, which names a template',
    in: 'Machine',
    name: 'alone',
    patch: { spec: { infrastructureRef: to('infrastructure', 'AWSMachineTemplate') } },
    type: 'InfrastructureReady',
    says: 'AWSMachineTemplate (infrastructure.cluster.x-k8s.io) is no kind that this reference names; served is AWSMachine',
  },
];

describe('a reference to a kind that is not served', () => {
  it.each(cases)('$in $reference is reported by a condition and one Event', async (one) => {
    world = await createWorld({ workflows: true });
    const objects = [...example('quickstart.yaml'), set, standalone].filter(
      ({ kind }) => kind !== 'MachineSet' && kind !== 'Machine',
    );
    const extra = one.in === 'MachineSet' ? [set] : one.in === 'Machine' ? [standalone] : [];
    const events: string[] = [];
    world.onCommit(({ type, object }) => {
      const event = (object ?? {}) as {
        reason?: string;
        type?: string;
        message?: string;
        involvedObject?: { kind: string };
      };
      if (type === 'events' && event.reason === 'KindNotServed')
        events.push(`${event.involvedObject?.kind}: ${event.type} ${event.message}`);
    });
    for (const object of [...objects, ...extra]) {
      const isMeant = object.kind === one.in && object.metadata.name === one.name;
      const { code, body } = await world.apply(isMeant ? (mergePatch(object, one.patch) as KubeObject) : object);
      expect(code, body.message).toBeLessThan(300);
    }
    await world.pass(15);
    expect(world.condition(one.in, one.name, one.type)?.message).toContain(one.says);
    // The Cluster reports what its creation waits for, too. It does not wait for Machines that a user made.
    const reporters = [...new Set(one.in === 'Machine' ? ['Machine'] : [one.in, 'Cluster'])];
    expect(events.toSorted()).toEqual(reporters.map((kind) => `${kind}: Warning ${one.says}`).toSorted());
  });

  it.each([true, false])('buys nothing for a Cluster whose infrastructure it is (workflows: %s)', async (workflows) => {
    world = await createWorld({ workflows });
    const docker = { spec: { infrastructureRef: { ...to('infrastructure', 'DockerCluster'), name: 'quickstart' } } };
    for (const object of example('quickstart.yaml')) {
      const { code, body } = await world.apply(
        object.kind === 'Cluster' ? (mergePatch(object, docker) as KubeObject) : object,
      );
      expect(code, body.message).toBeLessThan(300);
    }
    await world.pass(3600);
    expect(world.condition('Cluster', 'quickstart', 'InfrastructureReady')).toMatchObject({
      status: 'False',
      message:
        'DockerCluster (infrastructure.cluster.x-k8s.io) is not served here; served are AWSCluster, AWSManagedCluster',
    });
    expect(world.live()).toEqual([]);
  });
});
