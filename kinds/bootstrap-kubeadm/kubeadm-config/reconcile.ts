/** Decides the next step of a KubeadmConfig: wait, initialize the cluster, or join it. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { mergePatch } from '../../../machinery/api/merge.ts';
import type { JsonObject } from '../../../machinery/api/object.ts';
import { type Action, type Context, found, type MergePatch, type Plan } from '../../../machinery/api/reconcile.ts';
import { filledAnnotation, filledNote } from '../../common/filled.ts';
import { controllerOf, controllerReference, isOwnedBy, patchAsObserved } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { publicKeyHashes } from '../../core/contract/certificate-bundle.ts';
import {
  type Authority,
  claimSecrets,
  clusterSecret,
  type Secret,
  secretType,
  secretValue,
} from '../../core/contract/cluster-secrets.ts';
import { isInitialized, isProvisioned, serverOf } from '../../core/contract/cluster-status.ts';
import { isGiven } from '../../core/contract/machine.ts';
import { isOfPool } from '../../core/contract/pool-as-machine.ts';
import type { Machine } from '../../core/machine/schema.ts';
import { certificatesMessage, createCertificates, missingCertificates } from './certificates.ts';
import type { KubeadmConfig, KubeadmConfigStatus } from './index.ts';
import { acquireLock, lockedBy, releaseLock } from './init-lock.ts';
import { warnUnheeded } from './not-acted-on.ts';
import { isControlPlane, isDone, isRotating, isUnlaunched, type Observed, type Token } from './observe.ts';
import { type PushPlan, planPush } from './push.ts';
import { tearDown } from './release.ts';
import { linkDueIn, linkSignedAnnotation, snapshotFileOf } from './restore.ts';
import type { Resolved } from './sources.ts';
import { available, type Findings, notAvailable, statusFor } from './status.ts';
import { ensureToken, newToken, poolTokenTtl, tokenKey, tokenTtl, untilRotation } from './token.ts';
import { type BootInput, discoveryFor, initUserData, joinUserData, restoreUserData, withToken } from './user-data.ts';

/** Seconds. No event announces the change that is waited for. */
const lockRetry = 30;
const endpointRetry = 10;
const tokenPeriod = tokenTtl / 3;

const certificatesFound = available('CertificatesAvailable');
const waitFor = (config: KubeadmConfig, waiting: string, certificates: Findings['certificates'] = certificatesFound) =>
  statusFor(config, { waiting, certificates });

const unanswered = (config: KubeadmConfig, why: string): Plan<KubeadmConfigStatus> => ({
  status: waitFor(config, `Waiting for the workload cluster to answer: ${why}`),
  requeueAfter: endpointRetry,
});

interface UserData {
  value: string;
  /** When the link in it was signed, in milliseconds. */
  linkSigned?: number;
  /** The token in it, unless the user wrote the token. */
  token?: string;
}

/** Creates the Secret with the user data, or patches an existing one of that name. */
const saveUserData = (
  config: KubeadmConfig,
  cluster: Cluster,
  { value, token, linkSigned }: UserData,
  present: Secret | undefined,
): Action => {
  const { namespace = '', name } = config.metadata;
  const made = clusterSecret({
    namespace,
    name,
    cluster: cluster.metadata.name,
    owner: controllerReference(config),
    values: { value, format: 'cloud-config', ...(token && { [tokenKey]: token }) },
  });
  const annotations = linkSigned !== undefined && { annotations: { [linkSignedAnnotation]: timestamp(linkSigned) } };
  const secret = { ...made, metadata: { ...made.metadata, ...annotations } };
  if (!present) return { do: 'create', object: secret };
  return patchAsObserved(present, {
    metadata: {
      labels: secret.metadata.labels,
      ownerReferences: secret.metadata.ownerReferences as never,
      ...annotations,
    },
    type: secret.type,
    data: { [tokenKey]: null, ...secret.data },
  });
};

interface Boot extends BootInput {
  config: KubeadmConfig;
  dataSecret: Secret | undefined;
  push: PushPlan;
  /** The error of the last pass. */
  trouble: string | undefined;
}

type BootParts = Pick<Boot, 'machine' | 'cluster' | 'ingredients'>;

const bootOf = (
  { config, dataSecret }: Observed,
  { machine, cluster, ingredients }: BootParts,
  push: PushPlan,
  context: Context,
): Boot => ({
  spec: config.spec ?? {},
  config,
  machine,
  cluster,
  ingredients,
  dataSecret: dataSecret && found(dataSecret),
  push,
  trouble: troubleOf(context),
});

const failed = (boot: Boot, fault: string, more: Action[] = []): Plan<KubeadmConfigStatus> => ({
  actions: more,
  status: statusFor(boot.config, {
    waiting: `Failed to generate user data: ${fault}`,
    isFailure: true,
    certificates: certificatesFound,
  }),
  requeueAfter: lockRetry,
});

const lacking = (boot: Boot, purposes: Authority[]): Plan<KubeadmConfigStatus> => {
  const message = certificatesMessage(boot.cluster.metadata.name, boot.ingredients.certificates, purposes);
  return {
    status: waitFor(boot.config, 'Waiting for certificates', notAvailable('CertificatesAvailable', message)),
    requeueAfter: lockRetry,
  };
};

/** Fills in the spec, and notes the filled fields if the config survives a teardown. */
const filling = ({ config, machine }: Boot, spec: JsonObject): MergePatch => {
  if (!isGiven(machine)) return { spec };
  const note = filledNote(config, mergePatch((config.spec ?? {}) as JsonObject, spec));
  return { spec, ...(note !== null && { metadata: { annotations: { [filledAnnotation]: note } } }) };
};

const saved = (
  boot: Boot,
  before: Action[],
  userData: Resolved<string>,
  { intent, ...more }: { intent?: JsonObject } & Pick<UserData, 'token' | 'linkSigned'> = {},
): Plan<KubeadmConfigStatus> => {
  if ('fault' in userData) return failed(boot, userData.fault);
  return {
    ...(intent && { intent: filling(boot, intent) }),
    actions: [
      ...before,
      ...boot.push.claims,
      saveUserData(boot.config, boot.cluster, { ...userData, ...more }, boot.dataSecret),
    ],
    status: waitFor(boot.config, boot.trouble ?? 'Waiting for the Secret with the user data to be created'),
    ...(boot.push.events.length > 0 && { events: boot.push.events }),
    again: true,
  };
};

/** Undefined while the link to the snapshot of etcd cannot be had. */
const userDataOfFirst = (boot: Boot, context: Context): Resolved<string> | undefined => {
  const { restore } = boot.ingredients;
  if (!restore) return initUserData(boot, context);
  const link = found(restore.link);
  return link && restoreUserData(boot, { file: restore.file, url: link.url }, context);
};

const initialise = (boot: Boot, context: Context): Plan<KubeadmConfigStatus> => {
  const { config, machine, cluster, ingredients } = boot;
  if (!isControlPlane(machine))
    return { status: waitFor(config, 'Waiting for Cluster control plane to be initialized') };
  const { lock, lockHolder, certificates } = ingredients;
  const { name } = machine.metadata;
  if (lock.state === 'absent') return { actions: [acquireLock(cluster, name)], again: true };
  const holder = lockedBy(found(lock));
  if (lock.state === 'found' && holder !== name) {
    if (holder === undefined || lockHolder?.state === 'absent')
      return { actions: [releaseLock(lock.value)], again: true };
    const waiting = `Waiting for Machine ${holder} to initialize the cluster`;
    return { status: waitFor(config, waiting), requeueAfter: lockRetry };
  }
  const namespace = config.metadata.namespace ?? '';
  const creations = createCertificates(
    certificates,
    { namespace, cluster: cluster.metadata.name },
    controllerReference(config),
  );
  if (creations.length > 0) return { actions: creations, again: true };
  const missing = missingCertificates(certificates);
  if (missing.length > 0) return lacking(boot, missing);
  const userData = userDataOfFirst(boot, context);
  if (!userData) return { status: waitFor(config, 'Waiting for the snapshot of etcd'), requeueAfter: lockRetry };
  // A Machine that cannot boot must not keep others from initializing the cluster.
  if ('fault' in userData) return failed(boot, userData.fault, lock.state === 'found' ? [releaseLock(lock.value)] : []);
  return saved(boot, [], userData, boot.ingredients.restore ? { linkSigned: context.now } : {});
};

const join = (boot: Boot, observed: Observed, context: Context): Plan<KubeadmConfigStatus> => {
  const { config, machine, cluster, ingredients } = boot;
  const { lock, certificates } = ingredients;
  const unlock = lock.state === 'found' ? [releaseLock(lock.value)] : [];
  const controlPlane = isControlPlane(machine);
  const missing = missingCertificates(certificates).filter((purpose) => controlPlane || purpose === 'ca');
  // Only the CA's certificate is needed to join a worker.
  const readable = publicKeyHashes(secretValue(found(certificates.secrets.ca), 'tls.crt') ?? '').length > 0;
  const mayJoin = controlPlane ? missing.length === 0 : readable && !certificates.isReplaced;
  if (!mayJoin) return lacking(boot, missing);
  if (!serverOf(cluster))
    return {
      status: waitFor(config, 'Waiting for Cluster control plane endpoint to be set'),
      requeueAfter: endpointRetry,
    };
  const discovery = discoveryFor(boot);
  if (!observed.token) return saved(boot, unlock, joinUserData(boot, discovery, controlPlane));
  if (!kubeconfigOf(observed.token)) return withoutKubeconfig(config);
  const isNew = !isDeepStrictEqual(discovery, config.spec?.joinConfiguration?.discovery);
  const intent = isNew ? { intent: { joinConfiguration: { discovery } } } : {};
  if (discovery.bootstrapToken?.token) return saved(boot, unlock, joinUserData(boot, discovery, controlPlane), intent);
  const token = newToken(context);
  const userData = joinUserData(boot, withToken(discovery, token), controlPlane);
  return saved(boot, unlock, userData, { ...intent, token });
};

const kubeconfigOf = (token: Token): string | undefined => secretValue(found(token.kubeconfig), 'value');
/** Why it is not known whether the cluster has the token; undefined if it is. */
const unreadReason = ({ current }: Token): string | undefined => {
  if (current?.state === 'unread') return 'not read yet';
  return current?.state === 'unreadable' ? current.reason : undefined;
};

const withoutKubeconfig = (config: KubeadmConfig): Plan<KubeadmConfigStatus> => ({
  status: waitFor(config, 'Waiting for the kubeconfig of the cluster'),
  requeueAfter: endpointRetry,
});

/** Keeps the token valid until the host has joined; a pool gets another one in time. */
const renew = ({ token, machine, dataSecret }: Observed, { now }: Context): Pick<Plan, 'actions' | 'requeueAfter'> => {
  const kubeconfig = token && kubeconfigOf(token);
  if (!kubeconfig || !token?.value || !token.current) return {};
  if (unreadReason(token) !== undefined) return { requeueAfter: tokenPeriod };
  const current = found(token.current);
  const owning = machine && found(machine);
  const isPool = owning !== undefined && isRotating(owning, dataSecret && found(dataSecret));
  if (current && isPool)
    return { actions: [], requeueAfter: Math.max(1, Math.ceil(untilRotation(current, now) / 1000)) };
  return {
    actions: ensureToken(kubeconfig, token.value, current, now, isPool ? poolTokenTtl : tokenTtl),
    requeueAfter: tokenPeriod,
  };
};

/**
 * After a restore from a backup the status is lost, but the Machine still names its user data. That of a pool is
 * made again if it does not exist.
 */
const restored = (machine: Machine, { config: { status }, dataSecret }: Observed): string | undefined => {
  if (isOfPool(machine) && dataSecret?.state !== 'found') return undefined;
  return status?.dataSecretName === undefined ? machine.spec?.bootstrap.dataSecretName : undefined;
};

const finished = (observed: Observed, context: Context): Plan<KubeadmConfigStatus> => ({
  ...renew(observed, context),
  ...nextLink(observed, context),
  status: statusFor(observed.config, { waiting: undefined, certificates: certificatesFound }),
});

/** When the link to the snapshot of etcd is due for renewal. A host that starts with one needs no token. */
const nextLink = ({ config, machine, dataSecret }: Observed, { now }: Context): Pick<Plan, 'requeueAfter'> => {
  const [owning, stored] = [machine && found(machine), dataSecret && found(dataSecret)];
  if (!owning || !stored || !snapshotFileOf(config) || !isUnlaunched(owning)) return {};
  return { requeueAfter: Math.max(lockRetry, Math.ceil(linkDueIn(stored, now) / 1000)) };
};

/** The host reads what is stored at its launch. What cannot be renewed now stays, and is tried again. */
const renewLink = (observed: Observed, parts: BootParts, context: Context): Plan<KubeadmConfigStatus> => {
  const plan = finished(observed, context);
  const push = planPush(observed.config, parts.cluster, parts.ingredients.push, context);
  if (push.unanswered !== undefined || push.create) return plan;
  const boot = bootOf(observed, parts, push, context);
  const userData = missingCertificates(boot.ingredients.certificates).length === 0 && userDataOfFirst(boot, context);
  if (!userData || 'fault' in userData) return plan;
  const save = saveUserData(boot.config, boot.cluster, { ...userData, linkSigned: context.now }, boot.dataSecret);
  return { ...plan, actions: [...(plan.actions ?? []), save], again: true };
};

/** The next hosts of the pool boot with another token; the one before ends by itself. */
const rotate = (observed: Observed, parts: BootParts, context: Context): Plan<KubeadmConfigStatus> => {
  const plan = finished(observed, context);
  const boot = bootOf(observed, parts, planPush(observed.config, parts.cluster, undefined, context), context);
  const { secrets, isReplaced } = boot.ingredients.certificates;
  const isReadable = publicKeyHashes(secretValue(found(secrets.ca), 'tls.crt') ?? '').length > 0;
  if (!isReadable || isReplaced) return plan;
  const token = newToken(context);
  const userData = joinUserData(boot, withToken(discoveryFor(boot), token), false);
  if ('fault' in userData) return plan;
  const save = saveUserData(boot.config, boot.cluster, { ...userData, token }, boot.dataSecret);
  return { ...plan, actions: [...(plan.actions ?? []), save], again: true };
};

/**
 * The user data is stored, so a repeated pass creates the same token. No host starts before the
 * cluster knows it.
 */
const ready = (observed: Observed, context: Context): Plan<KubeadmConfigStatus> => {
  const { config, token } = observed;
  if (token?.value && !kubeconfigOf(token)) return withoutKubeconfig(config);
  const unread = token && unreadReason(token);
  if (unread !== undefined) return unanswered(config, unread);
  const plan = finished(observed, context);
  const trouble = troubleOf(context);
  return trouble && plan.actions?.length ? { ...plan, status: waitFor(config, trouble), again: true } : plan;
};

const troubleOf = ({ lastFailure }: Context): string | undefined =>
  lastFailure && `Failed to ${lastFailure.port} ${lastFailure.operation}: ${lastFailure.message}`;

/** Restores the owner reference and label of its Secret, which a restore from a backup may lack. */
const claimUserData = ({ config, cluster, dataSecret }: Observed): Action[] => {
  const secret = dataSecret && found(dataSecret);
  const of = cluster && found(cluster);
  if (!secret || !of || !isDone(config) || secret.type !== secretType) return [];
  const controller = controllerOf(secret);
  if (controller && controller.uid !== config.metadata.uid) return [];
  return claimSecrets([secret], { cluster: of.metadata.name, owner: controllerReference(config) });
};

const withClaims = (observed: Observed, plan: Plan<KubeadmConfigStatus>): Plan<KubeadmConfigStatus> => {
  const claims = claimUserData(observed);
  return claims.length > 0 ? { ...plan, actions: [...claims, ...(plan.actions ?? [])] } : plan;
};

export const reconcile = (observed: Observed, context: Context): Plan<KubeadmConfigStatus> =>
  withClaims(observed, decide(observed, context));
export const release = (observed: Observed): Plan<KubeadmConfigStatus> => withClaims(observed, tearDown(observed));

const decide = (observed: Observed, context: Context): Plan<KubeadmConfigStatus> => {
  const { config, ingredients } = observed;
  const machine = observed.machine && found(observed.machine);
  const cluster = observed.cluster && found(observed.cluster);
  if (!machine || !cluster) return {};
  const held = observed.withheld?.message ?? '';
  if (!isProvisioned(cluster)) {
    const waiting = 'Waiting for Cluster status.initialization.infrastructureProvisioned to be true';
    return { status: waitFor(config, held || waiting) };
  }
  if (isDone(config)) {
    if (!ingredients) return finished(observed, context);
    const parts = { machine, cluster, ingredients };
    return isOfPool(machine) ? rotate(observed, parts, context) : renewLink(observed, parts, context);
  }
  const dataSecret = observed.dataSecret && found(observed.dataSecret);
  const isMade = dataSecret !== undefined && isOwnedBy(dataSecret, config);
  const name = restored(machine, observed);
  // The token of a pool's new data may not be in the cluster yet.
  if (name && !(isMade && isOfPool(machine))) {
    const status = statusFor(config, { waiting: undefined, certificates: certificatesFound });
    return { status: { ...status, dataSecretName: name } };
  }
  if (isMade) return ready(observed, context);
  if (held) return { status: waitFor(config, held) };
  if (!ingredients || observed.dataSecret?.state === 'unreadable') return {};
  const unheeded = warnUnheeded(config);
  if (unheeded.length > 0) return { status: waitFor(config, unheeded.join('; ')) };
  const push = planPush(config, cluster, ingredients.push, context);
  if (push.unanswered !== undefined) return unanswered(config, push.unanswered);
  if (push.create) return { actions: [push.create], again: true };
  const boot = bootOf(observed, { machine, cluster, ingredients }, push, context);
  const isFirst = !isInitialized(cluster) || ingredients.restore !== undefined;
  return isFirst ? initialise(boot, context) : join(boot, observed, context);
};
