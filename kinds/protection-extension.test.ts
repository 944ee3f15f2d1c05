import { describe, expect, it } from 'vitest';
import { ApiError } from '../machinery/api/errors.ts';
import { resourceOf } from '../machinery/api/kind.ts';
import type { KubeObject, ObjectMeta } from '../machinery/api/object.ts';
import { kinds } from './index.ts';
import { protectionExtension } from './protection-extension.ts';
import { apiVersionFor, referenceTo } from './references.fixture.ts';

const cluster = 'cluster.x-k8s.io/v1beta2';
const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';
const ownedBy = (kind: string, name: string, controller = false) => ({
  apiVersion: cluster,
  kind,
  name,
  uid: `${kind}/${name}`,
  ...(controller && { controller }),
});
const make = (kind: string, name: string, spec: object = {}, metadata: Partial<ObjectMeta> = {}): KubeObject => ({
  apiVersion: apiVersionFor(kind),
  kind,
  metadata: { namespace: 'default', name, uid: `${kind}/${name}`, ...metadata },
  spec,
});
const ofCluster = { ownerReferences: [ownedBy('Cluster', 'demo')] };
const machineTemplate = {
  spec: {
    clusterName: 'demo',
    infrastructureRef: referenceTo('AWSMachineTemplate', 'workers'),
    bootstrap: {
      configRef: referenceTo('KubeadmConfigTemplate', 'workers'),
    },
  },
};
const machine = (name: string, metadata: Partial<ObjectMeta> = {}) =>
  make(
    'Machine',
    name,
    { clusterName: 'demo', infrastructureRef: referenceTo('AWSMachine', name) },
    { labels: { 'cluster.x-k8s.io/cluster-name': 'demo' }, ...metadata },
  );
const controlPlaneMachine = (name: string, metadata: Partial<ObjectMeta> = {}) =>
  machine(name, {
    labels: { 'cluster.x-k8s.io/cluster-name': 'demo', 'cluster.x-k8s.io/control-plane': '' },
    ownerReferences: [ownedBy('KubeadmControlPlane', 'demo', true)],
    ...metadata,
  });
const secret = (name: string, values: Record<string, string> = {}, metadata: Partial<ObjectMeta> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'default', name, uid: `Secret/${name}`, ...metadata },
  data: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
});
const set = (kind: string, name: string, replicas = 2, metadata: Partial<ObjectMeta> = {}) =>
  make(kind, name, { clusterName: 'demo', replicas, template: machineTemplate }, metadata);

const demo = make(
  'Cluster',
  'demo',
  {
    controlPlaneRef: referenceTo('KubeadmControlPlane', 'demo'),
    infrastructureRef: referenceTo('AWSCluster', 'demo'),
  },
  { annotations: { 'capstan.dev/protected': 'true' } },
);
const ofEks: KubeObject = {
  ...demo,
  spec: {
    controlPlaneRef: referenceTo('AWSManagedControlPlane', 'demo'),
    infrastructureRef: referenceTo('AWSManagedCluster', 'demo'),
  },
};
const controlPlane = make(
  'KubeadmControlPlane',
  'demo',
  {
    machineTemplate: { spec: { infrastructureRef: referenceTo('AWSMachineTemplate', 'control-plane') } },
    kubeadmConfigSpec: { files: [{ path: '/e', contentFrom: { secret: { name: 'encryption', key: 'config' } } }] },
  },
  ofCluster,
);
const pool = set('MachineDeployment', 'workers');
const poolSet = set('MachineSet', 'workers-1', 2, { ownerReferences: [ownedBy('MachineDeployment', 'workers', true)] });
const defaults = [
  demo,
  controlPlane,
  pool,
  poolSet,
  controlPlaneMachine('cp-1'),
  controlPlaneMachine('cp-2'),
  machine('w-1'),
];

const kindOf = (object: KubeObject) => kinds.find(({ kind }) => kind === object.kind)!;
const extensionsOver = (objects: readonly KubeObject[]) =>
  protectionExtension(
    { list: async (type) => ({ objects: objects.filter((object) => resourceOf(kindOf(object)) === type) }) },
    kinds,
  );
const refusal = async (act: () => unknown): Promise<string> => {
  try {
    await act();
    return '';
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return error.message;
    throw error;
  }
};
const deletion = (object: KubeObject, objects = defaults, together: readonly KubeObject[] = []) =>
  refusal(() => extensionsOver(objects)[resourceOf(kindOf(object))]?.admitDelete(undefined, object, together));
const update = (object: KubeObject, old: KubeObject, objects = defaults) =>
  refusal(() =>
    extensionsOver(objects)[resourceOf(kindOf(object))]?.admit(object, {
      operation: 'update',
      old,
      user: { username: 'user', groups: [] },
      dryRun: false,
    }),
  );

const lift =
  ' of Cluster demo, which is protected by the annotation capstan.dev/protected; to allow its deletion, run: ';
const protects = (why: string) => expect.stringContaining(`is forbidden: ${why}${lift}kubectl annotate cluster/demo`);

const refused: { rule: string; object: KubeObject; why: string; objects?: KubeObject[]; together?: KubeObject[] }[] = [
  { rule: 'the control plane', object: controlPlane, why: 'it is the control plane' },
  {
    rule: 'a control plane that the Cluster no longer names',
    object: make('KubeadmControlPlane', 'former', {}, ofCluster),
    why: 'it is the control plane',
  },
  { rule: 'the AWSCluster', object: make('AWSCluster', 'demo'), why: 'it is the infrastructure' },
  {
    rule: 'a control plane of EKS',
    object: make('AWSManagedControlPlane', 'demo', {}, ofCluster),
    objects: [ofEks],
    why: 'it is the control plane',
  },
  {
    rule: 'the AWSManagedCluster',
    object: make('AWSManagedCluster', 'demo'),
    objects: [ofEks],
    why: 'it is the infrastructure',
  },
  { rule: 'the last MachineDeployment', object: pool, why: 'it has the last workers' },
  {
    rule: 'a MachineDeployment beside one without Machines',
    object: pool,
    objects: [...defaults, set('MachineDeployment', 'empty', 0)],
    why: 'it has the last workers',
  },
  {
    rule: 'all MachineDeployments at once',
    object: pool,
    objects: [...defaults, set('MachineDeployment', 'more')],
    together: [pool, set('MachineDeployment', 'more')],
    why: 'it has the last workers',
  },
  {
    rule: 'a MachineDeployment beside one in deletion',
    object: pool,
    objects: [...defaults, set('MachineDeployment', 'more', 2, { deletionTimestamp: '2026-11-29T12:00:00Z' })],
    why: 'it has the last workers',
  },
  { rule: 'the last MachineSet', object: poolSet, why: 'it has the last workers' },
  {
    rule: 'the last control-plane Machine',
    object: controlPlaneMachine('cp-1'),
    objects: [demo, controlPlane, controlPlaneMachine('cp-1'), machine('w-1')],
    why: 'it is the last control-plane Machine',
  },
  {
    rule: 'the last control-plane Machine that is not in deletion',
    object: controlPlaneMachine('cp-1'),
    objects: [
      demo,
      controlPlane,
      controlPlaneMachine('cp-1'),
      controlPlaneMachine('cp-2', { deletionTimestamp: '2026-11-29T12:00:00Z' }),
    ],
    why: 'it is the last control-plane Machine',
  },
  {
    rule: 'all control-plane Machines at once',
    object: controlPlaneMachine('cp-1'),
    together: [controlPlaneMachine('cp-1'), controlPlaneMachine('cp-2')],
    why: 'it is the last control-plane Machine',
  },
  {
    rule: 'a control-plane Machine that lost its labels',
    object: controlPlaneMachine('cp-1', { labels: {} }),
    objects: [demo, controlPlane, controlPlaneMachine('cp-1', { labels: {} })],
    why: 'it is the last control-plane Machine',
  },
  {
    rule: 'the host of a control-plane Machine',
    object: make('AWSMachine', 'cp-1'),
    why: 'it is the host of the control-plane Machine cp-1, which is to be deleted instead,',
  },
  {
    rule: 'the template of the control plane',
    object: { ...make('AWSMachineTemplate', 'control-plane'), apiVersion: infrastructure },
    why: 'it is a current template',
  },
  { rule: 'the template of a pool', object: make('AWSMachineTemplate', 'workers'), why: 'it is a current template' },
  {
    rule: 'the bootstrap template of a pool',
    object: make('KubeadmConfigTemplate', 'workers'),
    why: 'it is a current template',
  },
  {
    rule: 'a template of nodeadm in use',
    object: make('NodeadmConfigTemplate', 'nodes'),
    objects: [
      demo,
      make('MachineDeployment', 'workers', {
        clusterName: 'demo',
        replicas: 2,
        template: {
          spec: {
            ...machineTemplate.spec,
            bootstrap: { configRef: referenceTo('NodeadmConfigTemplate', 'nodes') },
          },
        },
      }),
    ],
    why: 'it is a current template',
  },
  ...['demo-ca', 'demo-etcd', 'demo-proxy', 'demo-sa', 'encryption'].map((name) => ({
    rule: `the Secret ${name}, also without labels`,
    object: secret(name),
    why: 'it holds keys',
  })),
];

const admitted: { rule: string; object: KubeObject; objects?: KubeObject[]; together?: KubeObject[] }[] = [
  {
    rule: 'a pool beside another',
    object: pool,
    objects: [...defaults, set('MachineDeployment', 'more')],
  },
  { rule: 'a pool beside a MachineSet of a user', object: pool, objects: [...defaults, set('MachineSet', 'own')] },
  {
    rule: 'an old revision',
    object: set('MachineSet', 'old', 0, { ownerReferences: poolSet.metadata.ownerReferences! }),
  },
  { rule: 'a worker', object: machine('w-1') },
  { rule: 'all workers at once', object: machine('w-1'), together: [machine('w-1')] },
  { rule: 'one of two control-plane Machines', object: controlPlaneMachine('cp-1') },
  { rule: 'the host of a worker', object: make('AWSMachine', 'w-1') },
  {
    rule: 'the host of a control-plane Machine in deletion',
    object: make('AWSMachine', 'cp-1'),
    objects: [demo, controlPlane, controlPlaneMachine('cp-1', { deletionTimestamp: '2026-11-29T12:00:00Z' })],
  },
  { rule: 'a template that no pool names', object: make('AWSMachineTemplate', 'old') },
  { rule: 'a kubeconfig, which the control plane makes again', object: secret('demo-kubeconfig') },
  { rule: "another cluster's key", object: secret('other-ca') },
  { rule: "another cluster's control plane", object: make('KubeadmControlPlane', 'other') },
  {
    rule: 'what clusterctl has moved',
    object: {
      ...controlPlane,
      metadata: { ...controlPlane.metadata, annotations: { 'clusterctl.cluster.x-k8s.io/delete-for-move': '' } },
    },
  },
  {
    rule: 'the control plane of an unprotected cluster',
    object: controlPlane,
    objects: [{ ...demo, metadata: { ...demo.metadata, annotations: { 'capstan.dev/protected': 'false' } } }],
  },
  {
    rule: 'the control plane of a cluster in deletion',
    object: controlPlane,
    objects: [{ ...demo, metadata: { ...demo.metadata, deletionTimestamp: '2026-11-29T12:00:00Z' } }],
  },
];

describe('a protected cluster keeps', () => {
  it.each(refused)('$rule', async ({ object, why, objects, together }) =>
    expect(await deletion(object, objects, together)).toEqual(protects(why)));
});

describe('a protected cluster gives up', () => {
  it.each(admitted)('$rule', async ({ object, objects, together }) =>
    expect(await deletion(object, objects, together)).toBe(''));
});

/** Kinds whose deletion neither deletes a cluster nor loses what only they have. */
const harmless = [
  'accessentries.capstan.dev',
  'addons.capstan.dev',
  'awsclustercontrolleridentities.infrastructure.cluster.x-k8s.io',
  'awsclusterroleidentities.infrastructure.cluster.x-k8s.io',
  'awsclustertemplates.infrastructure.cluster.x-k8s.io',
  'awsmanagedmachinepools.infrastructure.cluster.x-k8s.io',
  'clusterclasses.cluster.x-k8s.io',
  'clusteroperations.capstan.dev',
  'clusterresourcesetbindings.addons.cluster.x-k8s.io',
  'clusterresourcesets.addons.cluster.x-k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
  'configmaps',
  'etcdsnapshots.capstan.dev',
  'events',
  'events.events.k8s.io',
  'extensionconfigs.runtime.cluster.x-k8s.io',
  'flowschemas.flowcontrol.apiserver.k8s.io',
  'gitopstargets.capstan.dev',
  'globalinclusterippools.ipam.cluster.x-k8s.io',
  'inclusterippools.ipam.cluster.x-k8s.io',
  'installations.capstan.dev',
  'ipaddressclaims.ipam.cluster.x-k8s.io',
  'ipaddresses.ipam.cluster.x-k8s.io',
  'kubeadmconfigs.bootstrap.cluster.x-k8s.io',
  'kubeadmcontrolplanetemplates.controlplane.cluster.x-k8s.io',
  'leases.coordination.k8s.io',
  'awsmachinepools.infrastructure.cluster.x-k8s.io',
  'machinedrainrules.cluster.x-k8s.io',
  'machinehealthchecks.cluster.x-k8s.io',
  'machinepools.cluster.x-k8s.io',
  'nodeadmconfigs.bootstrap.cluster.x-k8s.io',
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  'resourcequotas',
  'rolebindings.rbac.authorization.k8s.io',
  'roles.rbac.authorization.k8s.io',
  'scalingplans.capstan.dev',
  'serviceaccounts',
  'services',
  'snapshotlistrequests.capstan.dev',
  'upgradechecks.capstan.dev',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'mutatingadmissionpolicies.admissionregistration.k8s.io',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
];
/** Their own rules refuse their deletion. */
const refusing = ['clusters.cluster.x-k8s.io', 'namespaces'];

it('decides about every kind', () => {
  const served = kinds.filter((kind) => kind.served !== false).map(resourceOf);
  const decided = [...new Set(refused.map(({ object }) => resourceOf(kindOf(object))))];
  expect([...decided, ...harmless, ...refusing].sort()).toEqual(served.sort());
});

describe('an update in a protected cluster', () => {
  const owned = (object: KubeObject, ...ownerReferences: ReturnType<typeof ownedBy>[]): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, ownerReferences },
  });
  const foreign = ownedBy('ConfigMap', 'stranger');
  const key = (of: string) => ({ 'tls.crt': 'certificate', 'tls.key': of });

  it.each([
    { rule: 'the control plane', object: controlPlane },
    { rule: 'a template in use', object: owned(make('AWSMachineTemplate', 'workers')) },
    { rule: 'a key', object: secret('demo-ca') },
    { rule: 'the last pool', object: pool },
  ])('leaves $rule an owner in the cluster', async ({ object }) => {
    expect(await update(owned(object, foreign), object)).toContain('its new owners could have it deleted, and it ');
    expect(await update(owned(object, foreign, ownedBy('Cluster', 'demo')), object)).toBe('');
    expect(await update(owned(object), object)).toBe('');
  });

  it('may give away what the cluster can lose', async () =>
    expect(await update(owned(machine('w-1'), foreign), machine('w-1'))).toBe(''));

  it('keeps its keys', async () => {
    const ca = secret('demo-ca', key('k'));
    expect(await update(secret('demo-ca', key('other')), ca)).toContain(
      'the change would replace a key, and it holds keys',
    );
    expect(await update(secret('demo-ca'), ca)).toContain('the change would replace a key');
    expect(await update(secret('demo-ca', key('k'), { labels: { of: 'user' } }), ca)).toBe('');
    expect(await update(secret('demo-kubeconfig', { value: 'new' }), secret('demo-kubeconfig', { value: 'old' }))).toBe(
      '',
    );
  });
});
