/** A user deletes a Node. Its Machine reports that until the Machine is deleted. */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { verdictOf } from '../../invariants/relations.ts';
import { Violation } from '../../invariants/rule.ts';
import type { Scene } from '../context.ts';
import { areGone, comes, patience } from '../progress.ts';
import { staying } from '../requests.ts';
import { within } from '../workload/kubeconfig.ts';

const minute = 60_000;
/** An idle cluster is probed at least every ten minutes. */
const seen = 20 * minute;

export const deleteNode = async (scene: Scene) => {
  const { client, clock, draw, settled, world } = scene;
  await settled(60);
  const machines = staying(scene).filter(({ status }) => status?.nodeRef);
  if (machines.length === 0) return;
  const machine = draw.pick(machines);
  const { name, uid } = machine.metadata;
  const node = machine.status!.nodeRef!.name;
  const removal = within(scene, 'delete', { apiVersion: 'v1', kind: 'Node', name: node });
  // An unreachable cluster keeps the Node.
  if (!(await removal.then(() => true).catch(() => false))) return;
  const find = () => {
    const now = world.mirror.get<Machine>('Machine', 'default', name);
    return now?.metadata.uid === uid && !now?.metadata.deletionTimestamp ? now : undefined;
  };
  const isSaid = () => !find() || verdictOf(find(), 'NodeHealthy') === 'False';
  const most = () => (world.isHeldUp ? patience : seen);
  await comes(scene, `that ${name} reports its lost Node`, isSaid, 'RemoteConnectionProbe', most);
  await sleep(clock, draw.spread(minute, 30 * minute));
  const noted = find()?.status?.nodeRef?.name;
  if (find() && noted !== node) throw new Violation('lost node', `${name} had Node ${node}, but reports ${noted}`);
  await client.remove('Machine', name);
  await comes(scene, `the end of ${name}, which has lost its Node`, areGone(scene, [machine]), 'RemoteConnectionProbe');
};
