/** A pass that throws is a defect of Capstan: the object's user, who reads no log, must see why nothing happens. */
import { describe, expect, it } from 'vitest';
import { apiVersionOf } from '../machinery/api/kind.ts';
import type { Condition, JsonObject, KubeObject } from '../machinery/api/object.ts';
import type { AnyController } from '../machinery/controller/pass.ts';
import { createWorld } from '../test/loop/world.ts';
import { installationName } from './common/installation.ts';
import { controllers } from './controllers.ts';
import { kinds } from './index.ts';

const text = 'Cannot read properties of undefined';
const throws = () => {
  throw new TypeError(text);
};

const machine = {
  clusterName: 'c',
  bootstrap: { dataSecretName: 'data' },
  infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachine', name: 'a' },
};
const machines = {
  clusterName: 'c',
  selector: { matchLabels: { pool: 'a' } },
  template: { metadata: { labels: { pool: 'a' } }, spec: machine },
};
const addresses = { addresses: ['10.0.0.10'], prefix: 24 };
/** What admission needs. */
const templateRef = (group: string, kind: string) => ({
  apiVersion: `${group}.cluster.x-k8s.io/v1beta2`,
  kind,
  name: 't',
});
const specs: Record<string, JsonObject> = {
  Addon: { clusterName: 'c', manifests: [{ kind: 'ConfigMap', name: 'a' }] },
  AWSMachine: { instanceType: 't3.large' },
  AWSMachinePool: { minSize: 1, maxSize: 1, awsLaunchTemplate: { instanceType: 't3.large' } },
  AWSMachineTemplate: { template: { spec: { instanceType: 't3.large' } } },
  AWSManagedControlPlane: {
    region: 'eu-central-1',
    network: { vpc: { id: 'vpc-1' }, subnets: [{ id: 'subnet-1' }, { id: 'subnet-2' }] },
  },
  Cluster: { infrastructureRef: { ...machine.infrastructureRef, kind: 'AWSCluster' } },
  ClusterResourceSet: { clusterSelector: { matchLabels: { cni: 'a' } }, resources: [{ kind: 'Secret', name: 'a' }] },
  EtcdSnapshot: { clusterName: 'c' },
  ExtensionConfig: { clientConfig: { url: 'https://extension.example' } },
  GitOpsTarget: {
    tool: 'ArgoCD',
    kubeconfig: { secretName: 'a' },
    clusterSelector: { matchLabels: { a: 'b' } },
  },
  GlobalInClusterIPPool: addresses,
  InClusterIPPool: addresses,
  IPAddressClaim: { poolRef: { apiGroup: 'ipam.cluster.x-k8s.io', kind: 'InClusterIPPool', name: 'a' } },
  KubeadmControlPlane: {
    replicas: 1,
    version: 'v1.33.0',
    machineTemplate: { spec: { infrastructureRef: { ...machine.infrastructureRef, kind: 'AWSMachineTemplate' } } },
  },
  ClusterClass: {
    infrastructure: { templateRef: templateRef('infrastructure', 'AWSClusterTemplate') },
    controlPlane: { templateRef: templateRef('controlplane', 'KubeadmControlPlaneTemplate') },
  },
  Machine: machine,
  MachineDeployment: machines,
  MachineHealthCheck: { clusterName: 'c', selector: machines.selector },
  MachinePool: { clusterName: 'c', template: machines.template },
  MachineSet: machines,
  ScalingPlan: { clusterName: installationName },
};

const objectFor = ({ for: name }: AnyController): KubeObject => {
  const kind = kinds.find((one) => one.kind === name)!;
  const namespace = kind.namespaced ? { namespace: 'default' } : {};
  const { name: version } = kind.versions.find(({ storage }) => storage)!;
  return {
    apiVersion: apiVersionOf(kind.group, version),
    kind: kind.kind,
    metadata: { name: installationName, ...namespace },
    spec: specs[kind.kind] ?? {},
  };
};

const conditionsOf = (object: KubeObject | undefined) =>
  ((object?.status as JsonObject | undefined)?.conditions ?? []) as (Condition & { severity?: string })[];

const faulty = (controller: AnyController, part: 'observe' | 'reconcile', isFaulty: () => boolean): AnyController => {
  const answer = () => (isFaulty() ? throws() : {});
  const healthy: AnyController = {
    ...controller,
    observe: () => ({}),
    reconcile: () => ({}),
    ...(controller.reconcileInSteps && {
      *reconcileInSteps() {
        yield;
        return part === 'reconcile' ? answer() : {};
      },
    }),
    clusterOf: () => undefined,
  };
  return { ...healthy, [part]: answer };
};

describe.each(controllers.map((controller) => [controller.name, controller] as const))('%s', (name, controller) => {
  it.each(['observe', 'reconcile'] as const)('leaves in a condition and an Event what its %s threw', async (part) => {
    let isFaulty = true;
    const world = await createWorld({ kinds: [...kinds], controllers: [faulty(controller, part, () => isFaulty)] });
    await world.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
    const object = objectFor(controller);
    const kind = kinds.find((one) => one.kind === object.kind)!;
    await world.create(object);
    const own = async () =>
      conditionsOf(await world.get(kind, installationName)).filter(({ type }) => type.endsWith('ReconcileSucceeded'));
    await world.seconds(1);
    const type = controller.conditions === 'none' ? `${name}.capstan.dev/ReconcileSucceeded` : 'ReconcileSucceeded';
    expect(await own()).toEqual([
      expect.objectContaining({
        type,
        status: 'False',
        reason: 'TypeError',
        message: text,
        lastTransitionTime: expect.any(String),
        ...(controller.conditions === 'v1beta1' && { severity: 'Error' }),
      }),
    ]);
    const { objects: events } = await world.store.list('events', {});
    expect(events.map(({ reason, message }) => ({ reason, message }))).toEqual([
      { reason: 'ReconcileFailed', message: text },
    ]);
    isFaulty = false;
    await world.seconds(900);
    expect(await own()).toEqual([]);
  });
});
