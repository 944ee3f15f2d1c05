/**
 * Decides the next step of a control plane. The first step with something to do ends the pass.
 * Pure.
 */
import {
  type Action,
  type ConditionDraft,
  type Context,
  type EventDraft,
  found,
  type Plan,
} from '../../../machinery/api/reconcile.ts';
import {
  certificatesMessage,
  createCertificates,
  missingCertificates,
} from '../../bootstrap-kubeadm/kubeadm-config/certificates.ts';
import { warnUnheeded } from '../../bootstrap-kubeadm/kubeadm-config/not-acted-on.ts';
import { controllerReference, hasReference, ownerReference, ownPatch, patchOf } from '../../common/owners.ts';
import { authorities, claimSecrets, secretType } from '../../core/contract/cluster-secrets.ts';
import { isProvisioned, serverOf } from '../../core/contract/cluster-status.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { originFileOf, restoreFromOf } from '../../core/contract/origin.ts';
import type { Restoring } from '../../core/contract/restore.ts';
import { updateAddons } from './addons.ts';
import { adopt, renewReferences } from './adoption.ts';
import { holdLeaving, orphanExpiry, releaseNext, removeOrphanedParts, removeUnknownMembers } from './cleanup.ts';
import { type ControlPlane, isInitialized, isLeftOver, nameOf } from './control-plane.ts';
import { continueCreation, followInPlace } from './creation.ts';
import { planDeletion } from './delete.ts';
import type { KubeadmControlPlaneStatus } from './index.ts';
import { settleNote } from './kubeadm-config-note.ts';
import { ensureKubeconfig, rebuiltEvents, renewalOf } from './kubeconfig-secret.ts';
import { annotations } from './names.ts';
import type { Observed } from './observe.ts';
import { planRelease } from './release.ts';
import { nextTries, remediate } from './remediation.ts';
import { deleteOldNodes, noteRevision, restoreFirst, stopMembers } from './restore.ts';
import { rollOut } from './rollout.ts';
import { scale } from './scale.ts';
import { statusFor } from './status.ts';
import { type Step, type StepPlan, waitFor } from './step.ts';
import { outOfDateTimes } from './up-to-date.ts';

/** Seconds. */
const leftOverRetry = 5;
const certificateRetry = 30;
/** Seconds. An event announces a recovery; this is only the resync. */
const unhealthyRetry = 300;
/** Seconds; the longest timer that a controller sets. */
const day = 24 * 60 * 60;

const act = (actions: Action[]): StepPlan | undefined => (actions.length > 0 ? { actions, again: true } : undefined);

/** Makes the Cluster an owner of the template, so that it is collected and moved with it. */
const ownTemplate = ({ template, cluster }: ControlPlane): Action[] => {
  const object = found(template);
  return object && !hasReference(object, ownerReference(cluster))
    ? [{ ...ownPatch(object, ownerReference(cluster)), group: 'template' }]
    : [];
};

const waitForInfrastructure: Step = ({ cluster, why }) => (isProvisioned(cluster) ? undefined : waitFor(why));

/**
 * Waits until the garbage collector has deleted the Secrets of a former control plane of this name:
 * certificates signed with them would become invalid.
 */
const waitForLeftOvers: Step = ({ kcp, certificates, kubeconfig }) => {
  const secrets = [...authorities.map((purpose) => certificates.secrets[purpose]), kubeconfig].map(found);
  const left = secrets.flatMap((secret) => (secret && isLeftOver(secret, kcp) ? [secret.metadata.name] : []));
  if (left.length === 0) return undefined;
  return waitFor(`Waiting for Secrets of a former control plane to be deleted: ${left.join(', ')}`, leftOverRetry);
};

const ensureCertificates: Step = ({ kcp, cluster, certificates }) => {
  const namespace = kcp.metadata.namespace ?? '';
  const creations = createCertificates(
    certificates,
    { namespace, cluster: cluster.metadata.name },
    controllerReference(kcp),
  );
  if (creations.length > 0) return act(creations);
  const missing = missingCertificates(certificates);
  if (missing.length === 0 || isInitialized({ kcp })) return undefined;
  return waitFor(certificatesMessage(cluster.metadata.name, certificates, missing), certificateRetry);
};

/** Restores lost owner references and labels; leaves Secrets that users created alone. */
const ownSecrets: Step = ({ kcp, cluster, certificates, kubeconfig }) => {
  const secrets = [...authorities.map((purpose) => certificates.secrets[purpose]), kubeconfig].flatMap(
    (read) => found(read) ?? [],
  );
  const own = secrets.filter(({ type }) => type === secretType);
  const isNew = !isInitialized({ kcp });
  return act(claimSecrets(own, { cluster: cluster.metadata.name, owner: controllerReference(kcp), isNew }));
};

const waitForEndpoint: Step = ({ cluster }) =>
  serverOf(cluster) ? undefined : waitFor('Waiting for the control plane endpoint of the Cluster');
const keepKubeconfig: Step = (controlPlane) => {
  const { kcp, kubeconfig, administrator } = controlPlane;
  const plan = act(ensureKubeconfig(controlPlane));
  return plan && { ...plan, events: rebuiltEvents(found(kubeconfig), kcp, administrator) };
};
const renew: Step = (controlPlane) => act(renewReferences(controlPlane));
const follow: Step = (controlPlane) => act(followInPlace(controlPlane));

/** The KubeadmConfig carries the expiry to its Machine. */
const noteExpiries: Step = ({ members, live }) => {
  const actions = members.flatMap((member) => {
    const expiry = live.expiries.get(nameOf(member));
    const { notAfter } = (expiry && found(expiry)) ?? {};
    if (!member.config || notAfter === undefined) return [];
    return [patchOf(member.config, { metadata: { annotations: { [annotations.certificatesExpiry]: notAfter } } })];
  });
  if (actions.length > 0) return { actions, again: true };
  const unread = [...live.expiries].flatMap(([name, expiry]) =>
    expiry.state === 'unreadable' ? [`The certificate of Machine ${name} could not be read: ${expiry.reason}`] : [],
  );
  return unread.length > 0 ? { waitsFor: unread, requeueAfter: unhealthyRetry } : undefined;
};

/** Without the copy the cluster would begin empty. */
const waitForOrigin: Step = ({ kcp, cluster }) => {
  const snapshot = restoreFromOf(cluster);
  if (snapshot === undefined || originFileOf(cluster) || isInitialized({ kcp })) return undefined;
  return waitFor(`Waiting for an operation to copy EtcdSnapshot ${snapshot}, which the cluster begins with`);
};

const building: Step[] = [
  waitForInfrastructure,
  waitForLeftOvers,
  ensureCertificates,
  ownSecrets,
  waitForEndpoint,
  keepKubeconfig,
  waitForOrigin,
  continueCreation,
  adopt,
  renew,
  follow,
  removeOrphanedParts,
  removeUnknownMembers,
  releaseNext,
  remediate,
  holdLeaving,
  settleNote,
  rollOut,
  scale,
  updateAddons,
  noteExpiries,
];

/**
 * The steps that continue without creating Machines: Secrets stay valid, and a Machine that a user
 * deletes can go.
 */
const keeping: Step[] = [
  waitForLeftOvers,
  ownSecrets,
  keepKubeconfig,
  renew,
  follow,
  releaseNext,
  holdLeaving,
  noteExpiries,
];

/** By the step of a restore of etcd. */
const restoring: Record<Restoring['step'], Step[]> = {
  Stop: [waitForLeftOvers, ownSecrets, keepKubeconfig, stopMembers],
  First: [
    waitForInfrastructure,
    waitForLeftOvers,
    ownSecrets,
    waitForEndpoint,
    keepKubeconfig,
    stopMembers,
    continueCreation,
    renew,
    follow,
    noteRevision,
    restoreFirst,
  ],
  Join: [stopMembers, ...building, noteRevision, deleteOldNodes],
};

const stepsFor = ({ withheld, restore }: ControlPlane): Step[] => {
  if (withheld) return keeping;
  return restore ? restoring[restore.step] : building;
};

const nothing: Partial<StepPlan> & Pick<Plan, 'again'> = {};

const firstOf = (steps: readonly Step[], controlPlane: ControlPlane, context: Context): StepPlan | undefined => {
  for (const step of steps) {
    const plan = step(controlPlane, context);
    if (plan) return plan;
  }
  return undefined;
};

/** When the passage of time alone changes the plan. */
const timer = (controlPlane: ControlPlane, conditions: ConditionDraft[], now: number): number => {
  const { kcp, kubeconfig, members, orphanedParts } = controlPlane;
  const secret = found(kubeconfig);
  const renewal = secret && renewalOf(secret, kcp);
  const aging = members.flatMap(({ machine }) => outOfDateTimes({ machine, controlPlane: kcp }));
  const moments = [renewal, ...aging, ...orphanedParts.map(orphanExpiry), ...nextTries(controlPlane)].filter(
    (at): at is number => typeof at === 'number' && at > now,
  );
  const healthy = conditions.find(({ type }) => type === 'ControlPlaneComponentsHealthy')?.status === 'True';
  const soon = members.length > 0 && !healthy ? [unhealthyRetry] : [];
  return Math.min(day, ...soon, ...moments.map((at) => Math.ceil((at - now) / 1000)));
};

/** Failed calls of this pass, under the Event reasons that Cluster API tools look for. */
const failures = (controlPlane: ControlPlane, { now, lastFailure }: Context): EventDraft[] => {
  if (lastFailure?.at !== now) return [];
  const message = `${lastFailure.operation}: ${lastFailure.message}`;
  const reason = (): string | undefined => {
    if (isDeleting(controlPlane.kcp)) return 'FailedDelete';
    if (lastFailure.operation === 'delete Machine') return 'FailedScaleDown';
    if (!lastFailure.operation.startsWith('create ')) return undefined;
    return isInitialized(controlPlane) ? 'FailedScaleUp' : 'FailedInitialization';
  };
  const why = reason();
  return why ? [{ type: 'Warning', reason: why, message }] : [];
};

type OwnPlan = Plan<KubeadmControlPlaneStatus>;

/** Of an initialized control plane: before that, missing authorities are created. */
const damages = ({ kcp, cluster, certificates, remains }: ControlPlane): EventDraft[] => {
  const missing = missingCertificates(certificates);
  if (missing.length === 0 || !isInitialized({ kcp }) || isDeleting(kcp) || remains) return [];
  const message = certificatesMessage(cluster.metadata.name, certificates, missing);
  return [{ type: 'Warning', reason: 'CertificatesNotAvailable', message }];
};

const withEvents = (plan: OwnPlan, { controlPlane }: Observed, context: Context): OwnPlan => {
  const events = controlPlane ? [...failures(controlPlane, context), ...damages(controlPlane)] : [];
  return events.length > 0 ? { ...plan, events: [...(plan.events ?? []), ...events] } : plan;
};

export const reconcile = (observed: Observed, context: Context): OwnPlan =>
  withEvents(decide(observed, context), observed, context);

export const release = (observed: Observed, context: Context): OwnPlan => {
  const { controlPlane } = observed;
  if (!controlPlane) return {};
  const { plan, judged } = planRelease(controlPlane);
  const { now, lastFailure } = context;
  const status = statusFor({ controlPlane: judged, deleting: undefined, unheeded: [], waitsFor: [], lastFailure, now });
  return withEvents({ ...plan, status }, observed, context);
};

const decide = ({ controlPlane, isUnowned }: Observed, context: Context): OwnPlan => {
  if (!controlPlane) return isUnowned ? { finished: true } : {};
  const { now, lastFailure } = context;
  const statusOf = (deleting?: ConditionDraft, unheeded: string[] = []) =>
    statusFor({ controlPlane, deleting, unheeded, waitsFor: [], lastFailure, now });
  if (isDeleting(controlPlane.kcp)) {
    const { plan, condition } = planDeletion(controlPlane, now);
    return { ...plan, status: statusOf(condition) };
  }
  const unheeded = warnUnheeded(controlPlane.kcp);
  if (unheeded.length > 0) return { status: statusOf(undefined, unheeded) };
  const { waitsFor = [], ...plan } = firstOf(stepsFor(controlPlane), controlPlane, context) ?? nothing;
  const status = statusFor({ controlPlane, deleting: undefined, unheeded, waitsFor, lastFailure, now });
  const timed = timer(controlPlane, status.conditions ?? [], now);
  return {
    ...plan,
    requeueAfter: Math.min(timed, plan.requeueAfter ?? timed),
    actions: [...ownTemplate(controlPlane), ...(plan.actions ?? [])],
    status,
  };
};
