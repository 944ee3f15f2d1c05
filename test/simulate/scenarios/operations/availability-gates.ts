/** A cluster with availability gates, which a user sets and clears. */
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Condition } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pathOf } from '../../clients/client.ts';
import type { ScenarioContext } from '../context.ts';
import { comes, isServing, promptly, resyncTimeout } from '../progress.ts';

const minute = 60_000;
/** Conditions of users have a domain in their type. */
const good = 'example.com/Audited';
const bad = 'example.com/UnderAttack';
const availabilityGates = [{ conditionType: good }, { conditionType: bad, polarity: 'Negative' }];
type Verdict = 'True' | 'False';

export const gateCluster = async (context: ScenarioContext) => {
  const { client, clock, draw, life, settled, desired, world } = context;
  await settled(60);
  if (!life.desired || !isServing(context)) return;
  const path = `${pathOf('Cluster')}/${desired.name}`;
  const isReported = (verdicts: Readonly<Record<string, Verdict>>) => {
    const { conditions = [] } = (world.mirror.get<Cluster>('Cluster', 'default', desired.name)?.status ?? {}) as {
      conditions?: Condition[];
    };
    return Object.entries(verdicts).every(([type, status]) =>
      conditions.some((one) => one.type === type && one.status === status),
    );
  };
  /** Sets the conditions. On a conflict it retries, so no other change is overwritten. */
  const say = async (verdicts: Readonly<Record<string, Verdict>>) => {
    for (let looks = 0; !isReported(verdicts) && looks < 60; looks++) {
      const { code, body } = await client.request('GET', path);
      if (code !== 200 || body.metadata.deletionTimestamp) return false;
      const { conditions = [] } = (body.status ?? {}) as { conditions?: Condition[] };
      const lastTransitionTime = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
      const reported = Object.entries(verdicts).map(([type, status]) => {
        return { type, status, reason: 'Said', message: '', lastTransitionTime };
      });
      const others = conditions.filter(({ type }) => !(type in verdicts));
      await client.request('PUT', `${path}/status`, {
        ...body,
        status: { ...body.status!, conditions: [...others, ...reported] },
      });
      await sleep(clock, minute / 2);
    }
    return isReported(verdicts);
  };
  if (!(await say({ [good]: 'True', [bad]: 'False' }))) return;
  const { code } = await client.patch('Cluster', desired.name, { spec: { availabilityGates } });
  if (code >= 300) return;
  const most = () => (world.isHeldUp ? resyncTimeout : promptly);
  const isShut = () => !isServing(context);
  const steps: readonly [Readonly<Record<string, Verdict>>, string, () => boolean][] = [
    [draw.chance(0.5) ? { [bad]: 'True' } : { [good]: 'False' }, 'that the cluster is not available', isShut],
    [{ [good]: 'True', [bad]: 'False' }, 'that the cluster is available again', () => isServing(context)],
  ];
  for (const [verdicts, what, isSo] of steps) {
    await sleep(clock, draw.spread(minute, 10 * minute));
    if (await say(verdicts)) await comes(context, what, isSo, 'RemoteConnectionProbe', most);
  }
  await client.patch('Cluster', desired.name, { spec: { availabilityGates: null } });
};
