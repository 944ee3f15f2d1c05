/**
 * A control plane component fails, or etcd raises an alarm. The status reports it, and no machine
 * is created.
 */
import type { KubeadmControlPlane } from '../../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { hostOf, verdictOf } from '../../invariants/relations.ts';
import { Violation } from '../../invariants/rule.ts';
import { controlPlane, controlPlanesOf, type Scene } from '../context.ts';
import { comes, patience } from '../progress.ts';

const minute = 60_000;
/** An idle cluster is probed at least every ten minutes. */
const seen = 20 * minute;

const told = {
  'kube-apiserver': 'APIServerPodHealthy',
  'kube-controller-manager': 'ControllerManagerPodHealthy',
  'kube-scheduler': 'SchedulerPodHealthy',
  etcd: 'EtcdPodHealthy',
  'an alarm of etcd': 'EtcdMemberHealthy',
} as const;
type Component = keyof typeof told;
const components = Object.keys(told) as Component[];
const summaryOf = (type: string) =>
  type === 'EtcdMemberHealthy' ? 'EtcdClusterHealthy' : 'ControlPlaneComponentsHealthy';

/**
 * Makes the component fail; undefined repairs it. A member with a NOSPACE alarm reports the alarm
 * and keeps running.
 */
const spoil = ({ world: { guests } }: Scene, id: string, component: Component | undefined) => {
  if (component !== 'an alarm of etcd') guests.spoil(id, component);
  for (const { record } of guests.clusters.all()) {
    const { etcd } = record;
    const member = etcd.members.find(({ instanceId }) => instanceId === id);
    etcd.alarms = etcd.alarms.filter(({ memberID }) => memberID !== member?.id);
    if (member && component === 'an alarm of etcd') etcd.alarms.push({ memberID: member.id, type: 'NOSPACE' });
  }
};

/** Machines without a known failure, with their instances. */
const wellOf = (scene: Scene): { machine: Machine; id: string }[] => {
  const { guests, mirror } = scene.world;
  const isWell = (machine: Machine) => Object.values(told).every((type) => verdictOf(machine, type) === 'True');
  return controlPlanesOf(scene).flatMap((machine) => {
    const { metadata } = machine;
    const host = hostOf(mirror, machine);
    const guest = guests.guests().find(({ instance }) => instance.instanceId === host?.spec?.instanceID);
    const isSpare = guest && !guest.ailment && !guest.illComponent && guest.haltedAt === undefined;
    return !metadata.deletionTimestamp && isWell(machine) && isSpare
      ? [{ machine, id: guest.instance.instanceId }]
      : [];
  });
};

export const failComponent = async (scene: Scene) => {
  const { client, clock, draw, settled, wish, world } = scene;
  const { mirror } = world;
  await settled(60);
  const well = wellOf(scene);
  if (well.length === 0) return;
  const { machine, id } = draw.pick(well);
  const component = draw.pick(components);
  const type = told[component];
  const { name, uid } = machine.metadata;
  const find = () => {
    const now = mirror.get<Machine>('Machine', 'default', name);
    return now?.metadata.uid === uid && !now?.metadata.deletionTimestamp ? now : undefined;
  };
  const owner = () => mirror.get<KubeadmControlPlane>('KubeadmControlPlane', 'default', controlPlane(scene));
  const most = () => (world.isHeldUp ? patience : seen);
  const become = (what: string, isSo: () => boolean) =>
    comes(scene, what, () => !find() || isSo(), 'RemoteConnectionProbe', most);
  spoil(scene, id, component);
  const isToldOf = async () =>
    (await become(`${type}=False of ${name}`, () => verdictOf(find(), type) === 'False')) &&
    (await become(`Ready=False of ${name}`, () => verdictOf(find(), 'Ready') === 'False')) &&
    (await become(
      `${summaryOf(type)}=False of ${controlPlane(scene)}`,
      () => verdictOf(owner(), summaryOf(type)) === 'False',
    ));
  const isTold = await isToldOf();
  // Other machines serve the API, if there are any. Two of three etcd members are enough.
  if (isTold && find() && !world.isDisturbed) {
    const isServed = well.length > 1 ? 'True' : 'False';
    await become(`Available=${isServed} of ${controlPlane(scene)}`, () => verdictOf(owner(), 'Available') === isServed);
  }
  if (isTold && find() && draw.chance(0.4)) {
    let made: string | undefined;
    let isOn = true;
    mirror.onCommit(({ event, object, writer }) => {
      if (isOn && event === 'ADDED' && object?.kind === 'Machine' && writer === 'kubeadm-control-plane')
        if (object.metadata.labels?.['cluster.x-k8s.io/cluster-name'] === wish.name) made = object.metadata.name;
    });
    const rollout = { after: new Date(clock.now()).toISOString() };
    await client.patch('KubeadmControlPlane', controlPlane(scene), { spec: { rollout } });
    await sleep(clock, draw.spread(5 * minute, 20 * minute));
    isOn = false;
    // A frozen worker may act on the former, healthy state.
    if (made && find() && !world.isHeldUp)
      throw new Violation('built upon', `${made} is created while ${component} of ${name} fails`);
  } else await sleep(clock, draw.spread(minute, 30 * minute));
  spoil(scene, id, undefined);
  await become(`${type}=True of ${name}`, () => verdictOf(find(), type) === 'True');
};
