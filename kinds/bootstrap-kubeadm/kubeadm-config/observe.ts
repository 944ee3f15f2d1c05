import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  type Context,
  found,
  mapRead,
  type Read,
  type Reader,
  type Withheld,
} from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { isOwnedBy, ownersOf } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { type Secret, secretName, secretValue } from '../../core/contract/cluster-secrets.ts';
import { isInitialized, isProvisioned } from '../../core/contract/cluster-status.ts';
import { isGiven } from '../../core/contract/machine.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { asMachine, isOfPool } from '../../core/contract/pool-as-machine.ts';
import { follow } from '../../core/contract/references.ts';
import type { Machine } from '../../core/machine/schema.ts';
import { type Certificates, observeCertificates, withReplacedAuthority } from './certificates.ts';
import type { KubeadmConfig } from './index.ts';
import { lockedBy, lockName } from './init-lock.ts';
import { observePush, type Push } from './push.ts';
import { observeRemains, type Remains } from './remains.ts';
import { askLink, linkDueIn, type SnapshotFile, snapshotFileOf } from './restore.ts';
import { observeSources, type Sources } from './sources.ts';
import { askToken, tokenKey, untilRotation } from './token.ts';

/** The inputs of the user data. */
export interface Ingredients {
  certificates: Certificates;
  sources: Sources;
  controlPlane: Read<KubeObject> | undefined;
  lock: Read<KubeObject>;
  /** The Machine that holds the lock; undefined without a lock. */
  lockHolder: Read<Machine> | undefined;
  /** Present for the host that starts with a snapshot of etcd. */
  restore?: { file: SnapshotFile; link: Read<{ url: string }> };
  /** Undefined for a worker, and for a cluster that needs no reports of its API servers. */
  push: Push | undefined;
}

export interface Token {
  kubeconfig: Read<Secret>;
  /** Undefined until it is generated. */
  value: string | undefined;
  /** The token's Secret in the workload cluster; undefined while there is no value. */
  current: Read<KubeObject> | undefined;
}

export interface Observed {
  config: KubeadmConfig;
  machine: Read<Machine> | undefined;
  cluster: Read<Cluster> | undefined;
  withheld: Withheld | undefined;
  /** The Secret with the user data. */
  dataSecret: Read<Secret> | undefined;
  /** Undefined once the user data exists, but for a link to be renewed, and while it must not be created. */
  ingredients: Ingredients | undefined;
  /** Undefined if the config needs no token. */
  token: Token | undefined;
  /** Read only for a config that a user created, while its cluster is torn down. */
  remains: Remains | undefined;
}

export const isControlPlane = (machine: Machine): boolean =>
  machine.metadata.labels?.[labels.controlPlane] !== undefined;
/** The token in the user data. Specs hold the user's, and those of earlier versions and of upstream. */
const tokenOf = (config: KubeadmConfig, dataSecret: Secret | undefined): string | undefined => {
  const isOwn = dataSecret !== undefined && (isDone(config) || isOwnedBy(dataSecret, config));
  const generated = isOwn ? secretValue(dataSecret, tokenKey) : undefined;
  return generated ?? config.spec?.joinConfiguration?.discovery?.bootstrapToken?.token;
};
export const isDone = ({ status }: KubeadmConfig): boolean => status?.initialization?.dataSecretCreated === true;
/** Whether no host can have read the user data yet. */
export const isUnlaunched = (machine: Machine): boolean =>
  machine.spec?.providerID === undefined && !hasNode(machine) && !isDeleting(machine);
const hasNode = ({ status }: Machine): boolean => status?.nodeRef !== undefined;

const observeIngredients = (
  config: KubeadmConfig,
  { machine, cluster, token }: { machine: Machine; cluster: Cluster; token: Token | undefined },
  read: Reader,
  context: Context,
): Ingredients => {
  const { namespace = '' } = config.metadata;
  const { name } = cluster.metadata;
  const lock = read.get('ConfigMap', { namespace, name: lockName(name) });
  const holder = lockedBy(found(lock));
  const { controlPlaneRef } = cluster.spec ?? {};
  const file = snapshotFileOf(config);
  const certificates = observeCertificates(read, {
    namespace,
    cluster: name,
    configuration: config.spec?.clusterConfiguration,
    generate: !isInitialized(cluster) && controlPlaneRef === undefined,
    now: context.now,
  });
  return {
    certificates: withReplacedAuthority(certificates, token && found(token.kubeconfig)),
    sources: observeSources(read, namespace, config.spec ?? {}),
    controlPlane: controlPlaneRef && follow(read, namespace, controlPlaneRef, 'ControlPlane'),
    lock,
    lockHolder: holder === undefined ? undefined : read.get('Machine', { namespace, name: holder }),
    ...(file && { restore: { file, link: askLink(read, file) } }),
    push: isControlPlane(machine)
      ? observePush(cluster, secretValue(token && found(token.kubeconfig), 'value'), read, context)
      : undefined,
  };
};

const observeToken = (namespace: string, value: string | undefined, cluster: Cluster, read: Reader): Token => {
  const kubeconfig = read.get<Secret>('Secret', { namespace, name: secretName(cluster.metadata.name, 'kubeconfig') });
  const access = secretValue(found(kubeconfig), 'value');
  return { kubeconfig, value, current: access && value ? askToken(read, access, value) : undefined };
};

/** The Machine, or the MachinePool in the form of one. */
const ownerOf = (read: Reader, { kind, name }: { kind: string; name: string }, namespace: string): Read<Machine> => {
  if (kind === 'Machine') return read.get('Machine', { namespace, name });
  return mapRead(read.get('MachinePool', { namespace, name }), asMachine);
};

/** Whether hosts of a pool boot with a token that Capstan generated, and replaces in time. */
export const isRotating = (machine: Machine, dataSecret: Secret | undefined): boolean =>
  isOfPool(machine) && secretValue(dataSecret, tokenKey) !== undefined;
const isTokenDue = (
  machine: Machine,
  dataSecret: Secret | undefined,
  token: Token | undefined,
  now: number,
): boolean => {
  const current = token?.current && found(token.current);
  return isRotating(machine, dataSecret) && current !== undefined && untilRotation(current, now) === 0;
};

/**
 * Hosts of a pool start at any time, so data that is lost is made again; a Machine needs it once. The config is
 * then as one whose data was not made yet.
 */
const asKnown = (config: KubeadmConfig, owner: Machine | undefined, dataSecret: Read<Secret>): KubeadmConfig => {
  const isLost = owner !== undefined && isOfPool(owner) && !isDeleting(owner) && dataSecret.state === 'absent';
  if (!isLost || !config.status) return config;
  const { initialization: _, dataSecretName: __, ...status } = config.status;
  return { ...config, status };
};

const nothing = { ingredients: undefined, token: undefined, remains: undefined };

export const observe = (given: KubeadmConfig, read: Reader, context: Context): Observed => {
  const { namespace = '', name } = given.metadata;
  const owner = ownersOf(given).find(({ kind }) => kind === 'Machine' || kind === 'MachinePool');
  const clusterName = given.metadata.labels?.[labels.cluster];
  if (!owner || !clusterName || isDeleting(given))
    return {
      config: given,
      machine: undefined,
      cluster: undefined,
      withheld: undefined,
      dataSecret: undefined,
      ...nothing,
    };
  const machine = ownerOf(read, owner, namespace);
  const cluster = read.get('Cluster', { namespace, name: clusterName });
  const dataSecret = read.get<Secret>('Secret', { namespace, name });
  const [owning, of] = [found(machine), found(cluster)];
  const { withheld } = context;
  const config = withheld?.releases ? given : asKnown(given, owning, dataSecret);
  const observed = { config, machine, cluster, withheld, dataSecret, ...nothing };
  if (withheld?.releases)
    return {
      ...observed,
      remains: owning && isGiven(owning) ? observeRemains(namespace, clusterName, read) : undefined,
    };
  if (!owning || !of || !isProvisioned(of)) return observed;
  const value = tokenOf(config, found(dataSecret));
  const isRestored = snapshotFileOf(config) !== undefined;
  if (isDone(config)) {
    const renewing = value !== undefined && !hasNode(owning) && !isDeleting(owning);
    const token = renewing ? observeToken(namespace, value, of, read) : undefined;
    const stored = found(dataSecret);
    const isLinkDue = stored && isRestored && isUnlaunched(owning) && linkDueIn(stored, context.now) === 0;
    const isDue = !withheld && (isLinkDue || isTokenDue(owning, stored, token, context.now));
    const parts = { machine: owning, cluster: of, token };
    return { ...observed, token, ingredients: isDue ? observeIngredients(config, parts, read, context) : undefined };
  }
  if (withheld) return observed;
  const joining = isInitialized(of) && !isRestored && config.spec?.joinConfiguration?.discovery?.file === undefined;
  const token = joining ? observeToken(namespace, value, of, read) : undefined;
  const parts = { machine: owning, cluster: of, token };
  return { ...observed, ingredients: observeIngredients(config, parts, read, context), token };
};
