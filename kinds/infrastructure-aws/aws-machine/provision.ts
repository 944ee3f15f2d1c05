/** Brings a machine without an instance to exactly one instance. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import { type Action, type Context, type EventDraft, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { launchAnnotation } from '../../core/contract/launch.ts';
import { spotFallback } from '../../core/contract/spot-fallback.ts';
import { callCloud } from '../../ports/index.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import { isHeldBack, pollDelay, retryAfter, triedAt } from '../engine/step.ts';
import type { Owner } from '../engine/tags.ts';
import {
  afterCall,
  type Batch,
  batchOf,
  becomeReady,
  cancel,
  decideBatch,
  firstUidOf,
  groupOf,
  isCombined,
  isGathering,
  isReady,
  leaveBatch,
  mayJoin,
} from './batch.ts';
import {
  describeFailure,
  instanceReady,
  provisionFailed,
  provisionStarted,
  sinceOf,
  waitingFor,
  waitingForAddress,
} from './conditions.ts';
import { addressFault, awaitedAddress, fixedAddressOf } from './fixed-address.ts';
import { chosenImage, describeQuestion } from './image.ts';
import {
  type Decision,
  decideLaunch,
  drawnToken,
  type Fallback,
  hashOf,
  isToRepeat,
  type Launch,
  mayHideInstance,
  repeated,
  wasRefused,
} from './launch.ts';
import { hasFallback, marketConditions, noSpot } from './market.ts';
import { isControlPlane, isLive, type Observed } from './observe.ts';
import { choosePlace, type Place } from './placement.ts';
import { reportConditions } from './report.ts';
import { type LaunchRequest, launchRequest, securityGroupIds } from './request.ts';
import type { AWSMachineStatus } from './schema.ts';
import { createSecrets, deleteFormer, isThereAlready, prefixOf, secretsOf } from './secrets.ts';
import { isMime, plainUserData, pointerTo, splitForSecrets } from './user-data.ts';

interface Bootstrap {
  data: Buffer;
  hash: string;
}

export const planLaunch = (
  observed: Observed,
  owner: Owner,
  awsCluster: AWSCluster,
  context: Context,
): Plan<AWSMachineStatus> => {
  const { awsMachine, machine, secret, launch } = observed;
  const { now, lastFailure } = context;
  if (found(machine)?.metadata.deletionTimestamp) return launch ? awaitLastLaunch(launch, observed, context) : {};
  const awaited = launch ? undefined : awaitedAddress(awsMachine, observed.fixed);
  const claim = awaited?.actions ? { actions: awaited.actions } : {};
  if (!found(machine)?.spec?.bootstrap?.dataSecretName)
    return { ...reportConditions(observed, waitingFor('BootstrapData')), ...claim };
  const bootstrap = bootstrapOf(found(secret));
  if (!bootstrap) return { ...reportConditions(observed, waitingFor('BootstrapData')), ...claim, requeueAfter: 15 };
  if (typeof bootstrap === 'string') return reportConditions(observed, provisionFailed(bootstrap));
  if (isMime(bootstrap.data) && !awsMachine.spec?.cloudInit?.insecureSkipSecretsManager)
    return reportConditions(
      observed,
      provisionFailed(
        'the bootstrap data is a MIME message, whose parts programs read from the user data themselves: set spec.cloudInit.insecureSkipSecretsManager in the template',
      ),
    );
  if (awaited?.isFault) return reportConditions(observed, provisionFailed(awaited.message));
  if (awaited) return { ...reportConditions(observed, waitingForAddress(awaited.message)), ...claim };
  if (isCombined(launch) && launch.batch.state !== 'called')
    return planCombined(launch, observed, owner, awsCluster, bootstrap, context);
  const isToFallBack = hasFallback(awsMachine);
  const fallback = isToFallBack ? launch?.fallback : undefined;
  const wanted = wantedRequest(observed, owner, awsCluster, launch?.exhausted ?? [], fallback);
  const ended = observed.instances.filter((instance) => !isLive(instance));
  const current =
    typeof wanted === 'string'
      ? undefined
      : { request: wanted.request, userDataHash: bootstrap.hash, fallsBack: isToFallBack };
  const decision = decideLaunch(launch, current, ended, lastFailure, now);
  switch (decision.do) {
    case 'wait': {
      if (typeof wanted === 'string')
        return { ...fail(observed, wanted), requeueAfter: pollDelay(sinceOf(awsMachine, instanceReady, now), now) };
      return {
        ...reportConditions(observed, provisionStarted('Waiting for the instance to appear')),
        requeueAfter: waitFor(launch, now),
      };
    }
    case 'repeat':
      return call(observed, owner, repeated(launch!, lastFailure, triedAt(now, lastFailure)), bootstrap, context);
    case 'first':
      return (
        joinBatch(observed, owner, awsCluster, bootstrap, context) ??
        callNext(observed, owner, awsCluster, decision, bootstrap, context)
      );
    case 'next': {
      // A zone without capacity for all may have some for one.
      const next: Next = isCombined(launch) ? singleLaunch : decision;
      return callNext(observed, owner, awsCluster, next, bootstrap, context);
    }
    default:
      return decision satisfies never;
  }
};

type Next = Extract<Decision, { do: 'first' | 'next' }>;

/** The first launch after the call for several machines. */
const singleLaunch: Next = { do: 'next', exhausted: [] };

const callNext = (
  observed: Observed,
  owner: Owner,
  awsCluster: AWSCluster,
  decision: Next,
  bootstrap: Bootstrap,
  context: Context,
): Plan<AWSMachineStatus> => {
  const { awsMachine, launch } = observed;
  const fallback = hasFallback(awsMachine) ? launch?.fallback : undefined;
  const chosen = chooseNext(observed, owner, awsCluster, decision, fallback, context.now);
  if (typeof chosen === 'string') return { ...fail(observed, chosen), requeueAfter: 15 };
  const attempt = newAttempt(observed, owner, chosen, bootstrap, context);
  return call(observed, owner, attempt, bootstrap, context);
};

const userDataOf = (region: string, prefix: string, { data }: Bootstrap, byLaunchIndex = false): Buffer =>
  Buffer.from(pointerTo(region, { prefix, chunks: splitForSecrets(prefix, data).chunks.length, byLaunchIndex }));

/** Seconds: all machines of a group ask at once. */
const waitForCall = 5;

const gathering = 'Waiting for the machines that are launched together';

/** The first attempt of a machine that others were created with; undefined if it launches alone. */
const joinBatch = (
  observed: Observed,
  owner: Owner,
  awsCluster: AWSCluster,
  bootstrap: Bootstrap,
  context: Context,
): Plan<AWSMachineStatus> | undefined => {
  const { awsMachine, machine, first, region } = observed;
  const group = groupOf(awsMachine, isControlPlane(found(machine), awsMachine));
  const firstUid = group && firstUidOf(group, awsMachine, first);
  if (!group || firstUid === undefined || !mayJoin(group, awsMachine, first)) return undefined;
  const userDataFor = (token: string) => hashOf(userDataOf(region, prefixOf(awsMachine, token), bootstrap, true));
  const batch = batchOf(group, firstUid, userDataFor);
  const wanted = wantedRequest(observed, owner, awsCluster, [], undefined, batch);
  if (typeof wanted === 'string') return undefined;
  const chosen = { ...wanted, exhausted: [], fallback: undefined };
  const attempt = { ...newAttempt(observed, owner, chosen, bootstrap, context), token: batch.token, batch };
  return prepare(observed, owner, attempt, bootstrap, context);
};

/** Before the call for several machines: waits for the others, or for the first one. */
const planCombined = (
  launch: Launch & { batch: Batch },
  observed: Observed,
  owner: Owner,
  awsCluster: AWSCluster,
  bootstrap: Bootstrap,
  context: Context,
): Plan<AWSMachineStatus> => {
  const { batch } = launch;
  const { now, lastFailure } = context;
  const waiting = (requeueAfter: number): Plan<AWSMachineStatus> => ({
    ...reportConditions(observed, provisionStarted(gathering)),
    requeueAfter,
  });
  const decision = decideBatch(launch, observed, now);
  switch (decision.do) {
    case 'wait':
      return waiting(isGathering(launch) ? 1 : waitForCall);
    case 'prepare':
      return prepare(observed, owner, launch, bootstrap, context);
    case 'call': {
      const called = { ...batch, state: 'called' as const };
      return call(observed, owner, { ...launch, batch: called, tried: triedAt(now, lastFailure) }, bootstrap, context);
    }
    case 'cancel':
      return { ...waiting(1), actions: [cancel(batch, observed.awsMachine)] };
    case 'lost':
      return { ...waiting(2), intent: noteOf({ ...launch, batch: { ...batch, gone: now } }) };
    case 'next':
      return callNext(observed, owner, awsCluster, singleLaunch, bootstrap, context);
    default:
      return decision satisfies never;
  }
};

/**
 * Launches nothing more. The deletion waits until the last attempt's instance is visible or
 * certainly absent.
 */
const awaitLastLaunch = (launch: Launch, observed: Observed, { now, lastFailure }: Context): Plan<AWSMachineStatus> => {
  if (launch.cameToNothing) return {};
  const leaving = leaveBatch(observed, now);
  if (leaving) return leaving;
  if (mayHideInstance(launch, observed.instances, lastFailure, now))
    return { requeueAfter: pollDelay(launch.tried, now) };
  const batch = afterCall(launch.batch, observed.siblings);
  return { intent: noteOf({ ...launch, cameToNothing: true, ...(batch && { batch }) }) };
};

const noteOf = (launch: Launch) => ({ metadata: { annotations: { [launchAnnotation]: JSON.stringify(launch) } } });

const waitFor = (launch: Launch | undefined, now: number): number => pollDelay(launch?.since ?? now, now);

const fail = (observed: Observed, message: string): Plan<AWSMachineStatus> =>
  reportConditions(observed, provisionFailed(message));

const bootstrapOf = (secret: KubeObject | undefined): Bootstrap | string | undefined => {
  const { value, format } = (secret?.data ?? {}) as Record<string, string | undefined>;
  if (value === undefined) return undefined;
  if (format && Buffer.from(format, 'base64').toString() === 'ignition')
    return 'the bootstrap data is for Ignition, which is not acted on: set format: cloud-config in the bootstrap configuration';
  const data = Buffer.from(value, 'base64');
  return { data, hash: hashOf(data) };
};

interface Chosen {
  request: LaunchRequest;
  place: Place;
  exhausted: string[];
  fallback: Fallback | undefined;
}

/**
 * The next subnet in the same market. When all of them have been tried, a launch starts over with
 * all, in the other market if it may fall back.
 */
const chooseNext = (
  observed: Observed,
  owner: Owner,
  awsCluster: AWSCluster,
  decision: Next,
  fallback: Fallback | undefined,
  now: number,
): Chosen | string => {
  const { exhausted, shortage, everywhere } = { exhausted: [], everywhere: undefined, shortage: '', ...decision };
  const same = wantedRequest(observed, owner, awsCluster, exhausted, fallback);
  if (typeof same === 'string') return same;
  const isUsedUp = everywhere || exhausted.some((id) => id === same.place.subnetId);
  if (!isUsedUp) return { ...same, exhausted, fallback };
  if (!hasFallback(observed.awsMachine)) return { ...same, exhausted: [], fallback };
  const next = fallback ? undefined : { code: shortage, at: now };
  const other = wantedRequest(observed, owner, awsCluster, [], next);
  return typeof other === 'string' ? other : { ...other, exhausted: [], fallback: next };
};

/** The request for a launch now, or a message with what is missing. */
const wantedRequest = (
  observed: Observed,
  owner: Owner,
  awsCluster: AWSCluster,
  exhausted: readonly string[],
  fallback: Fallback | undefined,
  batch?: Batch,
): { request: LaunchRequest; place: Place } | string => {
  const { awsMachine, prerequisites, additionalGroups, fixed } = observed;
  const machine = found(observed.machine);
  const spec = awsMachine.spec!;
  const withoutAddress = awaitedAddress(awsMachine, fixed)?.message ?? addressFault(fixed);
  if (withoutAddress) return withoutAddress;
  const address = fixedAddressOf(fixed);
  if (!prerequisites) return 'the bootstrap data is not there yet';
  if (spec.ignition) return 'spec.ignition is not acted on: leave it out and use cloud-config';
  const { question, images, typeInfo, subnets: named } = prerequisites;
  if (!typeInfo) return `InvalidInstanceType: instance type ${spec.instanceType} does not exist in ${observed.region}`;
  if (question === 'needs a version') return 'no image: set ami.id, or spec.version of the Machine to look one up';
  if (question === 'needs an architecture') return `the architecture of ${spec.instanceType} is not known`;
  const image = chosenImage(images);
  if (!image)
    return `InvalidAMIID.NotFound: ${describeQuestion(question)} was not found in ${observed.region}: set ami.id, or imageLookupFormat, imageLookupOrg and imageLookupBaseOS`;
  const controlPlane = isControlPlane(machine, awsMachine);
  const place = choosePlace({
    spec,
    failureDomain: machine?.spec?.failureDomain,
    subnets: awsCluster.spec?.network?.subnets ?? [],
    vpcId: awsCluster.spec?.network?.vpc?.id,
    named,
    exhausted,
    address,
  });
  if (typeof place === 'string') return place;
  const groups = securityGroupIds(awsMachine, awsCluster, controlPlane, additionalGroups);
  if ('missing' in groups) return groups.missing;
  const onDemand = fallback !== undefined;
  const whose = { awsMachine, awsCluster, owner, controlPlane };
  const request = launchRequest({ ...whose, image, place, groups: groups.ids, onDemand, batch, address });
  return typeof request === 'string' ? request : { request, place };
};

const newAttempt = (
  { awsMachine, launch, region, siblings }: Observed,
  { clusterUid, clusterName }: Owner,
  { request, place, exhausted, fallback }: Chosen,
  { hash }: Bootstrap,
  { now, random, lastFailure }: Context,
): Launch => {
  const attempt = (launch?.attempt ?? 0) + 1;
  const series = launch?.series ?? random.token();
  const batch = afterCall(launch?.batch, siblings);
  return {
    machine: awsMachine.metadata.uid ?? '',
    region,
    clusterUid,
    clusterName,
    attempt,
    series,
    token: drawnToken(series, random.token()),
    zone: place.zone,
    subnet: place.subnetId,
    type: request.InstanceType,
    image: request.ImageId,
    userDataHash: hash,
    since: now,
    tried: triedAt(now, lastFailure),
    exhausted,
    ...(fallback && { fallback }),
    request,
    ...(batch && { batch }),
  };
};

const inTurn = 'Waiting until the account may make another request';

/** Reports the last launch's failure until another launch replaces it. */
const reportStandingFailure = (observed: Observed): Plan<AWSMachineStatus> => {
  const standing = conditionOf(observed.awsMachine.status?.conditions, instanceReady);
  const isFailed = standing?.status === 'False' && standing.reason === provisionFailed('').reason;
  return isFailed ? reportConditions(observed) : reportConditions(observed, provisionStarted('Launching the instance'));
};

/** Records the attempt, then makes exactly this call. */
const call = (
  observed: Observed,
  owner: Owner,
  attempt: Launch,
  bootstrap: Bootstrap,
  context: Context,
): Plan<AWSMachineStatus> => {
  const { awsMachine } = observed;
  const { cloudInit, uncompressedUserData = false } = awsMachine.spec!;
  const userData = cloudInit?.insecureSkipSecretsManager
    ? plainUserData(bootstrap.data, uncompressedUserData || isMime(bootstrap.data))
    : userDataOf(attempt.region, prefixOf(awsMachine, attempt.token), bootstrap, isCombined(attempt));
  const run = callCloud(attempt.region, 'RunInstances', {
    ...attempt.request,
    ClientToken: attempt.token,
    UserData: userData.toString('base64'),
  });
  return withSecrets(observed, owner, attempt, bootstrap, context, run);
};

/** Records the attempt and creates the secrets of a machine that another one launches. */
const prepare = (
  observed: Observed,
  owner: Owner,
  attempt: Launch & { batch: Batch },
  bootstrap: Bootstrap,
  context: Context,
): Plan<AWSMachineStatus> =>
  withSecrets(observed, owner, attempt, bootstrap, context, becomeReady(attempt.batch, observed.awsMachine));

/** `last`: what follows once the secrets exist. */
const withSecrets = (
  observed: Observed,
  owner: Owner,
  attempt: Launch,
  { data }: Bootstrap,
  context: Context,
  last: Action,
): Plan<AWSMachineStatus> => {
  const { awsMachine, machine } = observed;
  const { lastFailure } = context;
  const spec = awsMachine.spec!;
  const plain = spec.cloudInit?.insecureSkipSecretsManager;
  const controlPlane = isControlPlane(found(machine), awsMachine);
  const prefix = secretsOf(awsMachine, attempt);
  const known = spec.cloudInit?.secretPrefix;
  const renewed = known !== undefined && known !== prefix;
  // This write replaces the prefix of the old secrets, so it also records them for deletion.
  const launch = renewed ? { ...attempt, former: { prefix: known, count: spec.cloudInit?.secretCount ?? 0 } } : attempt;
  const secrets = splitForSecrets(prefix, data);
  // The secret exists with its first content, which is what the user data points to.
  const existing = lastFailure?.operation === 'CreateSecret' && lastFailure.code === 'ResourceExistsException';
  // The secrets come before the launch call, which is skipped when one of them fails.
  const before = known === prefix ? observed.launch : undefined;
  const made =
    (isCombined(launch) && isReady(awsMachine, launch.batch)) ||
    (before && (isToRepeat(before, [], lastFailure) || wasRefused(before, lastFailure)));
  // After a failed call the loop decides once more in the same pass, and then only reports it.
  const failed = lastFailure?.at === context.now ? lastFailure : undefined;
  if (failed && isThereAlready(failed)) return { ...reportStandingFailure(observed), requeueAfter: 1 };
  const waits = failed !== undefined && isHeldBack(failed, attempt.since);
  const failure = failed && !waits ? describeFailure(failed) : undefined;
  const isNewFallback = !failed && launch.fallback !== undefined && !observed.launch?.fallback;
  const events: EventDraft[] = [
    ...(failure ? [{ type: 'Warning' as const, reason: 'FailedCreate', message: failure }] : []),
    ...(isNewFallback
      ? [
          {
            type: 'Normal' as const,
            reason: spotFallback,
            message: `${noSpot(launch.fallback!.code)}: it is bought on demand`,
          },
        ]
      : []),
  ];
  const cloudInit: JsonObject = { ...spec.cloudInit, secretPrefix: prefix, secretCount: secrets.chunks.length };
  return {
    intent: {
      ...noteOf(launch),
      ...(!plain && known !== prefix && { spec: { cloudInit } }),
    },
    actions: [
      ...(made ? [] : deleteFormer(owner, awsMachine, launch)),
      ...(plain || existing || made
        ? []
        : createSecrets(launch.region, owner, awsMachine, controlPlane, launch.token, secrets, observed.parameters)),
      last,
    ],
    ...reportConditions(
      observed,
      failure ? provisionFailed(failure) : provisionStarted(waits ? inTurn : 'Launching the instance'),
      // A failed pass records no attempt.
      ...marketConditions(awsMachine, failed ? observed.launch : launch),
    ),
    ...(events.length > 0 && { events }),
    requeueAfter: lastFailure ? retryAfter(context) : 1,
  };
};
