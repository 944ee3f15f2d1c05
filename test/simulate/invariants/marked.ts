/** Where machines of an older revision are left, pods are rather put elsewhere: their Nodes say so, and no others. */
import type { Machine } from '../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../kinds/core/machine-deployment/index.ts';
import type { MachineSet } from '../../../kinds/core/machine-set/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Invariant, Setting } from './invariant.ts';
import { type Claim, soon } from './soon.ts';
import { clusterOf, controlled, isGoing, isWorkedOn, revision, verdictOf } from './whose.ts';

const outdated = 'node.cluster.x-k8s.io/outdated-revision';

type Node = KubeObject<{ providerID?: string; taints?: { key: string; effect: string }[] }>;

const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.annotations?.[revision]);

export const marked = (setting: Setting): Invariant => {
  const { guests, mirror } = setting.world;
  const isLed = (object: KubeObject) => !isGoing(object) && isWorkedOn(mirror, object);

  function* ofSet(set: MachineSet, isOld: boolean, nodes: ReadonlyMap<string | undefined, Node>): Generator<Claim> {
    for (const machine of controlled<Machine>(mirror, 'Machine', set).filter(isLed)) {
      const node = machine.status?.nodeRef && nodes.get(machine.spec?.providerID);
      if (!node || verdictOf(clusterOf(mirror, machine), 'RemoteConnectionProbe') !== 'True') continue;
      const { name, namespace } = machine.metadata;
      const is =
        node.spec?.taints?.some(({ key, effect }) => key === outdated && effect === 'PreferNoSchedule') ?? false;
      yield { what: `whether the Node of ${namespace}/${name} is of an older revision`, is, should: isOld };
    }
  }

  return soon('marked', setting, function* () {
    const nodes = new Map(
      guests.clusters
        .all()
        .flatMap((cluster) => cluster.seen<Node>('nodes').map((node) => [node.spec?.providerID, node])),
    );
    for (const deployment of mirror.all<MachineDeployment>('MachineDeployment').filter(isLed))
      for (const set of controlled<MachineSet>(mirror, 'MachineSet', deployment).filter(isLed))
        yield* ofSet(set, revisionOf(set) < revisionOf(deployment), nodes);
  });
};
