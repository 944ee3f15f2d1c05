/** Makes the network in AWS what its spec asks for. */
import {
  type LegacyDraft,
  legacyFalse,
  legacyTrue,
  summarizeLegacy,
  withLegacy,
} from '../../../machinery/api/conditions.ts';
import { sameFacts } from '../../../machinery/api/facts.ts';
import { equal, mergePatchOf } from '../../../machinery/api/merge.ts';
import type { JsonObject } from '../../../machinery/api/object.ts';
import type { Context, Failure, MergePatch, Plan } from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
import { filledAnnotation, filledNote, givenSpec } from '../../common/filled.ts';
import { untilForgotten } from '../engine/additional-tags.ts';
import { expectedOf, waitFor } from '../engine/expected-durations.ts';
import { planResources } from '../engine/plan.ts';
import type { Part } from '../engine/scope.ts';
import {
  announce,
  awaitingAnnotation,
  isAlreadyThere,
  isHeldBack,
  isRecent,
  isTooEarly,
  type Pending,
  pendingOf,
  schedule,
  visibleWithin,
} from '../engine/step.ts';
import { additional, clusterUidTag, type Owner } from '../engine/tags.ts';
import { accountAnnotation, accountNote, notedAccount } from '../identity/account.ts';
import { standingPorts } from '../network/api-ports.ts';
import { bastionReady, loadBalancerReady, vpcReady } from '../network/conditions.ts';
import { apiTargets } from '../network/desired-load-balancer.ts';
import { enrichedNetwork } from '../network/enrich.ts';
import { failedCondition } from '../network/failure.ts';
import { filledNetwork, type Network, needsZones } from '../network/fill.ts';
import { ipv6BlockOf } from '../network/ipv6.ts';
import type { CloudState } from '../network/observe-cloud.ts';
import { eventsFor, isMoot, next, standingFailure } from '../network/progress.ts';
import { types } from '../network/resources/index.ts';
import { apiEndpoint } from '../network/resources/load-balancers.ts';
import type { Scope } from '../network/scope.ts';
import { planTags } from '../network/tagging.ts';
import { awaitedOf, awaitingNote, nextCheck, subjectOf } from './awaiting.ts';
import {
  principalCredentialRetrieved,
  principalUsageAllowed,
  reportOf,
  specActedOn,
  withFailed,
} from './conditions.ts';
import { held } from './idle.ts';
import type { Observed } from './observe.ts';
import { ownerNote } from './owner.ts';
import { reportConditions, unreadable } from './report.ts';
import type { AWSCluster, AWSClusterSpec, AWSClusterStatus } from './schema.ts';
import { bastionStatus, failureDomains, networkStatus } from './status.ts';

/** What the network is made from. `isHosted`: it is that of a control plane that EKS runs. */
export interface Converging
  extends Pick<Observed, 'awsCluster' | 'region' | 'apiPorts' | 'principal' | 'withheld' | 'cloud'> {
  isHosted?: true;
}

export const converge = (observed: Converging, owner: Owner, context: Context): Plan<AWSClusterStatus> => {
  const { awsCluster, region, cloud } = observed;
  if (!region)
    return reportConditions(awsCluster, [
      legacyFalse(vpcReady, 'VpcReconciliationFailed', 'Error', 'spec.region is not set'),
    ]);
  switch (cloud.state) {
    case 'unread':
      return {};
    case 'unreadable':
      return unreadable(awsCluster, cloud.reason, context);
    case 'awaited':
      return awaiting(observed, cloud.keys, context);
    case 'known':
      return planNetwork(observed, owner, cloud.cloudState, context);
    default:
      return cloud satisfies never;
  }
};

/**
 * As the last full describe decided: requeue for the same operations, or once more when everything
 * is certain.
 */
const awaiting = ({ awsCluster }: Converging, keys: readonly string[], context: Context): Plan<AWSClusterStatus> => {
  const pending = pendingOf(awsCluster.metadata.annotations);
  const requeueAfter =
    nextCheck(keys, pending, context.now, speedOf(context.config)) ?? schedule(pending, [], [], context.now).wait;
  return requeueAfter === undefined ? {} : { requeueAfter };
};

const planNetwork = (
  observed: Converging,
  owner: Owner,
  cloudState: CloudState,
  context: Context,
): Plan<AWSClusterStatus> => {
  const { awsCluster, region } = observed;
  const spec = awsCluster.spec ?? {};
  const { now, lastFailure, random } = context;
  const speed = speedOf(context.config);
  const unmanaged = cloudState.vpc?.unmanaged ?? false;
  if (cloudState.zones.length === 0 && !unmanaged && needsZones(spec.network))
    return unreadable(awsCluster, `region ${region} has no zones`, context);
  const filled = filledNetwork(
    owner.clusterName,
    withBlock(spec.network, cloudState),
    !unmanaged,
    cloudState.zones,
    random.pick,
  );
  const given = (givenSpec(awsCluster) as AWSClusterSpec).network?.vpc?.tags ?? {};
  const network = enrichedNetwork(filled, cloudState, additional(given, owner.clusterName));
  const before = pendingOf(awsCluster.metadata.annotations);
  const recent = (key: string) => isRecent(before, key, now);
  const apiPorts = standingPorts(observed.apiPorts, apiTargets(spec, owner, observed.apiPorts, cloudState));
  const isHosted = observed.isHosted ?? false;
  const scope: Scope = { owner, region, spec, network, cloudState, apiPorts, isHosted, isRecent: recent };
  const onHold = observed.withheld !== undefined;
  const planned = planResources(scope, types);
  const parts = onHold ? planned.map((part) => held(observed, part)) : planned;
  const complete = parts.every(({ settled }) => settled);
  const tags = planTags(scope, awsCluster, before, now);
  const steps = [...parts.flatMap((part) => part.steps), ...(onHold ? [] : tags.steps)];
  // The loop clears the failure and decides again.
  if (!onHold && isMoot(context, steps)) return { again: true };
  const plan = schedule(
    before,
    steps,
    [...parts.flatMap(({ underway }) => underway), ...tags.underway],
    now,
    lastFailure,
    [...parts.flatMap(({ forget = [] }) => forget), ...tags.forget],
    (key, since) =>
      tags.underway.includes(key) ? untilForgotten(since, now) : waitFor(expectedOf(key, types), since, now, speed),
  );
  const endpoint = endpointOf(scope, complete);
  const ready = awsCluster.status?.ready || (complete && endpoint !== undefined);
  const isTransient = (failure: Failure) => {
    const since = before[failure.group ?? '']?.since;
    return isTooEarly(failure, before) || isHeldBack(failure, since) || isAlreadyThere(failure, since);
  };
  const failure = standingFailure(context, plan.actions, isTransient);
  const conditions = describe(observed, parts, tags.forgone, complete && !endpoint, ready, failure);
  // The subnets' zones were just learned; the next pass fills in the zone types.
  const isOpen = needsZones(network) && !needsZones(spec.network);
  // Nothing else waits for tags that a crashed worker announced and did not set.
  const isTagging = tags.steps.some(({ key }) => now - (before[key]?.since ?? now) < visibleWithin);
  const isBusy = onHold || lastFailure || plan.actions.length > 0 || isOpen || isTagging;
  const keys = isBusy ? undefined : awaitedOf(parts);
  const isNews = ready !== awsCluster.status?.ready || tags.forget.length > 0;
  const settles = { keys, certain: plan.wait, isNews };
  const look = nextCheck(keys ?? [], plan.pending, now, speed);
  const isBetween = plan.actions.length === 0 && !complete && keys === undefined;
  return {
    intent: intentOf(observed, owner, plan.pending, { network, endpoint, applied: tags.note }, settles, now),
    actions: plan.actions,
    status: {
      ...awsCluster.status,
      ready,
      conditions,
      networkStatus:
        isBetween && isSame(awsCluster, conditions) ? awsCluster.status?.networkStatus : networkStatus(scope),
      ...(ready && { failureDomains: failureDomains(scope) }),
      bastion: bastionStatus(cloudState.bastions[0]),
    },
    events: eventsFor(context, plan.actions, isTransient),
    ...(look === undefined ? next(plan, complete || onHold, context) : { requeueAfter: look }),
  };
};

/**
 * Between two steps describe calls may show a resource and then miss it, so networkStatus changes
 * only together with a condition.
 */
const isSame = ({ status }: AWSCluster, conditions: LegacyDraft[]): boolean =>
  sameFacts({ conditions: status?.conditions }, { conditions });

/** Fills in the blocks that a pool or Amazon assigned. */
const withBlock = (network: Network | undefined, { vpc }: CloudState): Network | undefined => {
  if (!network?.vpc || !vpc) return network;
  const { ipamPool, ipv6 } = network.vpc;
  const ipv6Block = ipv6 && ipv6BlockOf(vpc);
  if (!ipamPool && !ipv6Block) return network;
  return {
    ...network,
    vpc: {
      ...network.vpc,
      ...(ipamPool && { cidrBlock: vpc.CidrBlock }),
      ...(ipv6Block && { ipv6: { ...ipv6, cidrBlock: ipv6Block } }),
    },
  };
};

type Endpoint = { host: string; port: number };

/**
 * Set once, when clients can reach it. The controller never changes a host or port that the user
 * gave.
 */
const endpointOf = (scope: Scope, complete: boolean): Endpoint | undefined => {
  const { host, port } = scope.spec.controlPlaneEndpoint ?? {};
  if (host && port) return { host, port };
  const there = complete ? apiEndpoint(scope) : undefined;
  return there && { host: host || there.Host, port: there.Port };
};

// Recomputed in each pass: absent when they do not apply.
const renewed = new Set(['Ready', specActedOn, bastionReady]);

const describe = (
  { awsCluster }: Converging,
  parts: Part[],
  forgone: string[],
  withoutEndpoint: boolean,
  ready: boolean,
  failure: Failure | undefined,
): LegacyDraft[] => {
  const changes = parts.flatMap(({ conditions }) => conditions);
  if (withoutEndpoint)
    changes.push(
      legacyFalse(
        loadBalancerReady,
        'WaitForExternalControlPlaneEndpoint',
        'Info',
        'Waiting for the host and the port of spec.controlPlaneEndpoint to be set',
      ),
    );
  const reported = withLegacy(
    awsCluster.status?.conditions?.filter(({ type }) => !renewed.has(type)),
    legacyTrue(principalCredentialRetrieved),
    legacyTrue(principalUsageAllowed),
    ...withFailed(changes, failure && failedCondition(failure, ready)),
  );
  const summary = summarizeLegacy(reported);
  return withLegacy(reported, ...(summary ? [summary] : []), ...reportOf(awsCluster, forgone));
};

const intentOf = (
  { awsCluster, apiPorts, principal }: Converging,
  owner: Owner,
  pending: Pending,
  { network, endpoint, applied }: { network: Network; endpoint: Endpoint | undefined; applied: Record<string, string> },
  { keys, certain, isNews }: { keys: string[] | undefined; certain: number | undefined; isNews: boolean },
  now: number,
): MergePatch => {
  const { metadata, spec } = awsCluster;
  const fields: JsonObject = {};
  if (!equal(spec?.network, network)) fields.network = network;
  if (endpoint && !equal(spec?.controlPlaneEndpoint, endpoint)) fields.controlPlaneEndpoint = { ...endpoint };
  const fills = Object.keys(fields).length > 0;
  const note = ownerNote(awsCluster, owner);
  const account = principal.state === 'known' ? principal.account : undefined;
  const begins = metadata.annotations?.[clusterUidTag] !== note;
  const subject = subjectOf({ metadata, spec: { ...spec, ...fields } as AWSCluster['spec'] }, owner, apiPorts.listener);
  const says = fills || begins || isNews || Object.keys(applied).length > 0;
  const isWriting = says || Object.keys(announce(metadata.annotations, pending)).length > 0;
  const awaited = awaitingNote(awsCluster, subject, keys, { now, certain, isWriting });
  const annotations = {
    ...announce(metadata.annotations, pending, says || awaited !== undefined),
    ...applied,
    ...(begins && { [clusterUidTag]: note }),
    ...(account && notedAccount(awsCluster) !== account && { [accountAnnotation]: accountNote(awsCluster, account) }),
    ...(fills && { [filledAnnotation]: filledNote(awsCluster, { ...(spec as JsonObject), ...fields }) }),
    ...(awaited !== undefined && { [awaitingAnnotation]: awaited }),
  };
  return {
    ...(Object.keys(annotations).length && { metadata: { annotations } }),
    ...(fills && { spec: mergePatchOf(spec ?? {}, { ...spec, ...fields }) }),
  };
};
