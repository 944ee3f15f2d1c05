/**
 * Lets the API server of a new control plane host report changes to Capstan, where the cluster needs
 * that and the user configured no audit log. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  type Action,
  type Context,
  type EventDraft,
  found,
  type Read,
  type Reader,
} from '../../../machinery/api/reconcile.ts';
import type { PlanWithPools } from '../../common/autoscale/plan-entry.ts';
import { ownerReference } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import {
  claimSecrets,
  clusterSecret,
  type Secret,
  secretName,
  secretType,
  secretValue,
} from '../../core/contract/cluster-secrets.ts';
import {
  type PushFile,
  type PushSettings,
  patchDirectory,
  pushFiles,
  pushSettingsOf,
} from '../../core/contract/push/configuration.ts';
import type { PushReason } from '../../core/contract/push/rules.ts';
import { askWorkload } from '../../ports/index.ts';
import type { KubeadmConfig } from './index.ts';
import { pushReasonsOf } from './push-reasons.ts';
import type { KubeadmConfigSpec } from './schema.ts';

export interface Push {
  settings: PushSettings;
  reasons: readonly PushReason[];
  /** The Secret with the webhook's token. */
  token: Read<Secret>;
  /** kubeadm's configuration in the cluster that the host joins. */
  joined: Read<KubeObject> | undefined;
}

/** Undefined for a cluster that needs no reports. `kubeconfig`: of the cluster that the host joins. */
export const observePush = (
  cluster: Cluster,
  kubeconfig: string | undefined,
  read: Reader,
  { config }: Context,
): Push | undefined => {
  const settings = pushSettingsOf(config);
  if (!settings) return undefined;
  const { namespace = '', name } = cluster.metadata;
  const listOf = (kind: string) => read.list<KubeObject>(kind, { namespace, cluster: name });
  const [healthChecks, deployments] = ['MachineHealthCheck', 'MachineDeployment'].map(listOf).map(found);
  const plan = found(read.get<PlanWithPools>('ScalingPlan', { namespace, name }));
  const reasons = pushReasonsOf(name, { healthChecks: healthChecks ?? [], deployments: deployments ?? [], plan });
  if (reasons.length === 0) return undefined;
  return {
    settings,
    reasons,
    token: read.get<Secret>('Secret', { namespace, name: secretName(name, 'audit-webhook') }),
    joined:
      kubeconfig === undefined
        ? undefined
        : askWorkload(read, 'get', {
            kubeconfig,
            apiVersion: 'v1',
            kind: 'ConfigMap',
            namespace: 'kube-system',
            name: 'kubeadm-config',
          }),
  };
};

const auditArgument = /^audit-/;

/** The setting of the user beside which Capstan configures no webhook. */
const ownSettingOf = (spec: KubeadmConfigSpec, { joined }: Push): string | undefined => {
  const { clusterConfiguration, initConfiguration, joinConfiguration } = spec;
  const argument = clusterConfiguration?.apiServer?.extraArgs?.find(({ name }) => auditArgument.test(name));
  if (argument) return `spec.clusterConfiguration.apiServer.extraArgs has ${argument.name}`;
  // kubeadm takes the patches of one directory, and those in the image are not known.
  if (initConfiguration?.patches) return 'spec.initConfiguration.patches is set';
  if (joinConfiguration?.patches) return 'spec.joinConfiguration.patches is set';
  // The API server would run as a user that cannot read the files.
  if (clusterConfiguration?.featureGates?.RootlessControlPlane)
    return 'spec.clusterConfiguration.featureGates has RootlessControlPlane';
  if (!joined) return undefined;
  if (joined.state !== 'found') return 'the cluster has no ConfigMap kubeadm-config';
  const { data } = joined.value as { data?: Record<string, string> };
  return /\baudit-(policy|webhook|log)-/.test(data?.ClusterConfiguration ?? '')
    ? 'ConfigMap kubeadm-config of the cluster has audit settings'
    : undefined;
};

export interface PushPlan {
  /** Why the cluster does not answer yet: a host keeps for life what it starts with. */
  unanswered?: string;
  /** The Secret with the token must exist before the user data does. */
  create?: Action;
  claims: Action[];
  files: readonly PushFile[];
  events: EventDraft[];
}

export const noPush: PushPlan = { claims: [], files: [], events: [] };

const refused = (why: string): PushPlan => ({
  ...noPush,
  events: [
    {
      type: 'Normal',
      reason: 'AuditWebhookNotConfigured',
      message: `The API server does not report Node conditions, which are polled: ${why}`,
    },
  ],
});

const createToken = (config: KubeadmConfig, cluster: Cluster, { random }: Context): Action => {
  const { namespace = '', name } = cluster.metadata;
  // Each config that carries the token owns it, so that it goes with the last of them.
  const owner = ownerReference(config);
  const object = clusterSecret({
    namespace,
    name: secretName(name, 'audit-webhook'),
    cluster: name,
    owner,
    values: { token: random.token() },
  });
  return { do: 'create', object };
};

export const planPush = (
  config: KubeadmConfig,
  cluster: Cluster,
  push: Push | undefined,
  context: Context,
): PushPlan => {
  if (!push || push.token.state === 'unread') return noPush;
  if (push.joined?.state === 'unreadable') return { ...noPush, unanswered: push.joined.reason };
  if (push.joined?.state === 'unread') return { ...noPush, unanswered: 'not read yet' };
  const why = ownSettingOf(config.spec ?? {}, push);
  if (why !== undefined) return refused(why);
  if (push.token.state === 'absent') return { ...noPush, create: createToken(config, cluster, context) };
  const secret = found(push.token);
  const name = secretName(cluster.metadata.name, 'audit-webhook');
  const token = secret?.type === secretType ? secretValue(secret, 'token') : undefined;
  if (!secret || !token) return refused(`Secret ${name} has no token of Capstan`);
  const { namespace = '' } = cluster.metadata;
  return {
    claims: claimSecrets([secret], { cluster: cluster.metadata.name, owner: ownerReference(config) }),
    files: pushFiles({ settings: push.settings, namespace, cluster: cluster.metadata.name, token }, push.reasons),
    events: [],
  };
};

/** kubeadm's configuration with the directory of the patch; unchanged without files. */
export const withPatches = <T extends object>(
  configuration: T | undefined,
  files: readonly PushFile[],
): T | undefined =>
  files.length === 0 ? configuration : ({ ...configuration, patches: { directory: patchDirectory } } as T);
