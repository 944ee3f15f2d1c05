/** A cluster with availability gates, which a user sets and clears. */
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Condition } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pathOf } from '../../clients/client.ts';
import type { Scene } from '../context.ts';
import { comes, isServing, patience, promptly } from '../progress.ts';

const minute = 60_000;
/** Conditions of users have a domain in their type. */
const good = 'example.com/Audited';
const bad = 'example.com/UnderAttack';
const availabilityGates = [{ conditionType: good }, { conditionType: bad, polarity: 'Negative' }];
type Verdict = 'True' | 'False';

export const gateCluster = async (scene: Scene) => {
  const { client, clock, draw, life, settled, wish, world } = scene;
  await settled(60);
  if (!life.wish || !isServing(scene)) return;
  const path = `${pathOf('Cluster')}/${wish.name}`;
  const isSaid = (verdicts: Readonly<Record<string, Verdict>>) => {
    const { conditions = [] } = (world.mirror.get<Cluster>('Cluster', 'default', wish.name)?.status ?? {}) as {
      conditions?: Condition[];
    };
    return Object.entries(verdicts).every(([type, status]) =>
      conditions.some((one) => one.type === type && one.status === status),
    );
  };
  /** Sets the conditions. On a conflict it retries, so no other change is overwritten. */
  const say = async (verdicts: Readonly<Record<string, Verdict>>) => {
    for (let looks = 0; !isSaid(verdicts) && looks < 60; looks++) {
      const { code, body } = await client.request('GET', path);
      if (code !== 200 || body.metadata.deletionTimestamp) return false;
      const { conditions = [] } = (body.status ?? {}) as { conditions?: Condition[] };
      const lastTransitionTime = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
      const told = Object.entries(verdicts).map(([type, status]) => {
        return { type, status, reason: 'Said', message: '', lastTransitionTime };
      });
      const others = conditions.filter(({ type }) => !(type in verdicts));
      await client.request('PUT', `${path}/status`, {
        ...body,
        status: { ...body.status!, conditions: [...others, ...told] },
      });
      await sleep(clock, minute / 2);
    }
    return isSaid(verdicts);
  };
  if (!(await say({ [good]: 'True', [bad]: 'False' }))) return;
  const { code } = await client.patch('Cluster', wish.name, { spec: { availabilityGates } });
  if (code >= 300) return;
  const most = () => (world.isHeldUp ? patience : promptly);
  const isShut = () => !isServing(scene);
  const steps: readonly [Readonly<Record<string, Verdict>>, string, () => boolean][] = [
    [draw.chance(0.5) ? { [bad]: 'True' } : { [good]: 'False' }, 'that the cluster is not available', isShut],
    [{ [good]: 'True', [bad]: 'False' }, 'that the cluster is available again', () => isServing(scene)],
  ];
  for (const [verdicts, what, isSo] of steps) {
    await sleep(clock, draw.spread(minute, 10 * minute));
    if (await say(verdicts)) await comes(scene, what, isSo, 'RemoteConnectionProbe', most);
  }
  await client.patch('Cluster', wish.name, { spec: { availabilityGates: null } });
};
