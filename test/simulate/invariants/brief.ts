/** What a machine boots with is there for one boot: nobody finds it much later than a quarter of an hour after the launch. */
import type { AWSMachine } from '../../../kinds/infrastructure-aws/aws-machine/index.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { tagOf } from './tags.ts';
import { isGoing, isWorkedOn } from './whose.ts';

const minute = 60_000;
const longest = 15 * minute;
const apart = 3 * minute;
/** What fails in passing is tried again. */
const patience = { undisturbed: 3 * minute, disturbed: 60 * minute };
const machineName = 'MachineName';
const machineUid = 'capstan.dev/machine-uid';
const stores = new Set(['secret', 'parameter']);

type Launch = { TagSpecifications?: { Tags: { Key: string; Value: string }[] }[] };

export const brief = ({ world, isRuined }: Setting): Invariant => {
  const { account, clock, mirror } = world;
  /** By the uid of an AWSMachine: since when there may be nothing any more. */
  const over = new Map<string, number>();
  const look = () => {
    const limit = world.isDisturbed ? patience.disturbed : patience.undisturbed;
    for (const { type, id, tags } of account.list()) {
      const since = stores.has(type) ? over.get(tags[machineUid] ?? '') : undefined;
      if (since === undefined || clock.now() < since + limit) continue;
      const [namespace = '', name = ''] = (tags[machineName] ?? '').split('/');
      const machine = mirror.get<AWSMachine>('AWSMachine', namespace, name);
      if (!machine || machine.metadata.uid !== tags[machineUid] || isGoing(machine)) continue;
      if (!isWorkedOn(mirror, machine)) over.set(tags[machineUid]!, clock.now());
      else throw new Violation('brief', `${id}, with which ${name} was to boot, is still there`);
    }
  };
  const tick = () => {
    clock.after(apart, tick);
    // Nobody was there to take it away until now.
    if (world.isHeldUp || isRuined?.()) return over.clear();
    if (over.size === 0) return;
    try {
      look();
    } catch (error) {
      mirror.breaks(error);
    }
  };
  clock.after(apart, tick);
  return {
    onCall: ({ action, input, happened }) => {
      if (action !== 'RunInstances' || !happened) return;
      const uid = tagOf((input as Launch).TagSpecifications?.[0]?.Tags, machineUid);
      if (uid) over.set(uid, clock.now() + longest);
    },
  };
};
