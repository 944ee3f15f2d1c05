/** A user deletes a Node. Its Machine reports that until the Machine is deleted. */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { verdictOf } from '../../invariants/relations.ts';
import { Violation } from '../../invariants/rule.ts';
import type { ScenarioContext } from '../context.ts';
import { areGone, comes, resyncTimeout } from '../progress.ts';
import { staying } from '../requests.ts';
import { within } from '../workload/kubeconfig.ts';

const minute = 60_000;
/** An idle cluster is probed at least every ten minutes. */
const seen = 20 * minute;

export const deleteNode = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, world } = context;
  await settled(60);
  const machines = staying(context).filter(({ status }) => status?.nodeRef);
  if (machines.length === 0) return;
  const machine = draw.pick(machines);
  const { name, uid } = machine.metadata;
  const node = machine.status!.nodeRef!.name;
  const removal = within(context, 'delete', { apiVersion: 'v1', kind: 'Node', name: node });
  // An unreachable cluster keeps the Node.
  if (!(await removal.then(() => true).catch(() => false))) return;
  const find = () => {
    const now = world.mirror.get<Machine>('Machine', 'default', name);
    return now?.metadata.uid === uid && !now?.metadata.deletionTimestamp ? now : undefined;
  };
  const isReported = () => !find() || verdictOf(find(), 'NodeHealthy') === 'False';
  const most = () => (world.isHeldUp ? resyncTimeout : seen);
  await comes(context, `that ${name} reports its lost Node`, isReported, 'RemoteConnectionProbe', most);
  await sleep(clock, draw.spread(minute, 30 * minute));
  const noted = find()?.status?.nodeRef?.name;
  if (find() && noted !== node) throw new Violation('lost node', `${name} had Node ${node}, but reports ${noted}`);
  await client.remove('Machine', name);
  await comes(
    context,
    `the end of ${name}, which has lost its Node`,
    areGone(context, [machine]),
    'RemoteConnectionProbe',
  );
};
