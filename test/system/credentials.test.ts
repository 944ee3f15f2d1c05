/**
 * A viewer reads everything but Secrets. Nothing else that an installation writes in the life of a cluster, objects,
 * Events and logs, contains a credential.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import { resourceOf } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { isSettled, remains } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

const cluster = 'quickstart';
const controlPlane = 'quickstart-control-plane';
const workers = 'quickstart-workers';

const sorts = {
  'private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+([A-Za-z0-9+/=\s]+?)-----END/g,
  'private key of a kubeconfig': /"?client-key-data"?: "?([A-Za-z0-9+/=]+)/g,
  'join token': /\b([a-z0-9]{6}\.[a-z0-9]{16})\b/g,
  'token of an API server': /"token": "([^"]+)"/g,
  'signature of a link': /[?&]signature=([0-9a-f]+)/g,
} as const;
type Sort = keyof typeof sorts;

/** A part of the credential that nothing else contains by chance. */
const partOf = (credential: string): string => {
  const lines = credential.trim().split(/\s+/);
  return lines[Math.floor(lines.length / 2)]!.slice(0, 60);
};
/** The text as it appears in base64, whatever precedes it. */
const inBase64 = (text: string): string[] =>
  [0, 1, 2].map((before) => {
    const encoded = Buffer.from(' '.repeat(before) + text).toString('base64');
    return encoded.slice(before === 0 ? 0 : before + 1, 4 * Math.floor((before + text.length) / 3));
  });

let world: World;
const credentials = new Map<string, Sort>();
const learn = (text: string): void => {
  for (const [sort, pattern] of Object.entries(sorts) as [Sort, RegExp][])
    for (const [, credential] of text.matchAll(pattern)) credentials.set(partOf(credential!), sort);
};
/** By what was written, where. */
const written = new Map<string, string>();
const types = new Set<string>();

const change = async (kind: 'KubeadmControlPlane' | 'MachineDeployment', name: string, patch: object) =>
  expect((await world.patch(kind, name, patch)).code).toBe(200);
const settle = (minutes = 90) => world.until('settled', () => isSettled(world), minutes);
const learnFromCluster = async () => {
  for (const guest of world.system.guests.clusters.all())
    for (const { data = {} } of await world.wait(
      guest.list<KubeObject & { data?: Record<string, string> }>('secrets'),
    )) {
      const { 'token-id': id, 'token-secret': secret } = data;
      if (id && secret) learn([id, secret].map((part) => Buffer.from(part, 'base64').toString()).join('.'));
    }
};
const apply = async (kind: 'EtcdSnapshot' | 'ClusterOperation', name: string, spec: object) => {
  await world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind,
    metadata: { namespace: 'default', name },
    spec: { clusterName: cluster, ...spec },
  });
  await succeeds(kind, name);
};
const succeeds = (kind: 'EtcdSnapshot' | 'ClusterOperation', name: string) =>
  world.until(name, () => world.find(kind, name)?.status?.phase === 'Succeeded', 120);

beforeAll(async () => {
  world = await createWorld({
    reports: true,
    workflows: true,
    callWebhook: async () => ({ status: 'Success', handlers: [] }),
  });
  world.onCommit(({ type, name, object }) => {
    if (!object) return;
    if (type === 'secrets') {
      const { data = {} } = object as { data?: Record<string, string> };
      for (const value of Object.values(data)) learn(Buffer.from(value, 'base64').toString());
      return;
    }
    types.add(type);
    written.set(JSON.stringify(object), `${type} ${name}`);
  });
  const check: KubeObject = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineHealthCheck',
    metadata: { name: 'check', namespace: 'default' },
    spec: {
      clusterName: cluster,
      selector: { matchLabels: { 'cluster.x-k8s.io/cluster-name': cluster } },
      checks: { unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: 300 }] },
    },
  };
  for (const object of [check, ...example('quickstart.yaml')]) await world.apply(object);
  await settle();
  await world.scale('KubeadmControlPlane', controlPlane, 3);
  const bounds = { 'capstan.dev/autoscale-min': '3', 'capstan.dev/autoscale-max': '4' };
  await change('MachineDeployment', workers, { metadata: { annotations: bounds } });
  await settle();
  await learnFromCluster();
  await world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'UpgradeCheck',
    metadata: { namespace: 'default', name: cluster, annotations: { 'capstan.dev/check-upgrade': 'v1.36.0' } },
    spec: { clusterName: cluster },
  });
  await world.until('checked', () => types.has('infrastructurechecks.capstan.dev'), 5);
  await change('KubeadmControlPlane', controlPlane, { spec: { version: 'v1.36.0' } });
  await change('MachineDeployment', workers, { spec: { template: { spec: { version: 'v1.36.0' } } } });
  await succeeds('ClusterOperation', 'quickstart-upgrade-1');
  await settle();
  await learnFromCluster();
  await apply('EtcdSnapshot', 'first', {});
  await world.patch('EtcdSnapshot', 'first', { metadata: { annotations: { 'capstan.dev/download': 'now' } } });
  await world.until('offered', () => world.find('Secret', 'first-download') !== undefined, 5);
  await world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'SnapshotListRequest',
    metadata: { namespace: 'default', name: 'list' },
  });
  await world.until('listed', () => world.find('SnapshotListRequest', 'list')?.status?.time !== undefined, 5);
  await world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'Addon',
    metadata: { namespace: 'default', name: 'absent' },
    spec: { clusterName: cluster, manifests: [{ kind: 'ConfigMap', name: 'absent' }] },
  });
  await world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'GitOpsTarget',
    metadata: { namespace: 'default', name: 'argo' },
    spec: {
      tool: 'ArgoCD',
      kubeconfig: { secretName: `${cluster}-kubeconfig` },
      clusterSelector: { matchLabels: { gitops: 'yes' } },
    },
  });
  await world.apply({
    apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
    kind: 'ExtensionConfig',
    metadata: { name: 'extension' },
    spec: { clientConfig: { url: 'https://extension.example' } },
  });
  await world.until('discovered', () => world.find('ExtensionConfig', 'extension', '')?.status !== undefined, 5);
  const ipam = 'ipam.cluster.x-k8s.io';
  await world.apply({
    apiVersion: `${ipam}/v1alpha2`,
    kind: 'InClusterIPPool',
    metadata: { namespace: 'default', name: 'pool' },
    spec: { addresses: ['10.0.0.10'], prefix: 24 },
  });
  await world.apply({
    apiVersion: `${ipam}/v1beta2`,
    kind: 'IPAddressClaim',
    metadata: { namespace: 'default', name: 'claim' },
    spec: { poolRef: { apiGroup: ipam, kind: 'InClusterIPPool', name: 'pool' } },
  });
  await world.until('given', () => world.find('IPAddress', 'claim') !== undefined, 5);
  await apply('ClusterOperation', 'quickstart-restore-1', { type: 'restore', snapshot: 'first' });
  await settle();
  await learnFromCluster();
  await world.remove('Cluster', cluster);
  await world.until('deleted', () => remains(world).length === 0, 120);
}, 120_000);
afterAll(() => world.end());

it('had each sort of credential, and wrote objects of every kind that controllers write', () => {
  expect(new Set(credentials.values())).toEqual(new Set(Object.keys(sorts)));
  const others = kinds.filter(({ storedAs }) => storedAs === undefined).map(resourceOf);
  expect(others.filter((type) => !types.has(type)).sort()).toEqual([
    'accessentries.capstan.dev',
    'awsclustercontrolleridentities.infrastructure.cluster.x-k8s.io',
    'awsclusterroleidentities.infrastructure.cluster.x-k8s.io',
    'awsclustertemplates.infrastructure.cluster.x-k8s.io',
    'awsmachinepools.infrastructure.cluster.x-k8s.io',
    'awsmanagedclusters.infrastructure.cluster.x-k8s.io',
    'awsmanagedcontrolplanes.controlplane.cluster.x-k8s.io',
    'awsmanagedmachinepools.infrastructure.cluster.x-k8s.io',
    'clusterclasses.cluster.x-k8s.io',
    'clusterrolebindings.rbac.authorization.k8s.io',
    'clusterroles.rbac.authorization.k8s.io',
    'flowschemas.flowcontrol.apiserver.k8s.io',
    'globalinclusterippools.ipam.cluster.x-k8s.io',
    'kubeadmcontrolplanetemplates.controlplane.cluster.x-k8s.io',
    'leases.coordination.k8s.io',
    'machinedrainrules.cluster.x-k8s.io',
    'machinepools.cluster.x-k8s.io',
    'mutatingadmissionpolicies.admissionregistration.k8s.io',
    'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
    'mutatingwebhookconfigurations.admissionregistration.k8s.io',
    'namespaces',
    'nodeadmconfigs.bootstrap.cluster.x-k8s.io',
    'nodeadmconfigtemplates.bootstrap.cluster.x-k8s.io',
    'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
    'resourcequotas',
    'rolebindings.rbac.authorization.k8s.io',
    'roles.rbac.authorization.k8s.io',
    'secrets',
    'services',
    'validatingadmissionpolicies.admissionregistration.k8s.io',
    'validatingadmissionpolicybindings.admissionregistration.k8s.io',
    'validatingwebhookconfigurations.admissionregistration.k8s.io',
  ]);
});

it('wrote no credential into anything but Secrets', () => {
  const found = new Set<string>();
  const parts = [...credentials].flatMap(([part, sort]) => [part, ...inBase64(part)].map((form) => ({ form, sort })));
  const search = (text: string, where: string) => {
    for (const { form, sort } of parts) if (text.includes(form)) found.add(`${sort}: ${where}`);
  };
  for (const [text, where] of written) search(text, where);
  for (const entry of world.logs) search(entry, entry);
  expect([...found]).toEqual([]);
});
