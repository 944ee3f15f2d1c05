/** The user data of example machines, rendered by production code. */
import { createAuthority, generateKey, privatePem, publicPem } from '../../adapters/pki/index.ts';
import type { KubeadmConfigSpec } from '../../kinds/bootstrap-kubeadm/kubeadm-config/index.ts';
import type { Ingredients } from '../../kinds/bootstrap-kubeadm/kubeadm-config/observe.ts';
import { newToken } from '../../kinds/bootstrap-kubeadm/kubeadm-config/token.ts';
import {
  type BootInput,
  discoveryFor,
  initUserData,
  joinUserData,
  restoreUserData,
  withToken,
} from '../../kinds/bootstrap-kubeadm/kubeadm-config/user-data.ts';
import type { Cluster } from '../../kinds/core/cluster/schema.ts';
import { type Authority, authorities, clusterSecret, type Secret } from '../../kinds/core/contract/cluster-secrets.ts';
import { pushFiles } from '../../kinds/core/contract/push/configuration.ts';
import type { Machine } from '../../kinds/core/machine/schema.ts';
import type { Context, Read } from '../../machinery/api/reconcile.ts';

export const roles = ['init', 'restore', 'control plane join', 'worker join'] as const;
export type Role = (typeof roles)[number];

const now = Date.parse('2026-11-21T12:00:00Z');
const meta = { namespace: 'default', name: 'quickstart' };

const authority = (commonName: string) =>
  createAuthority({ subject: { commonName }, days: 3650, algorithm: 'ECDSA-P256', now });
const serviceAccounts = () => {
  const key = generateKey('RSA-2048');
  return { certificate: publicPem(key), key: privatePem(key) };
};
const secretOf = (purpose: Authority): Read<Secret> => {
  const pair = purpose === 'sa' ? serviceAccounts() : authority(purpose);
  const value = clusterSecret({
    namespace: meta.namespace,
    name: `${meta.name}-${purpose}`,
    cluster: meta.name,
    owner: { apiVersion: 'v1', kind: 'Owner', name: 'owner', uid: 'owner' },
    values: { 'tls.crt': pair.certificate, 'tls.key': pair.key },
  });
  return { state: 'found', value };
};
const secrets = Object.fromEntries(
  authorities.map((purpose) => [purpose, secretOf(purpose)]),
) as Ingredients['certificates']['secrets'];

const cluster: Cluster = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: meta,
  spec: {
    controlPlaneEndpoint: { host: 'quickstart.elb.us-east-1.amazonaws.com', port: 6443 },
    clusterNetwork: {
      pods: { cidrBlocks: ['192.168.0.0/16'] },
      services: { cidrBlocks: ['10.128.0.0/12'] },
      serviceDomain: 'cluster.local',
    },
  },
};
const ingredients: Ingredients = {
  certificates: { secrets, generated: {}, faults: {} },
  sources: new Map(),
  controlPlane: undefined,
  lock: { state: 'absent' },
  lockHolder: undefined,
  push: undefined,
};
const context = {
  now,
  random: {
    suffix: () => 'abcde',
    pick: <T>(from: readonly T[]) => from[0]!,
    token: () => '0123456789abcdef0123456789abcdef',
  },
} as unknown as Context;

const pushing = {
  settings: { url: 'https://capstan.example.com/capstan.dev/audit' },
  namespace: meta.namespace,
  cluster: meta.name,
  token: 'a-token',
};

/** The snapshot of the role `restore`. */
export interface Restored {
  url: string;
  checksum: string;
}
const anySnapshot: Restored = { url: 'https://storage/snapshot?a=1&b=%20', checksum: `sha256:${'0'.repeat(64)}` };

/** Throws the reason when no user data can be rendered. */
export const render = (
  role: Role,
  spec: KubeadmConfigSpec,
  version: string,
  { restored = anySnapshot, reports = false } = {},
): string => {
  const machine: Machine = {
    apiVersion: cluster.apiVersion,
    kind: 'Machine',
    metadata: { ...meta, name: 'machine' },
    spec: {
      clusterName: meta.name,
      version,
      bootstrap: {},
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachine', name: 'machine' },
    },
  };
  const { controlPlane: _, ...worker } = spec.joinConfiguration ?? {};
  const wanted = role === 'worker join' ? { ...spec, joinConfiguration: worker } : spec;
  const push = { files: reports ? pushFiles(pushing, ['health-check']) : [] };
  const input: BootInput = { spec: wanted, machine, cluster, ingredients, push };
  const discovery = discoveryFor(input);
  const known = discovery.file ? discovery : withToken(discovery, newToken(context));
  const { url, checksum } = restored;
  const rendered =
    role === 'init'
      ? initUserData(input, context)
      : role === 'restore'
        ? restoreUserData(input, { file: { location: 'a.db', checksum }, url }, context)
        : joinUserData(input, known, role === 'control plane join');
  if ('fault' in rendered) throw new Error(rendered.fault);
  return rendered.value;
};
