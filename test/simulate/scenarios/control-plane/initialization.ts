/**
 * The first machine is deleted before it initializes the cluster, and another machine initializes
 * it.
 */
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { Violation } from '../../invariants/rule.ts';
import { controlPlanesOf, type ScenarioContext } from '../context.ts';
import { full } from '../machines/failures.ts';
import { deleteAndCreateAgain } from '../operations/deletions.ts';

const minute = 60_000;
/** The time in which a host boots and a probe reaches it. */
const soon = 30 * minute;

export const replaceFirstMachine = async (context: ScenarioContext) => {
  const { client, clock, draw, life, settled, tell, desired, world } = context;
  await settled(60);
  if (!life.desired) return;
  const { faults } = world.account;
  const { id } = faults.add({ action: 'RunInstances', code: full });
  await deleteAndCreateAgain(context);
  const until = async (isSo: () => boolean, ms: number): Promise<boolean> => {
    const end = clock.now() + ms;
    while (!isSo() && clock.now() < end) await sleep(clock, 10_000);
    return isSo();
  };
  // Only the machine with a bootstrap data secret initializes the cluster.
  const first = () => controlPlanesOf(context).find(({ spec }) => spec?.bootstrap.dataSecretName !== undefined);
  await until(() => first() !== undefined, 60 * minute);
  await sleep(clock, draw.spread(1000, 10 * minute));
  const { name, uid } = first()?.metadata ?? {};
  if (name) {
    tell(`delete ${name}, which was to initialize the cluster`);
    await client.remove('Machine', name);
    await until(() => !controlPlanesOf(context).some(({ metadata }) => metadata.uid === uid), 60 * minute);
  }
  faults.clear(id);
  const isBegun = () =>
    world.mirror.get<Cluster>('Cluster', 'default', desired.name)?.status?.initialization?.controlPlaneInitialized ===
    true;
  const hasCome = await until(isBegun, soon);
  if (name && !hasCome && !world.isHeldUp && !world.isDisturbed)
    throw new Violation('first machine', `no machine initializes ${desired.name} after the end of its first one`);
};
