/** From a machine to nothing: out of the load balancers, its secrets deleted, its instance terminated. */
import { legacyFalse } from '../../machinery/api/conditions.ts';
import type { JsonObject } from '../../machinery/api/object.ts';
import { type Action, type Context, found, type Plan } from '../../machinery/api/reconcile.ts';
import { patience, retryAfter } from '../aws-cluster/step.ts';
import { carries, evidence, type Owner } from '../aws-cluster/tags.ts';
import type { Instance } from '../ports/cloud.ts';
import { callCloud } from '../ports/index.ts';
import { mayHideAddress, releaseAddresses } from './address.ts';
import { conditionsWith, describeFailure, elbAttached, instanceReady } from './conditions.ts';
import { mayBeHidden } from './launch.ts';
import { isControlPlane, isLive, type Snapshot } from './observe.ts';
import { deleteSecrets, machineEvidence } from './secrets.ts';
import { registrations } from './target-groups.ts';

export const planRemoval = (snapshot: Snapshot, context: Context): Plan => {
  const { owner, region, launch, cloud, awsMachine } = snapshot;
  const { now } = context;
  // Never launched: there is nothing to look for.
  if (!launch || !owner || !region) return { finished: true };
  if (cloud === 'unread') return {};
  if (cloud !== 'known') return { ...say(snapshot, 'Warning', cloud.unreadable), requeueAfter: 15 };
  const left = snapshot.instances.filter(isLive);
  const secrets = deleteSecrets(region, owner, awsMachine);
  if (left.length === 0) {
    if (secrets.length > 0) return { actions: secrets, again: true };
    const addresses = releaseAddresses(snapshot, owner);
    if (addresses.length > 0) return { actions: addresses, again: true, requeueAfter: retryAfter(context.attempts) };
    if (mayHideAddress(snapshot, now)) return { requeueAfter: patience(launch.tried, now) };
    if (mayBeHidden(launch, now) && snapshot.instances.length === 0)
      return { requeueAfter: patience(launch.tried, now) };
    return { finished: true, events: snapshot.instances.length === 0 ? [noInstance] : [] };
  }
  return terminate(snapshot, owner, left, context);
};

const noInstance = {
  type: 'Normal' as const,
  reason: 'NoInstanceFound',
  message: 'Unable to find matching EC2 instance',
};

const terminate = (snapshot: Snapshot, owner: Owner, left: Instance[], context: Context): Plan => {
  const { awsMachine, region, targetGroups } = snapshot;
  const { now, lastFailure } = context;
  const owned = machineEvidence(owner, awsMachine);
  const strange = left.find(({ Tags }) => !carries(Tags, owned));
  if (strange)
    return {
      ...say(
        snapshot,
        'Error',
        `Instance ${strange.InstanceId} no longer carries the tags that prove it is this machine's: put them back, or terminate it`,
      ),
      requeueAfter: 15,
    };
  const alive = left.filter(({ State }) => State.Name !== 'shutting-down');
  const deregister = left.flatMap(({ InstanceId }) =>
    registrations(region, targetGroups, InstanceId, false, evidence(owner)).map((action) => ({
      ...action,
      group: 'load-balancer',
    })),
  );
  const actions: Action[] = [
    ...deleteSecrets(region, owner, awsMachine),
    ...deregister,
    ...alive.map(({ InstanceId }) => ({
      ...callCloud(region, 'TerminateInstances', { InstanceIds: [InstanceId] }, owned),
      group: 'terminate',
    })),
  ];
  const failed =
    lastFailure?.operation === 'TerminateInstances' && lastFailure.at === now
      ? describeFailure(lastFailure)
      : undefined;
  const since = Date.parse(awsMachine.metadata.deletionTimestamp ?? '') || now;
  return {
    actions,
    ...say(snapshot, failed ? 'Warning' : 'Info', failed ?? '', left[0]!.State.Name),
    events: failed
      ? [{ type: 'Warning', reason: 'FailedTerminate', message: failed }]
      : alive.length > 0
        ? [{ type: 'Normal', reason: 'SuccessfulTerminate', message: `Terminated instance ${alive[0]!.InstanceId}` }]
        : [],
    requeueAfter: failed ? retryAfter(context.attempts) : patience(since, now),
  };
};

const say = (
  { awsMachine, machine }: Snapshot,
  severity: 'Info' | 'Warning' | 'Error',
  message: string,
  state?: string,
): Plan => {
  const controlPlane = isControlPlane(found(machine), awsMachine);
  return {
    status: {
      ...awsMachine.status,
      ready: false,
      ...(state && { instanceState: state }),
      conditions: conditionsWith(
        awsMachine,
        controlPlane,
        legacyFalse(instanceReady, 'Deleting', severity, message),
        ...(controlPlane ? [legacyFalse(elbAttached, 'Deleting', 'Info')] : []),
      ) as unknown as JsonObject[],
    },
  };
};
