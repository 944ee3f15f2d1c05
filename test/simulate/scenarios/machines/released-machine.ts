/** A user removes a machine from its set by changing its labels, and later returns it. */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import type { ScenarioContext } from '../context.ts';
import { comes, promptly, resyncTimeout } from '../progress.ts';
import { staying } from '../requests.ts';

const minute = 60_000;
const hash = 'machine-template-hash';

export const releaseMachine = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, world } = context;
  await settled(60);
  const machines = staying(context).filter(({ metadata, status }) => status?.nodeRef && metadata.labels?.[hash]);
  const sets = new Set(machines.map(({ metadata }) => metadata.labels![hash]));
  // During a rollout the old set may be deleted and would adopt nothing.
  if (machines.length === 0 || sets.size > 1) return;
  const { name, uid, labels = {} } = draw.pick(machines).metadata;
  const find = () => world.mirror.all<Machine>('Machine').find((one) => one.metadata.uid === uid);
  const write = (value: string | null, more = {}) =>
    client.patch('Machine', name, { metadata: { labels: { [hash]: value }, ...more } });
  await write(null, { ownerReferences: null });
  const others = () => staying(context).filter(({ metadata }) => metadata.uid !== uid);
  const most = () => (world.isHeldUp ? resyncTimeout : promptly);
  const isReplaced = () => others().length >= machines.length;
  await comes(context, `a replacement of the released ${name}`, isReplaced, 'RemoteConnectionProbe', most);
  await sleep(clock, draw.spread(1000, 20 * minute));
  await write(labels[hash]!);
  // The set may have been deleted meanwhile.
  const hasSet = () =>
    world.mirror
      .all<MachineSet>('MachineSet')
      .some(({ metadata }) => metadata.labels?.[hash] === labels[hash] && !metadata.deletionTimestamp);
  // The set then has one machine too many and may delete any of them.
  const isBack = () => {
    if (!hasSet()) return true;
    const { deletionTimestamp, ownerReferences = [] } = find()?.metadata ?? { deletionTimestamp: 'gone' };
    return deletionTimestamp !== undefined || ownerReferences.some(({ controller }) => controller);
  };
  await comes(context, `that its set owns ${name} again`, isBack, 'RemoteConnectionProbe', most);
  if (!hasSet()) await client.remove('Machine', name);
};
