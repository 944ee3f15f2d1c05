/** Writes the user data of a machine of EKS into a Secret. Pure. */
import { type LegacyDraft, legacyFalse, legacyTrue, withLegacy } from '../../../machinery/api/conditions.ts';
import { type Action, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { resolveFiles, resolveUsers } from '../../bootstrap-kubeadm/kubeadm-config/sources.ts';
import { controllerReference, patchAsObserved } from '../../common/owners.ts';
import { clusterSecret, type Secret, secretValue } from '../../core/contract/cluster-secrets.ts';
import { isProvisioned } from '../../core/contract/cluster-status.ts';
import { endpointFacts } from '../endpoint-facts.ts';
import { dataSecretAvailable, generationFailed } from './conditions.ts';
import { isDone, type Observed } from './observe.ts';
import type { NodeadmConfigStatus } from './schema.ts';
import { userDataOf } from './user-data.ts';

type Planned = Plan<NodeadmConfigStatus>;

/** Seconds until what no event announces is read again. */
const retry = 30;

const statusWith = ({ config }: Observed, condition: LegacyDraft, more: Partial<NodeadmConfigStatus> = {}) => ({
  ...config.status,
  ready: config.status?.ready ?? false,
  ...more,
  conditions: withLegacy((config.status?.conditions ?? []) as LegacyDraft[], condition, {
    ...condition,
    type: 'Ready',
  }) as NodeadmConfigStatus['conditions'],
});

const waiting = (observed: Observed, reason: string, message: string): Planned => ({
  status: statusWith(observed, legacyFalse(dataSecretAvailable, reason, 'Info', message)),
  requeueAfter: retry,
});

const failed = (observed: Observed, message: string): Planned => ({
  status: statusWith(observed, legacyFalse(dataSecretAvailable, generationFailed, 'Warning', message)),
  requeueAfter: retry,
});

const done = (observed: Observed, actions: Action[]): Planned => ({
  actions,
  status: statusWith(observed, legacyTrue(dataSecretAvailable), {
    ready: true,
    dataSecretName: observed.config.metadata.name,
    initialization: { dataSecretCreated: true },
  }),
});

const save = ({ config }: Observed, clusterName: string, value: string, present: Secret | undefined): Action[] => {
  if (present && secretValue(present, 'value') === value) return [];
  const { namespace = '', name } = config.metadata;
  const secret = clusterSecret({
    namespace,
    name,
    cluster: clusterName,
    owner: controllerReference(config),
    values: { value },
  });
  if (!present) return [{ do: 'create', object: secret }];
  const { labels, ownerReferences } = secret.metadata;
  return [
    patchAsObserved(present, {
      metadata: { labels: labels ?? {}, ownerReferences: ownerReferences as never },
      data: secret.data,
    }),
  ];
};

const generate = (observed: Observed): Planned => {
  const { config, controlPlane, kubeconfig, dataSecret, sources } = observed;
  const cluster = found(observed.cluster);
  if (!cluster || dataSecret.state === 'unread') return {};
  if (!isProvisioned(cluster))
    return waiting(observed, 'WaitingForClusterInfrastructure', 'Waiting for the infrastructure of the cluster');
  if (controlPlane.state === 'unread' || kubeconfig.state === 'unread') return {};
  const plane = found(controlPlane);
  if (!plane)
    return failed(
      observed,
      'The control plane of the Cluster is no AWSManagedControlPlane that exists: NodeadmConfig is for clusters of EKS',
    );
  const facts = endpointFacts(plane, secretValue(found(kubeconfig), 'value'));
  if (!plane.status?.ready || !facts)
    return waiting(
      observed,
      'WaitingForControlPlaneInitialization',
      'Waiting for the control plane of EKS and its kubeconfig',
    );
  if (dataSecret.state === 'unreadable') return failed(observed, dataSecret.reason);
  const spec = config.spec ?? {};
  if ([...sources.values()].some(({ state }) => state === 'unread')) return {};
  const files = resolveFiles(spec as never, sources, {} as never);
  const users = resolveUsers(spec as never, sources);
  if ('fault' in files) return failed(observed, files.fault);
  if ('fault' in users) return failed(observed, users.fault);
  const value = userDataOf(spec, facts, files.value, users.value);
  return done(observed, save(observed, cluster.metadata.name, value, found(dataSecret)));
};

export const reconcile = (observed: Observed): Planned => {
  const { config, owner, dataSecret } = observed;
  if (!owner || owner.state === 'unread') return {};
  if (isDone(config) && found(owner)?.kind === 'Machine')
    return dataSecret.state === 'absent' ? failed(observed, 'The Secret with the user data is gone') : {};
  return generate(observed);
};

/** It starts over when its cluster is created again. */
export const release = ({ dataSecret, config }: Observed): Planned => {
  const secret = found(dataSecret);
  return secret
    ? {
        actions: [
          {
            do: 'delete',
            kind: 'Secret',
            namespace: config.metadata.namespace ?? '',
            name: secret.metadata.name,
            uid: secret.metadata.uid ?? '',
          },
        ],
        again: true,
      }
    : { released: { notes: [] } };
};
