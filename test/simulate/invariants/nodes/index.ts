import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { type Claim, eventually } from '../eventually.ts';
import { clusterOf, conditionIn, controlled, isGoing, isWorkedOn, revision, verdictOf } from '../relations.ts';
import type { Rule, Rules } from '../rule.ts';
import { drain } from './drain.ts';
import { nodeMetadata } from './metadata.ts';

const waits = [
  { reason: 'DrainingNode', since: 'nodeDrainStartTime', most: 'nodeDrainTimeoutSeconds' },
  {
    reason: 'WaitingForVolumeDetach',
    since: 'waitForNodeVolumeDetachStartTime',
    most: 'nodeVolumeDetachTimeoutSeconds',
  },
] as const;

const drainTimeouts: Rule = (setting, broken) => {
  const { clock, mirror } = setting.world;
  return eventually(setting, broken, function* (): Generator<Claim> {
    for (const machine of mirror.all<Machine>('Machine')) {
      if (!isGoing(machine) || !isWorkedOn(mirror, machine)) continue;
      const { metadata, spec, status } = machine;
      for (const { reason, since, most } of waits) {
        const began = Date.parse(status?.deletion?.[since] ?? '');
        const seconds = spec?.deletion?.[most] ?? 0;
        if (seconds === 0 || !(clock.now() > began + seconds * 1000)) continue;
        const isWaiting = conditionIn(machine, 'Deleting')?.reason === reason;
        yield { what: `whether ${metadata.name}, whose ${most} has passed, still waits`, is: isWaiting, should: false };
      }
    }
  });
};

const outdated = 'node.cluster.x-k8s.io/outdated-revision';

type Node = KubeObject<{ providerID?: string; taints?: { key: string; effect: string }[] }>;

const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.annotations?.[revision]);

const outdatedTaint: Rule = (setting, broken) => {
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

  return eventually(setting, broken, function* () {
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

export const nodesRules: Rules = {
  'a drain and a volume detachment end with their timeouts': drainTimeouts,
  'Nodes of outdated revisions carry the outdated-revision taint': outdatedTaint,
  'a machine is drained before its instance is terminated': drain,
  'Nodes carry the labels, annotations and taints of their machines': nodeMetadata,
};
