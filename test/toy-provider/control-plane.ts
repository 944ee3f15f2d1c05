/** The controller of ToyControlPlanes: it adds and removes one machine at a time until all run the desired version. */

import { labels } from '../../kinds/common/labels.ts';
import { controllerReference, deletionOf, ownerReference } from '../../kinds/common/owners.ts';
import type { Cluster } from '../../kinds/core/cluster/index.ts';
import { cloneOf, referenceTo } from '../../kinds/core/contract/clone.ts';
import { clusterSecret, secretName } from '../../kinds/core/contract/cluster-secrets.ts';
import { isInitialized, isProvisioned } from '../../kinds/core/contract/cluster-status.ts';
import type { ControlPlaneProvider } from '../../kinds/core/contract/control-plane.ts';
import { machineFinalizer } from '../../kinds/core/contract/finalizers.ts';
import type { Machine } from '../../kinds/core/machine/index.ts';
import { isTrue } from '../../machinery/api/conditions.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import {
  type Action,
  type Context,
  defineController,
  found,
  type Plan,
  type Read,
} from '../../machinery/api/reconcile.ts';
import { clusterOf, ownerIn } from './infrastructure.ts';
import type { ToyControlPlane, ToyControlPlaneStatus } from './kinds.ts';

interface Observed {
  controlPlane: ToyControlPlane;
  cluster: Cluster | undefined;
  machines: Read<Machine[]>;
  template: Read<KubeObject>;
  kubeconfig: Read<KubeObject>;
}

const isDeleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;
const isReady = ({ status }: Machine): boolean => isTrue(status?.conditions, 'Ready');

const newMachine = (controlPlane: ToyControlPlane, cluster: Cluster, template: KubeObject, name: string): Action[] => {
  const { namespace = '' } = controlPlane.metadata;
  const own = { [labels.cluster]: cluster.metadata.name, [labels.controlPlane]: '' };
  const made = { name, owner: ownerReference(controlPlane), labels: own, annotations: {} };
  const toyMachine = cloneOf(template, made);
  const config: KubeObject = {
    apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
    kind: 'ToyConfig',
    metadata: { name, namespace, labels: own, ownerReferences: [made.owner] },
    spec: {},
  };
  const machine: KubeObject = {
    apiVersion: cluster.apiVersion,
    kind: 'Machine',
    metadata: {
      name,
      namespace,
      labels: own,
      finalizers: [machineFinalizer],
      ownerReferences: [controllerReference(controlPlane)],
    },
    spec: {
      clusterName: cluster.metadata.name,
      version: controlPlane.spec?.version ?? '',
      bootstrap: { configRef: referenceTo(config) },
      infrastructureRef: referenceTo(toyMachine),
    },
  };
  return [toyMachine, config, machine].map((object) => ({ do: 'create', object }));
};

const statusOf = (
  controlPlane: ToyControlPlane,
  machines: readonly Machine[],
  wasInitialized: boolean,
): ToyControlPlaneStatus => {
  const { replicas = 0, version = '' } = controlPlane.spec ?? {};
  const ready = machines.filter(isReady);
  const isUp = ready.length >= replicas;
  const versions = machines.map(({ spec }) => spec?.version ?? '').sort();
  return {
    replicas: machines.length,
    readyReplicas: ready.length,
    availableReplicas: ready.length,
    upToDateReplicas: machines.filter(({ spec }) => spec?.version === version).length,
    version: versions[0] ?? version,
    initialization: {
      controlPlaneInitialized: wasInitialized || machines.some(({ status }) => status?.nodeRef !== undefined),
    },
    conditions: [
      { type: 'Available', status: isUp ? 'True' : 'False', reason: isUp ? 'Available' : 'NotAvailable', message: '' },
    ],
  };
};

const step = (observed: Observed, machines: readonly Machine[], random: Context['random']): Action[] => {
  const { controlPlane, cluster, template } = observed;
  const { replicas = 0, version } = controlPlane.spec ?? {};
  if (!cluster || template.state !== 'found' || machines.some((one) => isDeleting(one) || !isReady(one))) return [];
  const outdated = machines.find(({ spec }) => spec?.version !== version);
  if (machines.length < (outdated ? replicas + 1 : replicas))
    return newMachine(controlPlane, cluster, template.value, `${controlPlane.metadata.name}-${random.suffix()}`);
  const surplus = machines.length > replicas ? (outdated ?? machines[0]) : undefined;
  return surplus ? [deletionOf(surplus)] : [];
};

const deleteAll = (machines: readonly Machine[]): Plan => ({
  actions: machines.filter((one) => !isDeleting(one)).map(deletionOf),
});

export const toyControlPlaneController = defineController<ToyControlPlane, Observed>({
  name: 'toy-control-plane',
  for: 'ToyControlPlane',
  worker: 'core',
  watches: [
    { kind: 'Machine', to: 'owner', level: 'note' },
    { kind: 'Cluster', to: 'dependents', level: 'gate' },
  ],
  finalizer: 'toy.controlplane.cluster.x-k8s.io',
  clusterOf,
  conditions: 'none',
  observe: (controlPlane, read) => {
    const { namespace = '', uid = '' } = controlPlane.metadata;
    const cluster = ownerIn<Cluster>(controlPlane, 'Cluster', read);
    const { kind, name } = controlPlane.spec!.machineTemplate.spec.infrastructureRef;
    return {
      controlPlane,
      cluster,
      machines: read.list('Machine', { namespace, owner: uid }),
      template: read.get(kind, { namespace, name }),
      kubeconfig: read.get('Secret', { namespace, name: secretName(cluster?.metadata.name ?? '', 'kubeconfig') }),
    };
  },
  reconcile: (observed, { random }): Plan<ToyControlPlaneStatus> => {
    const { controlPlane, cluster, kubeconfig } = observed;
    const machines = found(observed.machines);
    if (!machines) return {};
    if (isDeleting(controlPlane)) return { ...deleteAll(machines), finished: machines.length === 0 };
    if (!cluster || !isProvisioned(cluster)) return {};
    const { name, namespace = '' } = cluster.metadata;
    const owner = controllerReference(controlPlane);
    const secret = clusterSecret({
      namespace,
      name: secretName(name, 'kubeconfig'),
      cluster: name,
      owner,
      values: { value: 'toy' },
    });
    const actions: Action[] = [
      ...(kubeconfig.state === 'absent' ? [{ do: 'create' as const, object: secret }] : []),
      ...step(observed, machines, random),
    ];
    return { actions, status: statusOf(controlPlane, machines, isInitialized(cluster)) };
  },
  release: ({ machines: read, kubeconfig: secret }) => {
    const [machines, kubeconfig] = [found(read), found(secret)];
    if (machines?.length !== 0) return deleteAll(machines ?? []);
    return kubeconfig ? { actions: [deletionOf(kubeconfig)], again: true } : { status: {}, released: { notes: [] } };
  },
});

export const toyControlPlanes: ControlPlaneProvider = {
  group: 'controlplane.cluster.x-k8s.io',
  kind: 'ToyControlPlane',
  followsTargets: true,
};
