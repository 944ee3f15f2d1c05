/**
 * A control plane component fails, or etcd raises an alarm. The status reports it, and no machine
 * is created.
 */
import type { KubeadmControlPlane } from '../../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { hostOf, verdictOf } from '../../invariants/relations.ts';
import { Violation } from '../../invariants/rule.ts';
import { controlPlane, controlPlanesOf, type ScenarioContext } from '../context.ts';
import { comes, resyncTimeout } from '../progress.ts';

const minute = 60_000;
/** An idle cluster is probed at least every ten minutes. */
const seen = 20 * minute;

const conditionOf = {
  'kube-apiserver': 'APIServerPodHealthy',
  'kube-controller-manager': 'ControllerManagerPodHealthy',
  'kube-scheduler': 'SchedulerPodHealthy',
  etcd: 'EtcdPodHealthy',
  'an alarm of etcd': 'EtcdMemberHealthy',
} as const;
type Component = keyof typeof conditionOf;
const components = Object.keys(conditionOf) as Component[];
const summaryOf = (type: string) =>
  type === 'EtcdMemberHealthy' ? 'EtcdClusterHealthy' : 'ControlPlaneComponentsHealthy';

/**
 * Makes the component fail; undefined repairs it. A member with a NOSPACE alarm reports the alarm
 * and keeps running.
 */
const spoil = ({ world: { guests } }: ScenarioContext, id: string, component: Component | undefined) => {
  if (component !== 'an alarm of etcd') guests.spoil(id, component);
  for (const { record } of guests.clusters.all()) {
    const { etcd } = record;
    const member = etcd.members.find(({ instanceId }) => instanceId === id);
    etcd.alarms = etcd.alarms.filter(({ memberID }) => memberID !== member?.id);
    if (member && component === 'an alarm of etcd') etcd.alarms.push({ memberID: member.id, type: 'NOSPACE' });
  }
};

/** Machines without a known failure, with their instances. */
const wellOf = (context: ScenarioContext): { machine: Machine; id: string }[] => {
  const { guests, mirror } = context.world;
  const isWell = (machine: Machine) => Object.values(conditionOf).every((type) => verdictOf(machine, type) === 'True');
  return controlPlanesOf(context).flatMap((machine) => {
    const { metadata } = machine;
    const host = hostOf(mirror, machine);
    const guest = guests.guests().find(({ instance }) => instance.instanceId === host?.spec?.instanceID);
    const isHealthy = guest && !guest.ailment && !guest.illComponent && guest.haltedAt === undefined;
    return !metadata.deletionTimestamp && isWell(machine) && isHealthy
      ? [{ machine, id: guest.instance.instanceId }]
      : [];
  });
};

export const failComponent = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, desired, world } = context;
  const { mirror } = world;
  await settled(60);
  const well = wellOf(context);
  if (well.length === 0) return;
  const { machine, id } = draw.pick(well);
  const component = draw.pick(components);
  const type = conditionOf[component];
  const { name, uid } = machine.metadata;
  const find = () => {
    const now = mirror.get<Machine>('Machine', 'default', name);
    return now?.metadata.uid === uid && !now?.metadata.deletionTimestamp ? now : undefined;
  };
  const owner = () => mirror.get<KubeadmControlPlane>('KubeadmControlPlane', 'default', controlPlane(context));
  const most = () => (world.isHeldUp ? resyncTimeout : seen);
  const become = (what: string, isSo: () => boolean) =>
    comes(context, what, () => !find() || isSo(), 'RemoteConnectionProbe', most);
  spoil(context, id, component);
  const isReportedWithin = async () =>
    (await become(`${type}=False of ${name}`, () => verdictOf(find(), type) === 'False')) &&
    (await become(`Ready=False of ${name}`, () => verdictOf(find(), 'Ready') === 'False')) &&
    (await become(
      `${summaryOf(type)}=False of ${controlPlane(context)}`,
      () => verdictOf(owner(), summaryOf(type)) === 'False',
    ));
  const isReported = await isReportedWithin();
  // Other machines serve the API, if there are any. Two of three etcd members are enough.
  if (isReported && find() && !world.isDisturbed) {
    const isServed = well.length > 1 ? 'True' : 'False';
    await become(
      `Available=${isServed} of ${controlPlane(context)}`,
      () => verdictOf(owner(), 'Available') === isServed,
    );
  }
  if (isReported && find() && draw.chance(0.4)) {
    let made: string | undefined;
    let isOn = true;
    mirror.onCommit(({ event, object, writer }) => {
      if (isOn && event === 'ADDED' && object?.kind === 'Machine' && writer === 'kubeadm-control-plane')
        if (object.metadata.labels?.['cluster.x-k8s.io/cluster-name'] === desired.name) made = object.metadata.name;
    });
    const rollout = { after: new Date(clock.now()).toISOString() };
    await client.patch('KubeadmControlPlane', controlPlane(context), { spec: { rollout } });
    await sleep(clock, draw.spread(5 * minute, 20 * minute));
    isOn = false;
    // A frozen worker may act on the former, healthy state.
    if (made && find() && !world.isHeldUp)
      throw new Violation('built upon', `${made} is created while ${component} of ${name} fails`);
  } else await sleep(clock, draw.spread(minute, 30 * minute));
  spoil(context, id, undefined);
  await become(`${type}=True of ${name}`, () => verdictOf(find(), type) === 'True');
};
